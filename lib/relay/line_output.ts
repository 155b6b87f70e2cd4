/**
 * Writes lines from several streams to one sink, our stdout: each line whole, in
 * the order of the calls, with back-pressure to the callers.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import type { ByteSink } from "./pump.ts";

const BUFFER_BYTES = 65_536;
const NEWLINE = new Uint8Array([10]);

/** Writes lines to one sink. */
export class LineOutput {
  readonly #sink: ByteSink;
  readonly #onGone: () => void;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #waiting: Uint8Array[] = [];
  #writing: Promise<void> | undefined;
  #isGone = false;

  /** Writes to `sink`; calls `onGone` once when its reader is gone. */
  constructor(sink: ByteSink, onGone: () => void) {
    this.#sink = sink;
    this.#onGone = onGone;
  }

  /** Settles when all lines so far are taken, or the reader is gone. */
  get taken(): Promise<void> {
    return this.#writing ?? Promise.resolve();
  }

  /** Writes one line, given without its newline; settles when it is taken, or the reader is gone. */
  write(line: Uint8Array): Promise<void> {
    if (this.#isGone) return Promise.resolve();
    this.#waiting.push(line, NEWLINE);
    this.#writing ??= this.#flush();
    return this.#writing;
  }

  /** Joins a batch in a reused array if it fits; each write ends before the next begins. */
  #joined(batch: readonly Uint8Array[]): Uint8Array {
    const bytes = batch.reduce((sum, part) => sum + part.length, 0);
    if (bytes > this.#buffer.length) return concat(batch);
    let at = 0;
    for (const part of batch) {
      this.#buffer.set(part, at);
      at += part.length;
    }
    return this.#buffer.subarray(0, bytes);
  }

  async #flush(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        await this.#sink.write(this.#joined(batch));
      }
    } catch {
      this.#isGone = true;
      this.#waiting = [];
      this.#onGone();
    }
    this.#writing = undefined;
  }
}
