/**
 * Answers lookups from the recording itself: what the agent got when it made the
 * same call later, with no write in between.
 *
 * @module
 */

import { callKey } from "../flow/call_key.ts";
import type { Course } from "../trace/course.ts";
import type { Future } from "./future.ts";
import type { Answerer } from "./replay_episode.ts";

/**
 * Makes the answerer of one episode.
 *
 * @param _course The episode.
 * @param future What comes in it.
 * @returns Its recorded answers.
 */
export function recordedAnswers(_course: Course, future: Future): Answerer {
  return { answer: (tool, args, at) => future.answer(callKey(tool, args), at) };
}
