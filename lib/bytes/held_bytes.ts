/**
 * Bytes of a line that has not ended yet, kept in blocks that are used again.
 *
 * A line may be many megabytes and arrive in thousands of pieces; growing one
 * array would copy it over and over, and fresh arrays would leave that much
 * garbage a line.
 *
 * @module
 */

import { concat } from "./concat.ts";

const BLOCK_BYTES = 65_536;
/** Blocks kept for the next line; what a longer line needed is given back. */
const KEPT_BLOCKS = 128;

/** A growing run of bytes. */
export class HeldBytes {
  readonly #blocks: Uint8Array[] = [];
  #length = 0;

  /** Number of bytes held. */
  get length(): number {
    return this.#length;
  }

  /** Copies `bytes` from `start` to `end` (exclusive) to the end of the run. */
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

  /** The run in order, in pieces that are valid until the next append or clear. */
  *pieces(): Generator<Uint8Array> {
    for (let at = 0, i = 0; at < this.#length; at += BLOCK_BYTES, i++) {
      const block = this.#blocks[i];
      if (block !== undefined) yield block.subarray(0, Math.min(BLOCK_BYTES, this.#length - at));
    }
  }

  /** The run in one array of its own. */
  whole(): Uint8Array {
    return concat(this.pieces());
  }

  /** Forgets all bytes after the first `length`. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
    const used = Math.ceil(this.#length / BLOCK_BYTES);
    if (this.#blocks.length > Math.max(used, KEPT_BLOCKS)) {
      this.#blocks.length = Math.max(used, KEPT_BLOCKS);
    }
  }
}
