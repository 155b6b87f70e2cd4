/**
 * Opens a rule file of the user's.
 *
 * @module
 */

import { compileRules, type RuleSet } from "./compile_rules.ts";
import { readRuleFile } from "./rule_file.ts";

/**
 * Reads and compiles a rule file.
 *
 * @param source The file's text, JSON or YAML.
 * @param path The file's name, for messages.
 * @returns The compiled rules.
 * @throws {RulesError} When the file cannot be used; names the rule and the path in the file.
 */
export async function openGuardRules(source: string, path: string): Promise<RuleSet> {
  return compileRules(await readRuleFile(source, path), path);
}
