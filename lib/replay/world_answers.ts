/**
 * Answers lookups from the benchmark's world instead of the recording.
 *
 * @module
 */

import type { ReadResult } from "../flow/session_state.ts";
import { World, type WorldData } from "../tau2/world.ts";
import type { Course } from "../trace/course.ts";
import type { Answerer } from "./replay_episode.ts";

/**
 * Makes answerers over one database.
 *
 * @param data The domain's database.
 * @param read How results are read.
 * @returns Makes the answerer of an episode.
 */
export function worldAnswers(data: WorldData, read: ReadResult): (course: Course) => Answerer {
  return () => {
    const world = new World(data);
    return {
      answer: (tool, args) => world.answer(tool, args),
      wrote: (call) =>
        world.wrote(call.answer === undefined ? undefined : read(call.answer.content).value),
    };
  };
}
