/**
 * Runs `hoist-mcp` between a host on our standard streams and a child process.
 *
 * Everything that needs a permission happens first: open the log, start the reaper
 * and the server. The caller then drops its permissions, and only then the first
 * byte is relayed.
 *
 * @module
 */

import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import { createLog, discardLog, type NewLog } from "../disk/log_folder.ts";
import type { Runtime } from "../ports/runtime.ts";
import { sessionId } from "../log/header.ts";
import { redactArgs } from "../log/redact_args.ts";
import type { StopSignal } from "../session/life.ts";
import type { ActiveJob } from "./active_job.ts";
import { LogTap } from "../relay/log_tap.ts";
import { pruneOld, sessionFacts } from "../relay/session_log.ts";
import { reaperFor, startServer } from "../relay/server_process.ts";
import { type RelayEnds, type RunningRelay, startRelay } from "../relay/relay.ts";
import { hostInput, hostOutput } from "../relay/stdio.ts";

/** A session that is ready to begin. */
export interface PreparedStdio {
  /** Relays until the end; returns the server's exit status. */
  run(): Promise<number>;
  /** Passes a signal to the server, and ends the session. */
  stop(signal: StopSignal): void;
}

/**
 * Opens the log and starts the server.
 *
 * @param options The flags.
 * @param runtime The machine.
 * @param given The host session, and the rules and flows of an active session.
 * @returns The session.
 * @throws {Error} When the log cannot be created or the server cannot start; no log remains.
 */
export async function prepareStdio(
  options: ProxyOptions,
  runtime: Runtime,
  given: { readonly hostSession: string | undefined; readonly active: ActiveJob | undefined },
): Promise<PreparedStdio> {
  const startMs = runtime.monotonicMs();
  const { record, command } = options;
  const startedUnixMs = runtime.unixMs();
  let log: NewLog | undefined;
  try {
    if (record !== undefined) {
      log = createLog(record.dir, {
        ...sessionFacts(record, redactArgs(command), runtime),
        startedUnixMs,
        hostSession: given.hostSession,
      });
    }
    const tap = log === undefined ? undefined : new LogTap(log, startMs, runtime);
    const { active, hostSession } = given;
    const acting = active === undefined
      ? undefined
      : await (await import("./active_stdio.ts")).actOn(options, active, runtime, {
        id: log?.session ?? sessionId(startedUnixMs, runtime.pid),
        hostSession,
        log: log && tap && { tap, path: log.path },
      });
    const reaper = reaperFor(runtime.say);
    await reaper?.ready;
    const server = startServer(command, runtime.say, reaper);
    await server.adopted;
    if (log !== undefined) runtime.say(`recording to ${log.path}`);
    if (record !== undefined && log !== undefined) pruneOld(record, log.path, runtime);
    log = undefined; // From here on it holds a session.
    const plain: RelayEnds = {
      input: hostInput(),
      output: hostOutput(),
      server,
      tap,
      exitGraceMs: options.exitGraceMs,
      say: runtime.say,
    };
    const begun = Promise.withResolvers<RunningRelay>();
    let session: RunningRelay | undefined;
    return {
      async run() {
        session = startRelay(acting?.session(plain) ?? plain);
        begun.resolve(session);
        const code = await session.done;
        await acting?.end();
        await tap?.close();
        return code;
      },
      stop: (signal) => void begun.promise.then((running) => running.signal(signal)),
    };
  } catch (error) {
    if (log !== undefined) discardLog(log);
    throw error;
  }
}
