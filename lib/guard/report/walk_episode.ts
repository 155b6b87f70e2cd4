/**
 * Checks every call of a recorded session with the facts of that moment, as the live guard does.
 *
 * @module
 */

import type { CallResult } from "../../trace/call_result.ts";
import type { Episode, EpisodeCall, EpisodeEvent } from "../../trace/episode.ts";
import { checkAnswer, checkCall, type Ruling } from "../check.ts";
import type { RuleSet } from "../rules/compile_rules.ts";
import { type AnsweredCall, Facts } from "../facts.ts";

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
    if (event.kind === "assistant") {
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
    } else if (event.kind === "tool_result" && event.call.answer !== undefined) {
      const answered = answeredCall(event.call, event.call.answer);
      if (event.call.by === "commit") checked.set(event.call, checkCall(rules, answered, facts));
      checked.get(event.call)?.push(...checkAnswer(rules, answered, facts));
    }
    addFacts(facts, event);
  }
  return {
    episode,
    calls: [...checked].map(([call, rulings]) => ({ call, rulings })),
    faults: [...facts.faults],
  };
}

/**
 * Collects the facts of a session.
 *
 * @param rules The rules whose tables are filled.
 * @param episode The session.
 * @returns The facts after its last event.
 */
export function factsAfter(rules: RuleSet, episode: Episode): Facts {
  const facts = new Facts(rules);
  for (const event of episode.events) addFacts(facts, event);
  return facts;
}

function addFacts(facts: Facts, event: EpisodeEvent): void {
  if (event.kind === "user") facts.heard(event.text);
  else if (event.kind === "assistant") {
    if (event.calls.length === 0 || event.text !== null) facts.spoke(event.text ?? "");
  } else if (event.call.answer !== undefined) {
    facts.answered(answeredCall(event.call, event.call.answer));
  }
}

function answeredCall(call: EpisodeCall, answer: CallResult): AnsweredCall {
  return { tool: bareName(call.name), arguments: call.arguments, ...answer };
}

/** A tool's name without the `server::` prefix, which merged sessions add and a proxy never sees. */
export function bareName(tool: string): string {
  return tool.slice(tool.lastIndexOf("::") + (tool.includes("::") ? 2 : 1));
}
