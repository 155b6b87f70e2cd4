/**
 * Holds the bytes of an unfinished line in reusable blocks.
 *
 * A line may be many megabytes and arrive in thousands of pieces. One growing
 * array would copy it again and again; fresh arrays would leave as much garbage
 * per line.
 *
 * @module
 */

import { concat } from "./concat.ts";

const BLOCK_BYTES = 65_536;
/** Blocks kept for the next line; blocks beyond these are released. */
const KEPT_BLOCKS = 128;

/** The bytes of an unfinished line. */
export class HeldBytes {
  readonly #blocks: Uint8Array[] = [];
  #length = 0;

  /** Number of bytes held. */
  get length(): number {
    return this.#length;
  }

  /** Copies `bytes` from `start` to `end` (exclusive) to the end. */
  append(bytes: Uint8Array, start: number, end: number): void {
    for (let from = start; from < end;) {
      const at = this.#length % BLOCK_BYTES;
      const index = (this.#length - at) / BLOCK_BYTES;
      const block = this.#blocks[index] ?? new Uint8Array(BLOCK_BYTES);
      this.#blocks[index] = block;
      const take = Math.min(end - from, BLOCK_BYTES - at);
      block.set(bytes.subarray(from, from + take), at);
      this.#length += take;
      from += take;
    }
  }

  /** The bytes in order, in pieces that stay valid until the next append or truncate. */
  *pieces(): Generator<Uint8Array> {
    for (let at = 0, i = 0; at < this.#length; at += BLOCK_BYTES, i++) {
      const block = this.#blocks[i];
      if (block !== undefined) yield block.subarray(0, Math.min(BLOCK_BYTES, this.#length - at));
    }
  }

  /** The bytes as one new array. */
  whole(): Uint8Array {
    return concat(this.pieces());
  }

  /** Drops all bytes after the first `length`. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
    const used = Math.ceil(this.#length / BLOCK_BYTES);
    if (this.#blocks.length > Math.max(used, KEPT_BLOCKS)) {
      this.#blocks.length = Math.max(used, KEPT_BLOCKS);
    }
  }
}
