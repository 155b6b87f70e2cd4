/**
 * The error for a session log with unreadable lines.
 *
 * It carries the readable part, so that a caller can still show the session.
 *
 * @module
 */

import type { PartialLog } from "./log.ts";

/** The place of a fault in a log. */
export interface LogFault {
  /** Line number in the file; 1 is the header. */
  readonly line: number;
  /** The file, when the log came from a file. */
  readonly path?: string | undefined;
  /** The readable part of the log. */
  readonly log: PartialLog;
}

/**
 * A session log has an unreadable line other than a cut last one.
 *
 * @example Usage
 * ```ts
 * import { LogSyntaxError, readLog } from "@hoist/mcp";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const path = "testdata/sessions/broken/version1.jsonl";
 * const error = await assertRejects(() => readLog(path), LogSyntaxError, "version 1");
 * assertEquals([error.line, error.path], [1, path]);
 * ```
 */
export class LogSyntaxError extends SyntaxError {
  /** Line number in the file; 1 is the header. */
  readonly line: number;
  /** The file, when the log came from a file. */
  readonly path: string | undefined;
  /** The readable part of the log. */
  readonly log: PartialLog;

  /**
   * Makes the error.
   *
   * @param message Says which line is unreadable, and why.
   * @param fault The place of the fault, and the readable part.
   */
  constructor(message: string, fault: LogFault) {
    super(message);
    this.name = "LogSyntaxError";
    this.line = fault.line;
    this.path = fault.path;
    this.log = fault.log;
  }
}
