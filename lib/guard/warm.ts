/**
 * Warms rules up: the first check in a process is many times slower than the next,
 * and no call should wait for it.
 *
 * @module
 */

import { checkAnswer, checkCall } from "./check.ts";
import type { RuleSet } from "./rules/compile_rules.ts";
import { Facts } from "./facts.ts";

/**
 * Checks one made-up call per tool, one tool a step, so that the caller can do other work between.
 *
 * @param rules The rules; their state does not change.
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
