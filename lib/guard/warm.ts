/**
 * Runs rules once before they count: the first check of a process takes many times
 * as long as the next, and no call should wait for it.
 *
 * @module
 */

import { checkAnswer, checkCall } from "./check.ts";
import type { RuleSet } from "./rules/compile_rules.ts";
import { Facts } from "./facts.ts";

/**
 * Warms rules up, one tool a step, so that whoever drives it can let other work pass between.
 *
 * @param rules The rules; they keep nothing of it.
 * @returns The steps.
 */
export function* warmUp(rules: RuleSet): Generator<void> {
  const tools = new Set(rules.rules.flatMap(({ cases }) => cases.flatMap((c) => [...c.tools])));
  for (const { fill } of rules.tables) for (const f of fill) f.tools.forEach((t) => tools.add(t));
  const facts = new Facts(rules);
  facts.spoke("Shall I?");
  facts.heard("Yes");
  for (const tool of tools) {
    const call = { tool, arguments: {} };
    const answered = { ...call, error: false, content: "{}" };
    checkCall(rules, call, facts);
    checkAnswer(rules, answered, facts);
    facts.answered(answered);
    yield;
  }
}
