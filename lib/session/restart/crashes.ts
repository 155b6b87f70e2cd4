/**
 * Counts crashes of a server, and says how long to wait before the next start.
 *
 * @module
 */

/** Crashes within {@linkcode WINDOW_MS} that end the attempts. */
export const MAX_CRASHES = 5;
/** A crash is forgotten after this time. */
const WINDOW_MS = 60_000;
/** Wait before the next start, by the number of crashes within the window. */
const DELAYS_MS: readonly number[] = [50, 200, 800, 3_200];

/** What follows a crash. */
export interface AfterCrash {
  /** Crashes within a minute, this one included. */
  readonly count: number;
  /** Wait before the next start; undefined when there is none. */
  readonly delayMs: number | undefined;
}

/** The crashes of one server. */
export class Crashes {
  #timesMs: readonly number[] = [];

  /** Counts a crash at a time of a clock that never goes back. */
  add(tMs: number): AfterCrash {
    this.#timesMs = [...this.#timesMs.filter((earlier) => tMs - earlier < WINDOW_MS), tMs];
    const count = this.#timesMs.length;
    return { count, delayMs: DELAYS_MS[count - 1] };
  }

  /** Forgets all crashes: the server's files have changed. */
  forget(): void {
    this.#timesMs = [];
  }
}
