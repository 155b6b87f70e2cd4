/**
 * The rule files that ship with Hoist, read like any other rule file.
 *
 * @module
 */

import airline from "./airline_rules.json" with { type: "json" };
import retail from "./retail_rules.json" with { type: "json" };
import { compileRules, type RuleSet } from "./compile_rules.ts";
import { checkRuleFile } from "./rule_file.ts";

const FILES: Readonly<Record<string, unknown>> = { airline, retail };

/** The domains that have shipped rules, sorted. */
export const GUARDED_DOMAINS: readonly string[] = Object.keys(FILES).sort();

/**
 * Compiles the shipped rules of a domain.
 *
 * @param domain The domain.
 * @returns The rules; undefined when none ship for this domain.
 */
export function shippedRules(domain: string): RuleSet | undefined {
  if (!Object.hasOwn(FILES, domain)) return undefined;
  const path = `${domain}_rules.json`;
  return compileRules(checkRuleFile(FILES[domain], path), path);
}
