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
import type { InterceptorJob } from "./interceptors.ts";
import { HeldMessages } from "./held_messages.ts";
import { LogTap } from "../relay/log_tap.ts";
import { pruneOld, sessionFacts } from "../relay/session_log.ts";
import { reaperFor, type ServerProcess, startServer } from "../relay/server_process.ts";
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
  const held = new HeldMessages(runtime.say);
  try {
    if (record !== undefined) {
      log = createLog(record.dir, {
        ...sessionFacts(record, redactArgs(command), runtime),
        startedUnixMs,
        hostSession: given.hostSession,
      });
    }
    const tap = log === undefined ? undefined : new LogTap(log, startMs, runtime);
    const { interceptors, hostSession } = given;
    const chains = interceptors &&
      await (await import("./interceptors.ts"))
        .openInterceptors(options, interceptors, { ...runtime, say: held.say });
    const restarting = options.restart &&
      (await import("./stdio_restart.ts"))
        .restarting(options.restart, { command, tap, hasChain: chains !== undefined, runtime });
    const server = restarting?.server ?? await started(command, held.say);
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
    held.release();
    throw error;
  }
}

async function started(
  command: readonly string[],
  say: (line: string) => void,
): Promise<ServerProcess> {
  const reaper = reaperFor(say);
  await reaper?.ready;
  return startServer(command, say, reaper);
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
