/**
 * Rules over a run's calls, with the facts its answers give.
 *
 * There is no conversation in a run: rules that look at one abstain.
 *
 * @module
 */

import { checkCall, refusalText } from "../../guard/check.ts";
import type { RuleSet } from "../../guard/rules/compile_rules.ts";
import { Facts } from "../../guard/facts.ts";
import type { RunGuard } from "./run_step.ts";

/**
 * Guards a run.
 *
 * @param rules The rules.
 * @returns The guard of one run.
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
