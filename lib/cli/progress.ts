/**
 * Shows progress of long work: one line on a terminal, overwritten; nothing elsewhere.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import type { EpisodeSource } from "../learn/episode_source.ts";

/** Clears a terminal's line. */
export const CLEAR_LINE = "\r\x1b[2K";

/** A progress line. */
export interface Progress {
  /** Shows a text in place of the last one. */
  show(text: string): void;
  /** Clears the line. */
  clear(): void;
}

/**
 * Makes the progress line of a command.
 *
 * @param runtime Stderr, shown only when it is a terminal.
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
 * Wraps a source so that it shows how many sessions were read.
 *
 * @param source The sessions.
 * @param progress The progress line.
 * @param verb The work: `auditing`.
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
