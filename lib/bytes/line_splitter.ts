/**
 * Cuts chunks into whole lines at the byte `\n`, and at nothing else: a lone
 * `\r`, U+2028 or a cut character is data. A line that one chunk holds whole is
 * not copied.
 *
 * @module
 */

import { HeldBytes } from "./held_bytes.ts";

const NEWLINE = 10;

/** One direction of a stream of lines. */
export class LineSplitter {
  readonly #held = new HeldBytes();

  /**
   * Takes a chunk.
   *
   * @param chunk The bytes; not kept.
   * @param onLine Given each line that the chunk completes, without its newline. A line is valid
   *   as long as the chunk is.
   */
  push(chunk: Uint8Array, onLine: (line: Uint8Array) => void): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      if (this.#held.length === 0) {
        onLine(chunk.subarray(start, end));
      } else {
        this.#held.append(chunk, start, end);
        onLine(this.#take());
      }
      start = end + 1;
    }
    this.#held.append(chunk, start, chunk.length);
  }

  /** The line that had begun when the stream ended, or undefined. */
  end(): Uint8Array | undefined {
    return this.#held.length === 0 ? undefined : this.#take();
  }

  /** Bytes of the line that has begun. */
  get heldBytes(): number {
    return this.#held.length;
  }

  #take(): Uint8Array {
    const line = this.#held.whole();
    this.#held.truncate(0);
    return line;
  }
}
