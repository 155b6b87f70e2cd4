/**
 * Checks every call of a recorded session with the facts of that moment, as the live guard does.
 *
 * @module
 */

import type { Episode, EpisodeCall } from "../../trace/episode.ts";
import { checkAnswer, checkCall, type Ruling } from "../check.ts";
import type { RuleSet } from "../rules/compile_rules.ts";
import { walkEpisode } from "./walk_episode.ts";

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
  const checked = new Map<EpisodeCall, Ruling[]>();
  const servers = walkEpisode(rules, episode, {
    onCall: (call, made, facts) => void checked.set(call, checkCall(rules, made, facts)),
    onAnswer: (call, answered, facts) =>
      void checked.get(call)?.push(...checkAnswer(rules, answered, facts)),
  });
  return {
    episode,
    calls: [...checked].map(([call, rulings]) => ({ call, rulings })),
    faults: [...new Set([...servers.values()].flatMap(({ faults }) => [...faults]))],
  };
}
