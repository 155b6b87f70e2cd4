/**
 * Runs `hoist-mcp` for one stdio session, from options to exit status.
 *
 * Everything that needs a permission is done first: the log is opened, the
 * reaper and the server are started. Then all permissions are given back, and
 * only then the first byte is relayed.
 *
 * @module
 */

import { workerNeeds } from "../cli/permissions.ts";
import type { ProxyOptions } from "../cli/proxy_flags.ts";
import { createLog, discardLog, type NewLog } from "../disk/log_folder.ts";
import type { Host } from "../host/host.ts";
import { dropPermissions, permissionsLeft } from "../host/permissions.ts";
import { hostSession } from "../log/header.ts";
import { redactArgs } from "../log/redact_args.ts";
import { LogTap } from "./log_tap.ts";
import { pruneOld, sessionFacts } from "./session_log.ts";
import { reaperFor, startServer } from "./server_process.ts";
import { startSession } from "./stdio_session.ts";
import { hostInput, hostOutput } from "./stdio.ts";
import { onStopSignal } from "./stop_signals.ts";

/** Exit status when the proxy itself fails. */
export const PROXY_FAILED = 125;

/**
 * Runs one session.
 *
 * @param options What to do.
 * @param host The machine.
 * @returns The exit status: the server's, or {@linkcode PROXY_FAILED}.
 */
export async function runProxy(options: ProxyOptions, host: Host): Promise<number> {
  const startMs = host.monotonicMs();
  const { record, command } = options;
  let log: NewLog | undefined;
  try {
    if (record !== undefined) {
      log = createLog(record.dir, {
        ...sessionFacts(record, redactArgs(command), host),
        hostSession: hostSession(host.env("HOIST_SESSION"), host.parentPid),
      });
    }
    const reaper = reaperFor(host.say);
    await reaper?.ready;
    const server = startServer(command, host.say, reaper);
    await server.adopted;
    if (log !== undefined) host.say(`recording to ${log.path}`);
    const tap = log === undefined ? undefined : new LogTap(log, startMs, host);
    if (record !== undefined && log !== undefined) pruneOld(record, log.path, host);
    log = undefined; // From here on it holds a session.
    giveUpPermissions(options, host);
    const session = startSession({
      input: hostInput(),
      output: hostOutput(),
      server,
      tap,
      exitGraceMs: options.exitGraceMs,
      say: host.say,
    });
    onStopSignal((signal) => session.signal(signal));
    const code = await session.done;
    await tap?.close();
    return code;
  } catch (error) {
    host.say(messageOf(error));
    if (log !== undefined) discardLog(log);
    return PROXY_FAILED;
  }
}

function giveUpPermissions(options: ProxyOptions, host: Host): void {
  const debug = host.env("HOIST_DEBUG") === "permissions";
  dropPermissions();
  if (debug) permissionsLeft(workerNeeds(options)).forEach(host.say);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
