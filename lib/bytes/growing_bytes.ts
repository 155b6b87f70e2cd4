/**
 * A byte buffer that grows and is read as one array.
 *
 * Its capacity starts at the first piece and doubles, so a value in a million
 * pieces is copied a few times and a value in one piece once.
 *
 * @module
 */

const NOTHING = new Uint8Array();

/** A byte buffer that grows. */
export class GrowingBytes {
  #bytes: Uint8Array = NOTHING;
  #length = 0;

  /** Number of bytes held. */
  get length(): number {
    return this.#length;
  }

  /** Copies a piece to the end. */
  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** The bytes held; valid until the next append. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Drops the bytes and keeps the buffer. */
  clear(): void {
    this.#length = 0;
  }

  /** Returns the bytes, and starts again empty. */
  take(): Uint8Array {
    const whole = this.#bytes.subarray(0, this.#length);
    this.#bytes = NOTHING;
    this.#length = 0;
    return whole;
  }
}
