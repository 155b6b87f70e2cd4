/**
 * The way to a host on our standard output, for lines from several streams at
 * once: each line goes out whole, in the order they were handed over, and who
 * hands them over waits until they are taken.
 *
 * @module
 */

import { concat } from "../relay/edit_json.ts";
import type { ByteSink } from "./pump.ts";

const NEWLINE = new Uint8Array([10]);

/** Writes lines to one sink. */
export class LineOutput {
  readonly #sink: ByteSink;
  readonly #onGone: () => void;
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

  async #flush(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        await this.#sink.write(concat(batch));
      }
    } catch {
      this.#isGone = true;
      this.#waiting = [];
      this.#onGone();
    }
    this.#writing = undefined;
  }
}
