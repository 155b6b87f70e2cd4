/**
 * Progress of long work: one line on a terminal that is written over, and nothing
 * anywhere else.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import type { EpisodeSource } from "../learn/episode_source.ts";

/** Takes a terminal's line away. */
export const CLEAR_LINE = "\r\x1b[2K";

/** Shows how far work is. */
export interface Progress {
  /** Replaces what is shown. */
  show(text: string): void;
  /** Takes it away. */
  clear(): void;
}

/**
 * Makes the progress line of a command.
 *
 * @param runtime Whose stderr it is shown on, when that is a terminal.
 * @returns The line.
 */
export function progressOn(runtime: Runtime): Progress {
  const { write } = runtime.terminal ?? {};
  if (write === undefined) return { show: () => {}, clear: () => {} };
  let lastMs = -Infinity;
  return {
    show: (text) => {
      const now = runtime.monotonicMs();
      if (now - lastMs < 100) return;
      lastMs = now;
      write(CLEAR_LINE + text);
    },
    clear: () => write(CLEAR_LINE),
  };
}

/**
 * A source that shows how many of its sessions were walked.
 *
 * @param source The sessions.
 * @param progress Where it is shown.
 * @param verb What is done to each: `auditing`.
 * @returns The same sessions.
 */
export function shownOn(source: EpisodeSource, progress: Progress, verb: string): EpisodeSource {
  return {
    async *each() {
      let n = 0;
      for await (const episode of source.each()) {
        progress.show(`${verb} session ${++n}`);
        yield episode;
      }
      progress.clear();
    },
  };
}
