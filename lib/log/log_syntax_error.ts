/**
 * The error of a session log that cannot be read as a whole.
 *
 * It carries what could be read, so that a person still sees the session.
 *
 * @module
 */

import type { PartialLog } from "./log.ts";

/** Where a log is at fault. */
export interface LogFault {
  /** Line number in the file; 1 is the header. */
  readonly line: number;
  /** The file, when the log came from one. */
  readonly path?: string | undefined;
  /** What could be read. */
  readonly log: PartialLog;
}

/**
 * A session log with a fault in it, other than a cut last line.
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
  /** The file, when the log came from one. */
  readonly path: string | undefined;
  /** What could be read of the log. */
  readonly log: PartialLog;

  /**
   * Makes the error.
   *
   * @param message What could not be read and why.
   * @param fault Where, and what could be read.
   */
  constructor(message: string, fault: LogFault) {
    super(message);
    this.name = "LogSyntaxError";
    this.line = fault.line;
    this.path = fault.path;
    this.log = fault.log;
  }
}
