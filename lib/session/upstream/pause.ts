/**
 * A wait that an abort signal cuts short.
 *
 * @module
 */

import type { Timers } from "../timers.ts";

/** Waits for so many milliseconds, or until the signal is aborted. */
export function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = timers.later(ms, done);
    signal.addEventListener("abort", done);
  });
}
