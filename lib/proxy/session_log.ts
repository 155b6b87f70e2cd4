/**
 * What a session's log begins with, and the deletion of old ones beside it.
 *
 * @module
 */

import type { RecordOptions } from "../proxy_options/proxy_flags.ts";
import { pruneLogs } from "../disk/log_folder.ts";
import type { Host } from "../ports/host.ts";
import type { SessionFacts } from "../log/header.ts";
import { reasonOf } from "../text/reason.ts";

/**
 * The facts of a session that starts now.
 *
 * @param record How to record.
 * @param serverCommand The server's command or URL, credentials hidden.
 * @param host The machine.
 * @returns The facts, without the host session.
 */
export function sessionFacts(
  record: RecordOptions,
  serverCommand: readonly string[],
  host: Host,
): SessionFacts {
  return {
    startedUnixMs: host.unixMs(),
    pid: host.pid,
    serverCommand,
    domain: record.domain,
    agentModel: record.agentModel,
    serverName: record.serverName,
  };
}

/** Deletes what is older than `--retain-days`, if that was given; a failure is only said. */
export function pruneOld(record: RecordOptions, keep: string, host: Host): void {
  if (record.retainDays === undefined) return;
  const options = { days: record.retainDays, nowUnixMs: host.unixMs(), keep };
  try {
    const count = pruneLogs(record.dir, options);
    if (count > 0) {
      host.say(`deleted ${count} log files older than ${record.retainDays} days in ${record.dir}`);
    }
  } catch (error) {
    const why = reasonOf(error);
    host.say(`cannot delete old logs in ${record.dir}: ${why}`);
  }
}
