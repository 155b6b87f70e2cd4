/**
 * Answers lookups from the recording itself: what the agent got when it made the
 * same call later, with no write in between.
 *
 * @module
 */

import { callKey } from "../flow/state/call_key.ts";
import type { Course } from "../trace/course.ts";
import type { Future } from "./future.ts";
import type { LookupAnswerer } from "./replay_episode.ts";

/**
 * Makes the answerer of one episode.
 *
 * @param _course The episode.
 * @param future What comes in it.
 * @returns Its recorded answers.
 */
export function recordedAnswers(_course: Course, future: Future): LookupAnswerer {
  return { answer: (tool, args, at) => future.answer(callKey(tool, args), at) };
}

/**
 * Answers as the recording does and, where it has none, with an empty result, so that the
 * run goes on as it would behind a server. Learning uses it: a run that ended at its first
 * detour would never show what the next ones cost.
 *
 * @param course The episode.
 * @param future What comes in it.
 * @returns Recorded answers, else empty ones.
 */
export function assumedAnswers(course: Course, future: Future): LookupAnswerer {
  const recorded = recordedAnswers(course, future);
  return {
    answer: (tool, args, at) => recorded.answer(tool, args, at) ?? { error: false, content: "" },
  };
}
