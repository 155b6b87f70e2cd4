/**
 * Progress of long work: one line on a terminal that is written over, and nothing
 * anywhere else.
 *
 * @module
 */

import type { Host } from "../host/host.ts";

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
 * @param host Whose stderr it is shown on, when that is a terminal.
 * @returns The line.
 */
export function progressOn(host: Host): Progress {
  const { write } = host.terminal ?? {};
  if (write === undefined) return { show: () => {}, clear: () => {} };
  let lastMs = -Infinity;
  return {
    show: (text) => {
      const now = host.monotonicMs();
      if (now - lastMs < 100) return;
      lastMs = now;
      write(`\r\x1b[2K${text}`);
    },
    clear: () => write("\r\x1b[2K"),
  };
}
