/**
 * Answers lookups from the recording itself: what the agent got when it made the
 * same call later, with no write in between.
 *
 * @module
 */

import { callKey } from "../flow/state/call_key.ts";
import type { Episode } from "../trace/episode.ts";
import type { Future } from "./future.ts";
import type { LookupAnswerer } from "./replay_episode.ts";

/**
 * Makes the answerer of one episode.
 *
 * @param _episode The episode.
 * @param future What comes in it.
 * @returns Its recorded answers.
 */
export function recordedAnswers(_episode: Episode, future: Future): LookupAnswerer {
  return { answer: (tool, args, at) => future.answer(callKey(tool, args), at) };
}

/**
 * Answers as the recording does and, where it has none, with an empty result, so that the
 * run goes on as it would behind a server. Learning uses it: a run that ended at its first
 * detour would never show what the next ones cost.
 *
 * @param episode The episode.
 * @param future What comes in it.
 * @returns Recorded answers, else empty ones.
 */
export function assumedAnswers(episode: Episode, future: Future): LookupAnswerer {
  const recorded = recordedAnswers(episode, future);
  return {
    answer: (tool, args, at) => recorded.answer(tool, args, at) ?? { error: false, content: "" },
  };
}
