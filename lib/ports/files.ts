/**
 * What commands ask of the disk: text files, session logs and flow logs.
 *
 * @module
 */

import type { ListedLog, LogLine, SessionLog } from "../log/log.ts";
import type { LogHead } from "../log/parse_log.ts";

/** Files, as commands need them. */
export interface FileStore {
  /** A text file, gzipped or not. */
  readText(path: string): Promise<string>;
  /** Replaces a file whole, or leaves it as it was. */
  replace(path: string, text: string): Promise<void>;
  /** The session logs of a folder, oldest first. */
  listLogs(dir: string): Promise<readonly ListedLog[]>;
  /** One session log. */
  readLog(path: string): Promise<SessionLog>;
}

/** Files, and the flow logs among them. */
export interface FlowLogStore extends FileStore {
  /** The flow logs of a folder, by name. */
  listFlowLogs(dir: string): Promise<readonly string[]>;
}

/** Session logs, in a folder or alone. */
export interface LogStore {
  /** Whether the path is a folder; rejects when there is nothing. */
  isFolder(path: string): Promise<boolean>;
  /** The logs of a folder, oldest first. */
  list(dir: string): Promise<readonly ListedLog[]>;
  /** One log; rejects with a {@linkcode LogSyntaxError} when it has a fault. */
  read(path: string): Promise<SessionLog>;
  /**
   * Reads one log line by line and keeps none; rejects with a {@linkcode LogSyntaxError}, once all
   * readable lines were given, when it has a fault.
   */
  scan(path: string, onLine: (line: LogLine) => void): Promise<LogHead>;
}
