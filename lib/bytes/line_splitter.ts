/**
 * Cuts chunks into lines at the byte `\n` only: a lone `\r`, U+2028 or half a
 * character is data. A line that lies in one chunk is not copied.
 *
 * @module
 */

import { HeldBytes } from "./held_bytes.ts";

const NEWLINE = 10;

/** Splits one byte stream into lines. */
export class LineSplitter {
  readonly #held = new HeldBytes();

  /**
   * Takes a chunk.
   *
   * @param chunk The bytes; not kept.
   * @param onLine Called with each completed line, without its newline. A line is valid
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

  /** The unfinished last line of the stream, or undefined. */
  end(): Uint8Array | undefined {
    return this.#held.length === 0 ? undefined : this.#take();
  }

  /** Length of the unfinished line in bytes. */
  get heldBytes(): number {
    return this.#held.length;
  }

  #take(): Uint8Array {
    const line = this.#held.whole();
    this.#held.truncate(0);
    return line;
  }
}
