/**
 * One clock for all replies: turns those that wait into event streams, and keeps
 * quiet streams open. It stands still while there is nothing to look after.
 *
 * @module
 */

import type { Reply } from "./reply.ts";

const TICK_MS = 25;
/** An answer that is not there after two or three ticks is waited for on an event stream. */
const BEGIN_TICKS = 3;
/** Proxies and routers drop connections that are quiet for a minute, some for half of one. */
const KEEP_ALIVE_TICKS = 15_000 / TICK_MS;

/** Looks after replies. */
export class Pulse {
  readonly #born = new Map<Reply, number>();
  #tick = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Looks after a reply until it is over. */
  watch(reply: Reply): void {
    this.#born.set(reply, this.#tick);
    this.#timer ??= setInterval(() => this.#beat(), TICK_MS);
  }

  /** Stops the clock. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#born.clear();
  }

  #beat(): void {
    this.#tick++;
    for (const [reply, born] of this.#born) {
      const age = this.#tick - born;
      if (reply.isOver) this.#born.delete(reply);
      else if (!reply.isStreaming && age >= BEGIN_TICKS) reply.begin();
      else if (age % KEEP_ALIVE_TICKS === 0) reply.keepAlive();
    }
    if (this.#born.size === 0) this.stop();
  }
}
