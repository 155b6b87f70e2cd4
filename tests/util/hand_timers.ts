/**
 * Timers that ring when a test says so, and the turns of promises in between.
 *
 * @module
 */

import type { Timers } from "../../lib/session/timers.ts";

/** Timers without a clock. */
export class HandTimers implements Timers {
  #waiting: { readonly ms: number; readonly ring: () => void }[] = [];

  /** The delays that are waited for, in the order they were asked for. */
  get pending(): number[] {
    return this.#waiting.map(({ ms }) => ms);
  }

  later(ms: number, ring: () => void): () => void {
    const timer = { ms, ring };
    this.#waiting.push(timer);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== timer);
    };
  }

  /** Rings the timer that was asked for first, then lets promises settle; its delay. */
  async ring(): Promise<number | undefined> {
    const timer = this.#waiting.shift();
    timer?.ring();
    await turns();
    return timer?.ms;
  }
}

/** Lets every promise settle that needs nothing from outside. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 200; i++) await undefined;
}
