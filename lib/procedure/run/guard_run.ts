/**
 * Checks the calls of a run against rules.
 *
 * A run has no conversation, so rules about one abstain.
 *
 * @module
 */

import { checkCall, refusalText } from "../../guard/check.ts";
import type { RuleSet } from "../../guard/rules/compile_rules.ts";
import { Facts } from "../../guard/facts.ts";
import type { RunGuard } from "./run_step.ts";

/**
 * Makes the guard of one run.
 *
 * @param rules The rules.
 * @returns The guard.
 */
export function guardRun(rules: RuleSet): RunGuard {
  const facts = new Facts(rules);
  return {
    refusal: ({ tool, arguments: args }) =>
      refusalText(tool, checkCall(rules, { tool, arguments: args }, facts)),
    answered: ({ tool, arguments: args }, error, content) =>
      facts.answered({ tool, arguments: args, error, content }),
  };
}
