/**
 * Opens the log of a session, and deletes old ones next to it.
 *
 * @module
 */

import type { RecordOptions } from "../proxy_options/proxy_flags.ts";
import { createLog, discardLog, pruneLogs } from "../disk/log_folder.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { LogFacts } from "../log/header.ts";
import { reasonOf } from "../text/reason.ts";
import { LogTap } from "./log_tap.ts";

/**
 * The facts of a session that starts now.
 *
 * @param record How to record.
 * @param serverCommand The server's command or URL, credentials hidden.
 * @param runtime The machine.
 * @returns The facts, without the host session.
 */
export function sessionFacts(
  record: RecordOptions,
  serverCommand: readonly string[],
  runtime: Runtime,
): LogFacts {
  return {
    startedUnixMs: runtime.unixMs(),
    pid: runtime.pid,
    serverCommand,
    domain: record.domain,
    agentModel: record.agentModel,
    serverName: record.serverName,
  };
}

/** Deletes what is older than `--retain-days`, if that was given; a failure is only said. */
export function pruneOld(record: RecordOptions, keep: string, runtime: Runtime): void {
  if (record.retainDays === undefined) return;
  const options = { days: record.retainDays, nowUnixMs: runtime.unixMs(), keep };
  try {
    const count = pruneLogs(record.dir, options);
    if (count > 0) {
      runtime.say(
        `deleted ${count} log files older than ${record.retainDays} days in ${record.dir}`,
      );
    }
  } catch (error) {
    const why = reasonOf(error);
    runtime.say(`cannot delete old logs in ${record.dir}: ${why}`);
  }
}

/** A log, and the names of its session and its file. */
export interface OpenLog {
  /** Records the session. */
  readonly tap: LogTap;
  /** The file. */
  readonly path: string;
  /** The session's id. */
  readonly session: string;
}

/** A log that can be taken back. */
export interface DiscardableLog extends OpenLog {
  /** Deletes the log: there was no session. */
  readonly discard: () => void;
}

/** The names that differ between the sessions of one proxy. */
export interface SessionNames {
  /** The host session. */
  readonly hostSession: string | undefined;
  /** The session's number. */
  readonly number: number;
}

/**
 * Opens the logs of a proxy with many sessions. A session whose log cannot be created goes on
 * without one, and the user is told.
 *
 * @param record How to record; undefined when nothing is recorded.
 * @param serverCommand The server's command or URL, credentials hidden.
 * @param runtime The machine.
 * @returns Opens the log of the session with these names.
 */
export function sessionLogs(
  record: RecordOptions | undefined,
  serverCommand: readonly string[],
  runtime: Runtime,
): (names: SessionNames) => DiscardableLog | undefined {
  return (names) => {
    if (record === undefined) return undefined;
    try {
      const facts = { ...sessionFacts(record, serverCommand, runtime), ...names };
      const log = createLog(record.dir, facts);
      pruneOld(record, log.path, runtime);
      const tap = new LogTap(log, runtime.monotonicMs(), runtime);
      return { tap, path: log.path, session: log.session, discard: () => discardLog(log) };
    } catch (error) {
      runtime.say(reasonOf(error));
      return undefined;
    }
  };
}
