/**
 * Stand-in for `jsr:@std/testing/time`, for machines that cannot reach JSR: the timers of
 * `FakeTime`, whose clock moves only when a test says so.
 *
 * @module
 */

interface Waiting {
  readonly due: number;
  readonly ring: () => void;
}

const REAL = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

/** Replaces `setTimeout` and `clearTimeout` until it is disposed of. */
export class FakeTime {
  readonly #waiting = new Map<number, Waiting>();
  #now = 0;
  #lastId = 0;

  constructor() {
    Object.assign(globalThis, {
      setTimeout: (ring: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
        const due = this.#now + Math.max(0, ms);
        this.#waiting.set(++this.#lastId, { due, ring: () => ring(...args) });
        return this.#lastId;
      },
      clearTimeout: (id: number) => this.#waiting.delete(id),
    });
  }

  /** Moves the clock on, and runs the timers that come due, the earliest first. */
  tick(ms = 0): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#waiting].filter(([, { due }]) => due <= end)
        .sort(([, a], [, b]) => a.due - b.due);
      if (next === undefined) break;
      const [id, { due, ring }] = next;
      this.#now = due;
      this.#waiting.delete(id);
      ring();
    }
    this.#now = end;
  }

  /** Puts the real timers back. */
  [Symbol.dispose](): void {
    Object.assign(globalThis, REAL);
  }
}
