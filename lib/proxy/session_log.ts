/**
 * What a session's log begins with, and the deletion of old ones beside it.
 *
 * @module
 */

import type { RecordOptions } from "../proxy_options/proxy_flags.ts";
import { pruneLogs } from "../disk/log_folder.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { LogFacts } from "../log/header.ts";
import { reasonOf } from "../text/reason.ts";

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
