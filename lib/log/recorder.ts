/**
 * Turns the chunks that cross the relay into session log lines.
 *
 * Chunks are cut at the byte `\n` only, and nothing is decoded. A line that is
 * one JSON value enters the log as the bytes that crossed, any other line as
 * text. All lines that a chunk completes leave in one write, so a crash loses
 * at most the lines of one chunk. Times never decrease.
 *
 * The caller keeps the order: it records a chunk in the same turn of the event
 * loop in which it starts to forward it. So no answer to the chunk can be read,
 * or recorded, before it.
 *
 * @module
 */

import { HeldBytes } from "../bytes/held_bytes.ts";
import { JsonCheck } from "../json/json_check.ts";

/** The source of a line: `client` is the host, `context` the conversation file. */
export type Sender = "client" | "server" | "proxy" | "context";

/** Receives log lines. */
export interface LogSink {
  /** Takes whole lines or parts of a long one; must not keep the array. */
  write(bytes: Uint8Array): void;
}

/** Options for {@linkcode Recorder}. */
export interface RecorderOptions {
  /**
   * Longest line in bytes that is recorded whole; a quarter of it for a line
   * that is not JSON, which needs more memory as text. Of a longer line the log
   * keeps the first MiB and the length, so a flood without a newline cannot
   * exhaust memory.
   *
   * @default {67_108_864}
   */
  readonly maxLineBytes?: number;
  /** Called once, for the first line that is longer. */
  readonly onLongLine?: (bytes: number) => void;
}

const NEWLINE = 10;
const OUT_BYTES = 131_072;
const LONG_LINE_KEPT = 1_048_576;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const MESSAGE = encoder.encode('"message":');
const END = encoder.encode("}\n");

/** The unfinished line of one source. */
interface Side {
  readonly head: string;
  readonly held: HeldBytes;
  readonly check: JsonCheck;
  /** Length of the line so far, once it is too long to hold. */
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
   * Records a whole line that is known to be one JSON value; `line` has no newline. It leaves
   * with the next chunk, or the next `flush`.
   *
   * @returns False when nothing was recorded: an earlier line of the source is unfinished, or this
   *   one is too long to record whole. Pass it to `chunk` then.
   */
  jsonLine(from: Sender, line: Uint8Array, tMs: number): boolean {
    const side = this.#sides[from];
    if (side.held.length > 0 || line.length > this.#maxLineBytes) return false;
    this.#put(this.#linePrefix(side, tMs));
    this.#put(MESSAGE);
    this.#put(line);
    this.#put(END);
    return true;
  }

  /** Hands on what was recorded line by line. */
  flush(): void {
    this.#flush();
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

  /** Records the held bytes and those from `start` to `end` as one line. */
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
