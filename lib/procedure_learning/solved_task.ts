/**
 * The tasks that a procedure is learned from, each with its ticket and the sessions
 * that solved it.
 *
 * @module
 */

import type { RunInput } from "../procedure/run/run_state.ts";
import type { Episode, EpisodeCall } from "../trace/episode.ts";
import type { Manifest } from "../trace/manifest.ts";

/** A task and the sessions that solved it. */
export interface SolvedTask {
  readonly id: string;
  readonly given: RunInput;
  readonly episodes: readonly Episode[];
}

/**
 * The calls of a session that a procedure could make, in order: reads, and successful writes.
 * Calls of a tool that is neither, such as a calculator or a hand-off, are left out.
 */
export function learnableCalls(episode: Episode, manifest: Manifest): EpisodeCall[] {
  return episode.calls.filter(({ name: tool, answer }) => {
    const kind = manifest.tools[tool];
    return answer !== undefined && (kind === "read" || (kind === "write" && !answer.error));
  });
}

/** Whether a session ended by transferring the customer: its last call was a generic hand-off tool. */
export function wasHandedOn(episode: Episode, manifest: Manifest): boolean {
  const last = episode.calls.at(-1);
  return last !== undefined && manifest.tools[last.name] === "generic" &&
    /transfer|hand|escalat/i.test(last.name);
}
