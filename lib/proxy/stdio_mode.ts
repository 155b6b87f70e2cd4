/**
 * Runs `hoist-mcp` between a host on our standard streams and a child process.
 *
 * Everything that needs a permission happens first: open the log, start the server
 * and the reaper. The caller then drops its permissions, and only then the first
 * byte is relayed.
 *
 * @module
 */

import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import { createLog, discardLog, type NewLog } from "../disk/log_folder.ts";
import type { Chains } from "../intercept/kinds/chains.ts";
import type { Runtime } from "../ports/runtime.ts";
import { sessionId } from "../log/header.ts";
import { redactArgs } from "../log/redact_args.ts";
import type { StopSignal } from "../session/life.ts";
import type { InterceptorJob } from "./interceptors.ts";
import { HeldMessages } from "./held_messages.ts";
import { LogTap } from "../relay/log_tap.ts";
import { pruneOld, sessionFacts } from "../relay/session_log.ts";
import { type ServerProcess, startServer } from "../relay/server_process.ts";
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
 * @param given The host session, and what was read for the interceptors.
 * @returns The session.
 * @throws {Error} When the log cannot be created or the server cannot start; no log remains.
 */
export async function prepareStdio(
  options: ProxyOptions,
  runtime: Runtime,
  given: {
    readonly hostSession: string | undefined;
    readonly interceptors: InterceptorJob | undefined;
  },
): Promise<PreparedStdio> {
  const startMs = runtime.monotonicMs();
  const { record, command } = options;
  const startedUnixMs = runtime.unixMs();
  let log: NewLog | undefined;
  let server: ServerProcess | undefined;
  const held = new HeldMessages(runtime.say);
  try {
    const { interceptors, hostSession } = given;
    log = newLog(options, runtime, { startedUnixMs, hostSession });
    const tap = log && new LogTap(log, startMs, runtime);
    const restarting = options.restart &&
      (await import("./stdio_restart.ts")).restarting(options.restart, {
        command,
        tap,
        hasChain: interceptors !== undefined,
        runtime,
      });
    server = restarting?.server ?? startServer(command, held.say);
    // All files were read and checked before; the rest is loaded while the server starts.
    const chains = interceptors &&
      await opened(options, interceptors, { ...runtime, say: held.say });
    await server.adopted;
    if (log !== undefined) runtime.say(`recording to ${log.path}`);
    held.release();
    if (record !== undefined && log !== undefined) pruneOld(record, log.path, runtime);
    const session = {
      id: log?.session ?? sessionId(startedUnixMs, runtime.pid),
      hostSession,
      log: log && tap && { tap: restarting?.chainTap ?? tap, path: log.path },
    };
    log = undefined; // From here on it holds a session.
    const plain: RelayEnds = {
      input: hostInput(),
      output: hostOutput(),
      server,
      tap: restarting === undefined ? tap : undefined,
      exitGraceMs: options.exitGraceMs,
      say: runtime.say,
    };
    const chain = chains && (await import("./stdio_chain.ts")).chained(chains, plain, session);
    return prepared(chain?.relay ?? plain, async () => {
      restarting?.end();
      await chain?.end();
      await tap?.close();
    });
  } catch (error) {
    if (log !== undefined) discardLog(log);
    server?.signal("SIGKILL");
    held.release();
    throw error;
  }
}

/** Creates the session's log; undefined if nothing is recorded. */
function newLog(
  { record, command }: ProxyOptions,
  runtime: Runtime,
  start: { readonly startedUnixMs: number; readonly hostSession: string | undefined },
): NewLog | undefined {
  return record &&
    createLog(record.dir, { ...sessionFacts(record, redactArgs(command), runtime), ...start });
}

async function opened(
  options: ProxyOptions,
  interceptors: InterceptorJob,
  runtime: Runtime,
): Promise<Chains> {
  const { openInterceptors } = await import("./interceptors.ts");
  return await openInterceptors(options, interceptors, runtime);
}

/** A relay that is ready to begin; `close` closes what belongs to it. */
function prepared(relay: RelayEnds, close: () => Promise<void>): PreparedStdio {
  const begun = Promise.withResolvers<RunningRelay>();
  return {
    async run() {
      const running = startRelay(relay);
      begun.resolve(running);
      const code = await running.done;
      await close();
      return code;
    },
    stop: (signal) => void begun.promise.then((running) => running.signal(signal)),
  };
}
