/**
 * The rules of a proxy, read once and compiled once in each thread.
 *
 * @module
 */

import type { RuleSet } from "../../guard/rules/compile_rules.ts";

/** Which rules: a rule file's text, or the shipped ones of a domain. */
export interface RuleSource {
  /** The file, or the domain. */
  readonly name: string;
  /** The file's text; undefined for shipped rules. */
  readonly text: string | undefined;
}

/** Rules that were read and checked. */
export interface GuardJob {
  readonly source: RuleSource;
  /** Whether rules ask questions, and an oracle answers them. */
  readonly asks: boolean;
}

const compiled = new WeakMap<RuleSource, Promise<RuleSet>>();

/**
 * Compiles rules, or gives what was compiled of this source before.
 *
 * @param source Which.
 * @returns The rules.
 * @throws {Error} When they cannot be used; names the rule and the path in the file.
 */
export function rulesOf(source: RuleSource): Promise<RuleSet> {
  const known = compiled.get(source) ?? compile(source);
  compiled.set(source, known);
  return known;
}

async function compile({ name, text }: RuleSource): Promise<RuleSet> {
  if (text !== undefined) {
    const { openGuardRules } = await import("../../guard/rules/open_rules.ts");
    return await openGuardRules(text, name);
  }
  const { shippedRules } = await import("../../guard/rules/shipped_rules.ts");
  const rules = shippedRules(name);
  if (rules === undefined) throw new Error(`There are no rules for domain "${name}"`);
  return rules;
}
