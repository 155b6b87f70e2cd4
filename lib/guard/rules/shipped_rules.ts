/**
 * The rule files that come with Hoist. They are read like anyone's.
 *
 * @module
 */

import airline from "./airline_rules.json" with { type: "json" };
import retail from "./retail_rules.json" with { type: "json" };
import { compileRules, type RuleSet } from "./compile_rules.ts";
import { checkRuleFile } from "./rule_file.ts";

const FILES: Readonly<Record<string, unknown>> = { airline, retail };

/** The domains that have rules. */
export const GUARDED_DOMAINS: readonly string[] = Object.keys(FILES).sort();

/**
 * The rules of a domain.
 *
 * @param domain The domain.
 * @returns Its rules; undefined when none are shipped for it.
 */
export function shippedRules(domain: string): RuleSet | undefined {
  if (!Object.hasOwn(FILES, domain)) return undefined;
  const path = `${domain}_rules.json`;
  return compileRules(checkRuleFile(FILES[domain], path), path);
}
