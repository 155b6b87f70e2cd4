/**
 * Reads a session log: bytes in, header and lines out.
 *
 * {@linkcode LogReader} hands each line on and keeps none, so a log of any length
 * needs the memory of its longest line. Lines are split at the byte `\n` only. A
 * last line that a crash cut is skipped and reported. Any other unreadable line is
 * a {@linkcode LogSyntaxError}, thrown at the end with the readable part.
 *
 * @module
 */

import { GrowingBytes } from "../bytes/growing_bytes.ts";
import type { LogHeader, LogLine, LogProblem, SessionLog } from "./log.ts";
import { LogSyntaxError } from "./log_syntax_error.ts";
import { type ParsedLine, parseHeader, parseLine } from "./parse_line.ts";
import { printable } from "../text/printable.ts";

/** Options for {@linkcode parseLog}. */
export interface ParseLogOptions {
  /** The file of the text, for error messages. */
  path?: string;
}

/** Options for {@linkcode LogReader}. */
export interface LogReaderOptions extends ParseLogOptions {
  /**
   * Longer lines after the header are not kept: `onLong` gets their start instead.
   *
   * @default {Infinity}
   */
  maxLineBytes?: number;
  /** Called with the number and the first bytes of a line that is too long. */
  onLong?(line: number, start: string): void;
}

/** Bytes of a line that is too long that are handed out. */
const LONG_START = 200;

/** A log that was read to its end, without its lines. */
export type LogHead = Omit<SessionLog, "lines">;

/** Where a line lies in its file, in bytes. */
export interface LinePlace {
  /** Its first byte. */
  readonly at: number;
  /** Its length without the newline. */
  readonly length: number;
}

const NEWLINE = 10;

/** Unreadable lines that are reported one by one; a file that is not a log may have millions. */
const MAX_PROBLEMS = 100;

/** Reads one log, given in chunks. */
export class LogReader {
  readonly #path: string | undefined;
  readonly #onLine: (line: LogLine) => void;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #problems: LogProblem[] = [];
  #header: LogHeader | undefined;
  /** The unfinished line; its buffer is reused. */
  readonly #held = new GrowingBytes();
  /** Bytes of the unfinished line that were dropped because it is too long, and its start. */
  #dropped = 0;
  #droppedStart = "";
  readonly #maxLineBytes: number;
  readonly #onLong: ((line: number, start: string) => void) | undefined;
  #count = 0;
  #isForeign = false;
  /** Bytes of the lines before this one, and of this one without its newline. */
  #start = 0;
  #length = 0;

  /**
   * Makes a reader for one log.
   *
   * @param onLine Called with each readable line after the header.
   * @param options The log's file, and what is too long to be kept.
   */
  constructor(onLine: (line: LogLine) => void, options: LogReaderOptions = {}) {
    this.#onLine = onLine;
    this.#path = options.path;
    this.#maxLineBytes = options.maxLineBytes ?? Infinity;
    this.#onLong = options.onLong?.bind(options);
  }

  /** The header; undefined before it was read, and when it is unreadable. */
  get header(): LogHeader | undefined {
    return this.#header;
  }

