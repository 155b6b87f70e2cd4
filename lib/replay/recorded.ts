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
 * @returns Its recorded answers. A lookup without one is a detour; replay goes on with an
 *   empty result, as the run would behind a server.
 */
export function recordedAnswers(_episode: Episode, future: Future): LookupAnswerer {
  return { answer: (tool, args, at) => future.answer(callKey(tool, args), at) };
}
