/**
 * Reads a session log: bytes in, header and lines out.
 *
 * Works chunk by chunk, so that a file is never held twice. Lines are split at
 * byte `\n` alone: a lone `\r` or U+2028 belongs to its line. A last line that a
 * crash cut is left out and reported. Anything else that cannot be read is a
 * {@linkcode LogSyntaxError}, raised at the end, which carries all that could be.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import type { LogHeader, LogLine, LogProblem, SessionLog } from "./log.ts";
import { LogSyntaxError } from "./log_syntax_error.ts";
import { type ParsedLine, parseHeader, parseLine } from "./parse_line.ts";
import { printable } from "../text/printable.ts";

/** Options for {@linkcode parseLog}. */
export interface ParseLogOptions {
  /** The file the text came from, for error messages. */
  path?: string;
}

const NEWLINE = 10;

/** Broken lines that are reported one by one; a file that is no log at all may have millions. */
const MAX_PROBLEMS = 100;

/** Reads one log, handed over in chunks. */
export class LogParser {
  readonly #path: string | undefined;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #lines: LogLine[] = [];
  readonly #problems: LogProblem[] = [];
  #header: LogHeader | undefined;
  /** The line that has no newline yet, in pieces: joined once, however many chunks it spans. */
  #pieces: Uint8Array[] = [];
  #count = 0;
  #isForeign = false;

  /**
   * Makes a parser for one log.
   *
   * @param options Where the log is from.
   */
  constructor(options: ParseLogOptions = {}) {
    this.#path = options.path;
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
      this.#pieces.push(chunk.subarray(from, at));
      this.#takeLine(true);
      from = at + 1;
    }
    if (from < chunk.length) this.#pieces.push(chunk.slice(from));
  }

  /**
   * Ends the log.
   *
   * @returns The log.
   * @throws {LogSyntaxError} When any line but a cut last one could not be read.
   */
  end(): SessionLog {
    if (this.#pieces.length > 0) this.#takeLine(false);
    const header = this.#header;
    const log = { header, lines: this.#lines, problems: this.#problems };
    const name = this.#path === undefined ? "the session log" : `"${printable(this.#path)}"`;
    if (this.#count === 0) {
      const fault = { line: 1, path: this.#path, log };
      throw new LogSyntaxError(`Cannot read ${name}: line 1 is missing, the file is empty`, fault);
    }
    const broken = this.#problems.filter((problem) => problem.kind === "broken");
    const first = broken[0];
    if (header !== undefined && first === undefined) return { ...log, header };
    const { line, message } = first ?? this.#problems[0] ?? { line: 1, message: "is no header" };
    const more = broken.length > 1 ? ` (and ${broken.length - 1} more such lines)` : "";
    throw new LogSyntaxError(`Cannot read ${name}: line ${line} ${message}${more}`, {
      line,
      path: this.#path,
      log,
    });
  }

  #takeLine(isWhole: boolean): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#count++;
    if (this.#isForeign) return;
    const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : concat(pieces);
    if (this.#count === 1) this.#header = this.#accept(bytes, isWhole, parseHeader);
    else {
      const line = this.#accept(bytes, isWhole, (text) => parseLine(text, this.#count));
      if (line !== undefined) this.#lines.push(line);
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
    // A fault in a last line without newline is what a crash leaves, unless it is the version.
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

/**
 * Reads a session log that is in memory.
 *
 * @param source The whole log.
 * @param options Where the log is from.
 * @returns The log; `problems` tells whether its last line was cut.
 * @throws {LogSyntaxError} When any line but a cut last one could not be read.
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
