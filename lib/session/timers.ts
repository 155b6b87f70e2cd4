/**
 * Timers, as the core asks for them. Tests ring them by hand.
 *
 * @module
 */

/** Calls back after a time. */
export interface Timers {
  /** Calls `ring` once after `ms` milliseconds; returns what cancels it. */
  later(ms: number, ring: () => void): () => void;
}
