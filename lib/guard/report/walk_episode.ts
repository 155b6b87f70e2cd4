/**
 * Checks every call of a recorded session with the facts of that moment, as the live guard does.
 *
 * @module
 */

import type { Episode, EpisodeCall } from "../../trace/episode.ts";
import { checkAnswer, checkCall, type Ruling } from "../check.ts";
import type { RuleSet } from "../rules/compile_rules.ts";
import { Facts } from "../facts.ts";

/** A call of the agent, with the verdicts on it. */
export interface CheckedCall {
  readonly call: EpisodeCall;
  readonly rulings: readonly Ruling[];
}

/** A checked session. */
export interface CheckedEpisode {
  readonly episode: Episode;
  /** The agent's calls in the order sent. */
  readonly calls: readonly CheckedCall[];
  /** Faults while facts were added. */
  readonly faults: readonly string[];
}

/**
 * Checks a recorded session.
 *
 * @param rules The rules.
 * @param episode The session.
 * @returns Its calls with their verdicts. A flow's lookups add facts and are not checked.
 */
export function checkEpisode(rules: RuleSet, episode: Episode): CheckedEpisode {
  const facts = new Facts(rules);
  const checked = new Map<EpisodeCall, Ruling[]>();
  for (const event of episode.events) {
    if (event.kind === "user") facts.heard(event.text);
    else if (event.kind === "assistant" && event.calls.length === 0) facts.spoke(event.text ?? "");
    else if (event.kind === "assistant") {
      const turn = { calls: event.calls.length, hasText: event.text !== null };
      // A commit makes its calls one after another; each is checked when it is made.
      for (const call of event.calls) {
        if (call.by === "agent") {
          checked.set(
            call,
            checkCall(rules, { tool: bareName(call.name), arguments: call.arguments, turn }, facts),
          );
        }
      }
      if (event.text !== null) facts.spoke(event.text);
    } else {
      const { call } = event;
      if (call.answer === undefined) continue;
      const answered = { tool: bareName(call.name), arguments: call.arguments, ...call.answer };
      if (call.by === "commit") checked.set(call, checkCall(rules, answered, facts));
      checked.get(call)?.push(...checkAnswer(rules, answered, facts));
      facts.answered(answered);
    }
  }
  return {
    episode,
    calls: [...checked].map(([call, rulings]) => ({ call, rulings })),
    faults: [...facts.faults],
  };
}

/** A tool's name without the `server::` prefix, which merged sessions add and a proxy never sees. */
export function bareName(tool: string): string {
  return tool.slice(tool.lastIndexOf("::") + (tool.includes("::") ? 2 : 1));
}
