/**
 * Lines that wait for their reader.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import type { ByteSource } from "../relay/pump.ts";

const NEWLINE = new Uint8Array([10]);

/** A queue of lines, read as bytes. */
export class LineQueue implements ByteSource {
  readonly #roomBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #isEnded = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  /** Makes an empty queue; `roomBytes` may wait before {@linkcode LineQueue.room} does. */
  constructor(roomBytes: number) {
    this.#roomBytes = roomBytes;
  }

  /** Adds a line, given without its newline. */
  put(line: Uint8Array): void {
    this.#add(line);
    this.#add(NEWLINE);
  }

  /** Adds bytes that are not a whole line. */
  putBare(bytes: Uint8Array): void {
    this.#add(bytes);
  }

  /** Nothing follows. */
  end(): void {
    this.#isEnded = true;
    this.#wakeReader?.();
    this.#wakeWriter?.();
  }

  /** Settles when there is room for more. */
  async room(): Promise<void> {
    while (this.#bytes > this.#roomBytes && !this.#isEnded) {
      await new Promise<void>((resolve) => this.#wakeWriter = resolve);
    }
  }

  async read(): Promise<Uint8Array | null> {
    while (this.#parts.length === 0) {
      if (this.#isEnded) return null;
      await new Promise<void>((resolve) => this.#wakeReader = resolve);
    }
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    this.#wakeWriter?.();
    return concat(parts);
  }

  #add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    this.#wakeReader?.();
  }
}
