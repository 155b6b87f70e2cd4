/**
 * Runs `hoist-mcp` for one stdio session, from options to exit status.
 *
 * Everything that needs a permission is done first: the log is opened, the
 * reaper and the server are started. Then all permissions are given back, and
 * only then the first byte is relayed.
 *
 * @module
 */

import type { ProxyOptions, RecordOptions } from "../cli/proxy_flags.ts";
import { LogFile } from "../disk/log_file.ts";
import { createLog, discardLog, type NewLog, pruneLogs } from "../disk/log_folder.ts";
import type { Host } from "../host/host.ts";
import { dropPermissions, permissionsLeft } from "../host/permissions.ts";
import { hostSession, type SessionFacts } from "../log/header.ts";
import { Recorder } from "../log/recorder.ts";
import { redactArgs } from "../log/redact_args.ts";
import type { StopSignal } from "../relay/life.ts";
import { startServer } from "./server_process.ts";
import { type SessionTap, startSession } from "./stdio_session.ts";
import { hostInput, hostOutput } from "./stdio.ts";

/** Exit status when the proxy itself fails. */
export const PROXY_FAILED = 125;

/** How long the end of a session waits for a slow disk to take the log. */
const LOG_CLOSE_MS = 5_000;

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
    if (record !== undefined) log = createLog(record.dir, sessionFacts(record, command, host));
    const server = startServer(command, host.say);
    if (log !== undefined) host.say(`recording to ${log.path}`);
    const tap = log === undefined ? undefined : new LogTap(log, startMs, host);
    if (record !== undefined && log !== undefined) prune(record, log, host);
    log = undefined; // From here on it holds a session.
    giveUpPermissions(host);
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

function sessionFacts(record: RecordOptions, command: readonly string[], host: Host): SessionFacts {
  return {
    startedUnixMs: host.unixMs(),
    pid: host.pid,
    serverCommand: redactArgs(command),
    domain: record.domain,
    agentModel: record.agentModel,
    serverName: record.serverName,
    hostSession: hostSession(host.env("HOIST_SESSION"), host.parentPid),
  };
}

function prune(record: RecordOptions, log: NewLog, host: Host): void {
  if (record.retainDays === undefined) return;
  const options = { days: record.retainDays, nowUnixMs: host.unixMs(), keep: log.path };
  try {
    const count = pruneLogs(record.dir, options);
    if (count > 0) {
      host.say(`deleted ${count} log files older than ${record.retainDays} days in ${record.dir}`);
    }
  } catch (error) {
    host.say(`cannot delete old logs in ${record.dir}: ${messageOf(error)}`);
  }
}

function giveUpPermissions(host: Host): void {
  const debug = host.env("HOIST_DEBUG") === "permissions";
  dropPermissions();
  if (debug) permissionsLeft().forEach(host.say);
}

function onStopSignal(stop: (signal: StopSignal) => void): void {
  const signals: readonly StopSignal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGTERM", "SIGINT", "SIGHUP"];
  for (const signal of signals) Deno.addSignalListener(signal, () => stop(signal));
}

/** Records what goes by. A fault of ours ends the recording, never the session. */
class LogTap implements SessionTap {
  readonly #file: LogFile;
  readonly #recorder: Recorder;
  readonly #startMs: number;
  readonly #host: Host;
  #failed = false;

  constructor(log: NewLog, startMs: number, host: Host) {
    this.#startMs = startMs;
    this.#host = host;
    this.#file = new LogFile(log.file, {
      length: log.bytes,
      monotonicMs: host.monotonicMs,
      onEnd: (why) => host.say(`recording ended, the session goes on: ${why}`),
    });
    this.#recorder = new Recorder(this.#file, {
      onLongLine: (bytes) =>
        host.say(`a line of ${bytes} bytes is too long to record whole; its start is in the log`),
    });
  }

  readonly client = (chunk: Uint8Array): void => {
    this.#guarded((tMs) => this.#recorder.chunk("client", chunk, tMs));
  };

  readonly server = (chunk: Uint8Array): void => {
    this.#guarded((tMs) => this.#recorder.chunk("server", chunk, tMs));
  };

  end(from: "client" | "server"): void {
    this.#guarded((tMs) => this.#recorder.end(from, tMs));
  }

  async close(): Promise<void> {
    this.end("client");
    this.end("server");
    await this.#file.close(LOG_CLOSE_MS);
  }

  #guarded(record: (tMs: number) => void): void {
    if (this.#failed) return;
    try {
      record(this.#host.monotonicMs() - this.#startMs);
    } catch (error) {
      this.#failed = true;
      this.#host.say(`recording ended, the session goes on: ${messageOf(error)}`);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
