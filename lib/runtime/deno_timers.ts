/**
 * The runtime's timers behind the core's port.
 *
 * @module
 */

import type { Timers } from "../session/timers.ts";

/** Timers of the event loop. */
export const denoTimers: Timers = {
  later(ms, ring) {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
};
