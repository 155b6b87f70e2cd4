/**
 * What a procedure is learned from: tasks, each with its ticket and the sessions
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
 * The calls of a session that a procedure could make, in order: reads, and writes that were
 * accepted. Of a tool that is neither (a calculator, a hand-off) nothing is learned.
 */
export function learnableCalls(episode: Episode, manifest: Manifest): EpisodeCall[] {
  return episode.calls.filter(({ name: tool, answer }) => {
    const kind = manifest.tools[tool];
    return answer !== undefined && (kind === "read" || (kind === "write" && !answer.error));
  });
}

/** Whether a session ended by handing the customer on: a generic tool was its last call. */
export function wasHandedOn(episode: Episode, manifest: Manifest): boolean {
  const last = episode.calls.at(-1);
  return last !== undefined && manifest.tools[last.name] === "generic" &&
    /transfer|hand|escalat/i.test(last.name);
}
