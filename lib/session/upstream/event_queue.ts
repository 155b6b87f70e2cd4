/**
 * Events between the one who reads a stream and the one they are for.
 *
 * @module
 */

import type { StreamEvent } from "../../wire/event_stream.ts";

/** How many bytes may wait for a reader before who fills the queue must wait too. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A queue of events, read by one at a time. */
export class EventQueue {
  readonly #events: StreamEvent[] = [];
  #bytes = 0;
  #isOver = false;
  #isPaused = false;
  #isRead = false;
  #filled = Promise.withResolvers<void>();
  #taken = Promise.withResolvers<void>();

  /**
   * Adds an event. Settles when its reader is done with it, so that the events of several queues
   * keep their order; without a reader, when there is room for another.
   */
  async push(event: StreamEvent): Promise<void> {
    this.#events.push(event);
    this.#bytes += event.data.length;
    this.#filled.resolve();
    while ((this.#isRead ? this.#bytes > 0 : this.#bytes > MAX_BYTES) && !this.#isOver) {
      this.#taken = Promise.withResolvers<void>();
      await this.#taken.promise;
    }
  }

  /** No event comes any more: who reads gets what is left, and then an error. */
  end(): void {
    this.#isOver = true;
    this.#filled.resolve();
    this.#taken.resolve();
  }

  /** Who reads stops; another may read on. */
  pause(): void {
    this.#isPaused = true;
    this.#filled.resolve();
  }

  /** Reads while more is waited for; throws when the queue ended before that. */
  async *read(isWaiting: () => boolean): AsyncGenerator<StreamEvent, void, void> {
    this.#isPaused = false;
    this.#isRead = true;
    try {
      for (;;) {
        for (let event = this.#events[0]; event !== undefined && !this.#isPaused;) {
          this.#events.shift();
          yield event;
          this.#bytes -= event.data.length;
          this.#taken.resolve();
          event = this.#events[0];
        }
        if (this.#isPaused || !isWaiting()) return;
        if (this.#isOver) throw new Error("the event stream ended");
        this.#filled = Promise.withResolvers<void>();
        await this.#filled.promise;
      }
    } finally {
      this.#isRead = false;
      this.#bytes = this.#events.reduce((sum, { data }) => sum + data.length, 0);
      this.#taken.resolve();
    }
  }
}
