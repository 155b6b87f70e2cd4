/**
 * One clock for all replies: turns slow ones into event streams, and keeps quiet
 * streams open. It stops while there is no reply to watch.
 *
 * @module
 */

import type { Timers } from "../timers.ts";
import type { HostReply } from "./host_reply.ts";

const TICK_MS = 25;
/** An answer that takes longer than two or three ticks is waited for on an event stream. */
const BEGIN_TICKS = 3;
/** Proxies and routers drop connections that are quiet for a minute, some for half of one. */
const KEEP_ALIVE_TICKS = 15_000 / TICK_MS;

/** Watches replies. */
export class Pulse {
  readonly #timers: Timers;
  readonly #born = new Map<HostReply, number>();
  #tick = 0;
  #cancel: (() => void) | undefined;

  /** Starts with no reply. */
  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Watches a reply until it is over. */
  watch(reply: HostReply): void {
    this.#born.set(reply, this.#tick);
    this.#cancel ??= this.#timers.later(TICK_MS, () => this.#beat());
  }

  /** Stops the clock. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#born.clear();
  }

  #beat(): void {
    this.#tick++;
    for (const [reply, born] of this.#born) {
      const age = this.#tick - born;
      if (reply.isOver) this.#born.delete(reply);
      else if (reply.phase === "open" && age >= BEGIN_TICKS) reply.begin();
      else if (age % KEEP_ALIVE_TICKS === 0) reply.keepAlive();
    }
    if (this.#born.size === 0) return this.stop();
    this.#cancel = this.#timers.later(TICK_MS, () => this.#beat());
  }
}