  /** Where the line that was given last lies in the file. */
  get place(): LinePlace {
    return { at: this.#start, length: this.#length };
  }

  /** The unreadable lines so far. */
  get problems(): readonly LogProblem[] {
    return this.#problems;
  }

  /**
   * Takes the next bytes of the log. They may be reused once this returns.
   *
   * @param chunk Bytes, cut anywhere.
   */
  push(chunk: Uint8Array): void {
    let from = 0;
    let at = chunk.indexOf(NEWLINE);
    for (; at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, at);
      if (this.#isTooLong(end)) this.#endLong(end.length);
      else if (this.#held.length === 0) this.#takeLine(end, true);
      else {
        this.#held.append(end);
        this.#takeLine(this.#held.view(), true);
        this.#held.clear();
      }
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    if (this.#isTooLong(rest)) this.#dropped += rest.length;
    else if (rest.length > 0) this.#held.append(rest);
  }

  /** Whether the unfinished line is too long with a piece more; then what is held of it is dropped. */
  #isTooLong(piece: Uint8Array): boolean {
    if (this.#dropped > 0) return true;
    const { length } = this.#held;
    if (this.#count === 0 || length + piece.length <= this.#maxLineBytes) return false;
    const start = [...this.#held.take().subarray(0, LONG_START), ...piece.subarray(0, LONG_START)];
    this.#droppedStart = new TextDecoder().decode(new Uint8Array(start));
    this.#dropped = length;
    return true;
  }

  #endLong(rest: number): void {
    this.#start += this.#length + 1;
    this.#length = this.#dropped + rest;
    this.#dropped = 0;
    this.#count++;
    if (!this.#isForeign) this.#onLong?.(this.#count, this.#droppedStart);
  }

  /**
   * Ends the log.
   *
   * @returns The header, and the cut last line if there is one.
   * @throws {LogSyntaxError} When any line but a cut last one is unreadable. Its `log` has no lines.
   */
  end(): LogHead {
    if (this.#held.length > 0) this.#takeLine(this.#held.view(), false);
    this.#held.clear();
    const header = this.#header;
    const log = { header, lines: [], problems: this.#problems };
    const name = this.#path === undefined ? "the session log" : `"${printable(this.#path)}"`;
    if (this.#count === 0) {
      const fault = { line: 1, path: this.#path, log };
      throw new LogSyntaxError(`Cannot read ${name}: line 1 is missing, the file is empty`, fault);
    }
    const broken = this.#problems.filter((problem) => problem.kind === "broken");
    const first = broken[0];
    if (header !== undefined && first === undefined) return { header, problems: this.#problems };
    const { line, message } = first ?? this.#problems[0] ?? { line: 1, message: "is no header" };
    const more = broken.length > 1 ? ` (and ${broken.length - 1} more such lines)` : "";
    throw new LogSyntaxError(`Cannot read ${name}: line ${line} ${message}${more}`, {
      line,
      path: this.#path,
      log,
    });
  }

  #takeLine(bytes: Uint8Array, isWhole: boolean): void {
    if (this.#count > 0) this.#start += this.#length + 1;
    this.#length = bytes.length;
    this.#count++;
    if (this.#isForeign) return;
    if (this.#count === 1) this.#header = this.#accept(bytes, isWhole, parseHeader);
    else {
      const line = this.#accept(bytes, isWhole, (text) => parseLine(text, this.#count));
      if (line !== undefined) this.#onLine(line);
    }
  }

  #accept<T>(
    bytes: Uint8Array,
    isWhole: boolean,
    parse: (text: string) => ParsedLine<T>,
  ): T | undefined {
    const text = this.#decode(bytes);
    const parsed = parse(text ?? new TextDecoder().decode(bytes));
    if (parsed.kind === "read" && text !== undefined) return parsed.value;
    if (parsed.kind === "version") this.#isForeign = true;
    // A crash leaves a faulty last line without a newline; another version is never a crash.
    const kind = isWhole || parsed.kind === "version" ? "broken" : "cut";
    if (this.#problems.length < MAX_PROBLEMS) {
      this.#problems.push({ kind, line: this.#count, message: describe(parsed, kind) });
    }
    return undefined;
  }

  #decode(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }
}

/** Reads one log, given in chunks, into memory. */
export class LogParser {
  readonly #lines: LogLine[] = [];
  readonly #reader: LogReader;

  /**
   * Makes a parser for one log.
   *
   * @param options The log's file.
   */
  constructor(options: ParseLogOptions = {}) {
    this.#reader = new LogReader((line) => this.#lines.push(line), options);
  }

  /** Takes the next bytes of the log; see {@linkcode LogReader.push}. */
  push(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  /**
   * Ends the log.
   *
   * @returns The log.
   * @throws {LogSyntaxError} When any line but a cut last one is unreadable.
   */
  end(): SessionLog {
    try {
      return { ...this.#reader.end(), lines: this.#lines };
    } catch (error) {
      if (!(error instanceof LogSyntaxError)) throw error;
      const { message, line, path, log } = error;
      throw new LogSyntaxError(message, { line, path, log: { ...log, lines: this.#lines } });
    }
  }
}

/**
 * Reads a session log that is in memory.
 *
 * @example Usage
 * ```ts
 * import { parseLog } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const log = parseLog(await Deno.readTextFile("testdata/sessions/v2/parcels.jsonl"));
 * assertEquals(log.header.domain, "parcels");
 * ```
 *
 * @param source The whole log.
 * @param options The log's file.
 * @returns The log; `problems` names a cut last line.
 * @throws {LogSyntaxError} When any line but a cut last one is unreadable.
 */
export function parseLog(source: string | Uint8Array, options: ParseLogOptions = {}): SessionLog {
  const parser = new LogParser(options);
  parser.push(typeof source === "string" ? new TextEncoder().encode(source) : source);
  return parser.end();
}

function describe(parsed: ParsedLine<unknown>, kind: LogProblem["kind"]): string {
  switch (parsed.kind) {
    case "version":
      return parsed.what;
    case "read":
      return "holds bytes that are not UTF-8";
    case "fault":
      return `${kind === "cut" ? "is cut" : parsed.what}: ${parsed.start}`;
  }
}
