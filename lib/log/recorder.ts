/**
 * Makes session-log lines out of the chunks that cross the relay.
 *
 * A chunk is cut at the byte `\n` only, and nothing is decoded. A line that is
 * one JSON value goes into the log as the bytes that crossed, any other as
 * text. All lines that a chunk completes leave in one write, so that a crash
 * loses at most the lines of one chunk. Times never decrease.
 *
 * The caller keeps the order: it hands a chunk over in the same turn of the
 * event loop in which it starts to forward it, so that no line that answers
 * the chunk can be read, or recorded, before it.
 *
 * @module
 */

import { HeldBytes } from "../bytes/held_bytes.ts";
import { JsonCheck } from "../json/json_check.ts";

/** Who sent a line: the host is `client` in the log's words, `proxy` is ourselves, `context` the conversation. */
export type Sender = "client" | "server" | "proxy" | "context";

/** Where log lines go. */
export interface LogSink {
  /** Takes bytes, whole lines or parts of a long one; does not keep the array. */
  write(bytes: Uint8Array): void;
}

/** Options for {@linkcode Recorder}. */
export interface RecorderOptions {
  /**
   * Longest line that is recorded whole, in bytes; a quarter of it for a line
   * that is not JSON, which takes more memory to turn into text. A longer line
   * is recorded as the text of its first MiB, with its length, so that a flood
   * without a newline cannot take all memory.
   *
   * @default {67_108_864}
   */
  readonly maxLineBytes?: number;
  /** Told once when a line was longer than that. */
  readonly onLongLine?: (bytes: number) => void;
}

const NEWLINE = 10;
const OUT_BYTES = 131_072;
const LONG_LINE_KEPT = 1_048_576;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const MESSAGE = encoder.encode('"message":');
const END = encoder.encode("}\n");

/** One direction: the line that has begun and not ended. */
interface Side {
  readonly head: string;
  readonly held: HeldBytes;
  readonly check: JsonCheck;
  /** Length of the line so far when it is longer than what is held. */
  tooLong: number;
}

/** Turns chunks into log lines. */
export class Recorder {
  readonly #sink: LogSink;
  readonly #maxLineBytes: number;
  readonly #onLongLine: ((bytes: number) => void) | undefined;
  readonly #out = new Uint8Array(OUT_BYTES);
  #used = 0;
  #tMs = 0;
  #prefix: Uint8Array = new Uint8Array();
  #prefixKey = "";
  #toldLongLine = false;
  readonly #sides: Readonly<Record<Sender, Side>> = {
    client: side("client"),
    server: side("server"),
    proxy: side("proxy"),
    context: side("context"),
  };

  /** Makes a recorder that writes to `sink`. */
  constructor(sink: LogSink, options: RecorderOptions = {}) {
    this.#sink = sink;
    this.#maxLineBytes = options.maxLineBytes ?? 67_108_864;
    this.#onLongLine = options.onLongLine;
  }

  /**
   * Records the lines that a chunk completes and holds the rest.
   *
   * @param from Who sent it.
   * @param chunk The bytes; not kept and not changed.
   * @param tMs When it was read, milliseconds since the session's start.
   */
  chunk(from: Sender, chunk: Uint8Array, tMs: number): void {
    const side = this.#sides[from];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#line(side, chunk, start, end, tMs);
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(side, chunk, start);
    this.#flush();
  }

  /**
   * Records a whole line, without its newline, that is known to be one JSON value.
   *
   * @returns False, and nothing is recorded, when a line of the sender has begun or the line is
   *   too long to be recorded whole: hand it over as a chunk.
   */
  jsonLine(from: Sender, line: Uint8Array, tMs: number): boolean {
    const side = this.#sides[from];
    if (side.held.length > 0 || line.length > this.#maxLineBytes) return false;
    this.#put(this.#linePrefix(side, tMs));
    this.#put(MESSAGE);
    this.#put(line);
    this.#put(END);
    this.#flush();
    return true;
  }

  /** Records the line that `from` had begun when its stream ended, if there is one. */
  end(from: Sender, tMs: number): void {
    const side = this.#sides[from];
    if (side.held.length === 0) return;
    this.#line(side, new Uint8Array(), 0, 0, tMs);
    this.#flush();
  }

  #hold(side: Side, chunk: Uint8Array, start: number): void {
    const bytes = chunk.length - start;
    if (side.tooLong > 0) {
      side.tooLong += bytes;
    } else if (side.held.length + bytes > this.#maxLineBytes) {
      side.held.append(chunk, start, chunk.length);
      side.tooLong = side.held.length;
      side.held.truncate(LONG_LINE_KEPT);
    } else {
      side.check.push(chunk, start, chunk.length);
      side.held.append(chunk, start, chunk.length);
    }
  }

  /** Records what `side` holds and the bytes from `start` to `end` as one line. */
  #line(side: Side, chunk: Uint8Array, start: number, end: number, tMs: number): void {
    this.#put(this.#linePrefix(side, tMs));
    if (side.tooLong > 0) {
      this.#longLine(side, side.tooLong + end - start);
    } else {
      side.check.push(chunk, start, end);
      if (side.check.end()) {
        this.#put(MESSAGE);
        for (const piece of side.held.pieces()) this.#put(piece);
        this.#put(chunk.subarray(start, end));
      } else {
        side.held.append(chunk, start, end);
        const bytes = side.held.length;
        if (bytes > this.#maxLineBytes / 4) this.#longLine(side, bytes);
        else this.#put(encoder.encode(`"raw":${JSON.stringify(text(side.held))}`));
      }
    }
    this.#put(END);
    side.held.truncate(0);
  }

  #longLine(side: Side, bytes: number): void {
    side.check.end();
    side.tooLong = 0;
    side.held.truncate(LONG_LINE_KEPT);
    this.#put(encoder.encode(`"raw":${JSON.stringify(text(side.held))},"line_bytes":${bytes}`));
    if (!this.#toldLongLine) this.#onLongLine?.(bytes);
    this.#toldLongLine = true;
  }

  #linePrefix(side: Side, tMs: number): Uint8Array {
    this.#tMs = Math.max(this.#tMs, Math.floor(tMs));
    const key = `{"t_ms":${this.#tMs},${side.head}`;
    if (key !== this.#prefixKey) {
      this.#prefixKey = key;
      this.#prefix = encoder.encode(key);
    }
    return this.#prefix;
  }

  #put(bytes: Uint8Array): void {
    if (this.#used + bytes.length > OUT_BYTES) this.#flush();
    if (bytes.length > OUT_BYTES) {
      this.#sink.write(bytes);
    } else {
      this.#out.set(bytes, this.#used);
      this.#used += bytes.length;
    }
  }

  #flush(): void {
    if (this.#used > 0) this.#sink.write(this.#out.subarray(0, this.#used));
    this.#used = 0;
  }
}

function side(from: Sender): Side {
  return { head: `"from":"${from}",`, held: new HeldBytes(), check: new JsonCheck(), tooLong: 0 };
}

/** The held bytes as text; what is not UTF-8 becomes U+FFFD. */
function text(held: HeldBytes): string {
  return decoder.decode(held.whole());
}
