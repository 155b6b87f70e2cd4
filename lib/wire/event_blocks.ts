/**
 * Cuts `text/event-stream` into events and keeps the original bytes of each, so that
 * an unchanged event is forwarded byte for byte: comments, unknown fields and line ends too.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import { EventStreamParser, type StreamEvent } from "./event_stream.ts";

/** One event of a stream, up to and including its blank line. */
export interface EventBlock {
  /** Its bytes, the blank line included. */
  readonly raw: Uint8Array;
  /** The parsed event; undefined for a block without one, such as a comment. */
  readonly event: StreamEvent | undefined;
  /** False for a block that the end of the stream cut. */
  readonly isWhole: boolean;
}

const LF = 10, CR = 13;

/** Turns chunks into blocks. */
export class EventBlocks {
  readonly #parser = new EventStreamParser();
  #held: Uint8Array[] = [];
  #isLineEmpty = true;
  #afterCr = false;

  /**
   * Takes a chunk.
   *
   * @param chunk The bytes; not kept.
   * @returns The blocks it completes. Their bytes, joined, are those of the stream so far.
   */
  push(chunk: Uint8Array): EventBlock[] {
    const blocks: EventBlock[] = [];
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      const isRestOfEnd = byte === LF && this.#afterCr;
      this.#afterCr = byte === CR;
      if (isRestOfEnd) continue;
      if (byte !== LF && byte !== CR) {
        this.#isLineEmpty = false;
        continue;
      }
      if (this.#isLineEmpty) {
        // The second byte of the blank line's own end, where it is here.
        const end = byte === CR && chunk[i + 1] === LF ? i + 2 : i + 1;
        blocks.push(this.#block(chunk.subarray(start, end)));
        start = end;
      }
      this.#isLineEmpty = true;
    }
    if (start < chunk.length) this.#held.push(chunk.slice(start));
    return blocks;
  }

  /** The cut block at the end of the stream, if any. */
  rest(): EventBlock | undefined {
    const raw = concat(this.#held);
    this.#held = [];
    return raw.length === 0 ? undefined : { raw, event: undefined, isWhole: false };
  }

  #block(end: Uint8Array): EventBlock {
    const raw = concat([...this.#held, end]);
    this.#held = [];
    let event: StreamEvent | undefined;
    this.#parser.push(raw, (found) => void (event = found));
    return { raw, event, isWhole: true };
  }
}
