/**
 * The rules of a proxy, read once and compiled once in each thread.
 *
 * @module
 */

import type { RuleSet } from "./compile_rules.ts";

/** Which rules: a rule file's text, or the shipped ones of a domain. */
export interface RuleSource {
  /** The file, or the domain. */
  readonly name: string;
  /** The file's text; undefined for shipped rules. */
  readonly text: string | undefined;
}

/**
 * Reads a rule file, so that a thread without rights can compile it: the YAML library looks at
 * variables.
 *
 * @param text The file's text, JSON or YAML.
 * @param name The file.
 * @returns The rules as JSON.
 * @throws {Error} When the file cannot be used; names the rule and the path in it.
 */
export async function ruleSource(text: string, name: string): Promise<RuleSource> {
  const { readRuleFile } = await import("./rule_file.ts");
  return { name, text: JSON.stringify(await readRuleFile(text, name)) };
}

/**
 * Variables that are looked at while a rule file is read: the YAML library asks for two.
 *
 * @param path The file.
 * @returns Their names; none for a file that is called JSON.
 */
export function ruleFileVariables(path: string): readonly string[] {
  return path.endsWith(".json") ? [] : ["LOG_STREAM", "LOG_TOKENS"];
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
    const { openGuardRules } = await import("./open_rules.ts");
    return await openGuardRules(text, name);
  }
  const { shippedRules } = await import("./shipped_rules.ts");
  const rules = shippedRules(name);
  if (rules === undefined) throw new Error(`There are no rules for domain "${name}"`);
  return rules;
}
