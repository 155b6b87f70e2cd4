/**
 * The way to a host on our standard output, for lines from several streams at
 * once: each line goes out whole, in the order they were handed over, and who
 * hands them over waits until they are taken.
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

  /** Writes to `sink`; `onGone` is called once when nobody reads any more. */
  constructor(sink: ByteSink, onGone: () => void) {
    this.#sink = sink;
    this.#onGone = onGone;
  }

  /** Settles when what was handed over so far is taken, or nobody is left. */
  get taken(): Promise<void> {
    return this.#writing ?? Promise.resolve();
  }

  /** Hands over one line, without its newline; settles when it is taken, or nobody is left. */
  write(line: Uint8Array): Promise<void> {
    if (this.#isGone) return Promise.resolve();
    this.#waiting.push(line, NEWLINE);
    this.#writing ??= this.#flush();
    return this.#writing;
  }

  /** In an array that is used again, if they fit: what is written is over before the next. */
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
