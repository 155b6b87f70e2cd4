/**
 * Writes a session log so that a slow or full disk costs the log at most, never the session.
 *
 * - While the disk is fast, writes are synchronous: a crash, even SIGKILL, loses no byte that was
 *   handed over.
 * - After one write of more than 50 ms, bytes are copied into a queue and written in the background,
 *   until the queue is empty and the disk has been fast for ten seconds.
 * - A queue over 8 MiB (plus the rest of a line that has begun), a full disk or any other failure
 *   ends the recording with one message. The file then ends with a whole line.
 *
 * A write that the system never finishes cannot be cancelled.
 * No permission is left after start-up, so only write, truncate and close are called on the open
 * file (docs/decisions/0002-recording.md).
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";
import type { LogSink } from "../log/recorder.ts";
import { concat } from "../bytes/concat.ts";

/** The open file, as {@linkcode LogFile} uses it; `Deno.FsFile` is one. */
export interface WritableFile {
  /** Writes some of the bytes synchronously; returns how many. */
  writeSync(bytes: Uint8Array): number;
  /** Writes some of the bytes asynchronously; returns how many. */
  write(bytes: Uint8Array): Promise<number>;
  /** Truncates the file to a length. */
  truncateSync(length: number): void;
  /** Closes the file. */
  close(): void;
}

/** What a {@linkcode LogFile} needs besides its file. */
export interface LogFileOptions {
  /** Bytes in the file already: the header. */
  readonly length: number;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
  /** Called once with the reason when recording ends early. */
  readonly onEnd: (reason: string) => void;
}

const NEWLINE = 10;
const SLOW_MS = 50;
const CALM_MS = 10_000;
const QUEUE_BYTES = 8 * 1_048_576;
const BATCH_BYTES = 1_048_576;

/** Writes log bytes to one file. */
export class LogFile implements LogSink {
  readonly #file: WritableFile;
  readonly #options: LogFileOptions;
  /** Bytes in the file. */
  #written: number;
  /** Bytes up to the end of the last whole line. */
  #wholeLines: number;
  #ended = false;
  /** Bytes not written yet; undefined while writes are synchronous. */
  #queue: Uint8Array[] | undefined;
  #queuedBytes = 0;
  /** Whether the next byte begins a line. */
  #atLineStart = true;
  #calmAt = 0;
  #draining: Promise<void> | undefined;

  /** Takes over an open file that ends with a whole line. */
  constructor(file: WritableFile, options: LogFileOptions) {
    this.#file = file;
    this.#written = this.#wholeLines = options.length;
    this.#options = options;
  }

  /** Writes bytes, or queues a copy when the disk is slow. Never throws. */
  write(bytes: Uint8Array): void {
    if (this.#ended) return;
    if (this.#queue !== undefined) {
      this.#enqueue(this.#queue, bytes);
      return;
    }
    this.#atLineStart = bytes.at(-1) === NEWLINE;
    const start = this.#options.monotonicMs();
    try {
      for (let rest = bytes; rest.length > 0;) {
        rest = this.#wrote(rest, this.#file.writeSync(rest));
      }
    } catch (error) {
      this.#end(reasonOf(error));
      return;
    }
    this.#tookSince(start);
  }

  /**
   * Waits for what is queued and closes the file.
   *
   * @param waitMs The longest to wait for a slow disk, in milliseconds.
   */
  async close(waitMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<void>((done) => {
      timer = setTimeout(done, waitMs);
    });
    await Promise.race([this.#draining, limit]);
    clearTimeout(timer);
    if (this.#queuedBytes > 0) {
      this.#end(`the disk did not take the last ${this.#queuedBytes} bytes in ${waitMs} ms`);
      return; // A write is still under way on the file.
    }
    this.#file.close();
  }

  #wrote(bytes: Uint8Array, count: number): Uint8Array {
    const lineEnd = bytes.subarray(0, count).lastIndexOf(NEWLINE);
    if (lineEnd >= 0) this.#wholeLines = this.#written + lineEnd + 1;
    this.#written += count;
    return bytes.subarray(count);
  }

  #tookSince(start: number): void {
    const now = this.#options.monotonicMs();
    if (now - start <= SLOW_MS) return;
    this.#calmAt = now + CALM_MS;
    this.#queue ??= [];
  }

  #enqueue(queue: Uint8Array[], bytes: Uint8Array): void {
    // A line that has begun is queued whole: one long line does not mean a slow disk.
    if (
      this.#queuedBytes + bytes.length > QUEUE_BYTES && this.#queuedBytes > 0 && this.#atLineStart
    ) {
      const waiting = this.#queuedBytes + bytes.length;
      this.#end(`the disk is too slow, ${waiting} bytes wait for it`);
      return;
    }
    queue.push(bytes.slice());
    this.#queuedBytes += bytes.length;
    this.#atLineStart = bytes.at(-1) === NEWLINE;
    this.#draining ??= this.#drain(queue);
  }

  async #drain(queue: Uint8Array[]): Promise<void> {
    try {
      while (queue.length > 0 && !this.#ended) {
        const start = this.#options.monotonicMs();
        const batch = takeBatch(queue);
        for (let rest = batch; rest.length > 0;) {
          rest = this.#wrote(rest, await this.#file.write(rest));
        }
        this.#queuedBytes -= batch.length;
        this.#tookSince(start);
      }
    } catch (error) {
      this.#end(reasonOf(error));
    }
    this.#draining = undefined;
    if (this.#ended) this.#cutToWholeLines();
    if (this.#options.monotonicMs() >= this.#calmAt) this.#queue = undefined;
  }

  /** Ends the recording, once, with a file of whole lines. */
  #end(why: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#queuedBytes = 0;
    if (this.#draining === undefined) this.#cutToWholeLines();
    this.#options.onEnd(why);
  }

  #cutToWholeLines(): void {
    try {
      this.#file.truncateSync(this.#wholeLines);
    } catch {
      // Readers accept a cut last line.
    }
  }
}

function takeBatch(queue: Uint8Array[]): Uint8Array {
  let bytes = 0;
  let count = 0;
  for (const part of queue) {
    if (count > 0 && bytes + part.length > BATCH_BYTES) break;
    bytes += part.length;
    count++;
  }
  return concat(queue.splice(0, count));
}
