/**
 * Puts a server that is started again into a session on stdio: its log, and the
 * watch of its files.
 *
 * @module
 */

import type { LineTap } from "../intercept/kinds/chains.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { RestartOptions } from "../proxy_options/restart_flags.ts";
import type { LogTap } from "../relay/log_tap.ts";
import type { ServerProcess } from "../relay/server_process.ts";
import { RestartingServer, type RestartLog } from "../restart/restarting_server.ts";
import { watchFiles } from "../restart/watched_files.ts";
import { denoTimers } from "../runtime/deno_timers.ts";

/** The server of a session, and what belongs to it. */
export interface RestartingSession {
  readonly server: ServerProcess;
  /** The log as a chain of interceptors writes it; undefined when nothing is recorded. */
  readonly chainTap: LineTap | undefined;
  /** Ends the watch. */
  end(): void;
}

/** Records nothing. */
const NO_LOG: RestartLog = { crossed() {}, answered() {}, hidden() {} };

/**
 * Starts the server and the watch.
 *
 * @param options What is watched.
 * @param session The server's command, its log, and whether a chain records what crosses.
 * @returns The server.
 * @throws {Error} When the server cannot start or a path cannot be watched.
 */
export function restarting(
  { watch }: RestartOptions,
  { command, tap, hasChain, runtime }: {
    readonly command: readonly string[];
    readonly tap: LogTap | undefined;
    readonly hasChain: boolean;
    readonly runtime: Runtime;
  },
): RestartingSession {
  const { say, monotonicMs } = runtime;
  let server: RestartingServer | undefined;
  const unwatch = watchFiles(watch, { onChange: () => server?.saved(), say });
  const shared = hasChain && tap !== undefined ? sharedLog(tap) : undefined;
  try {
    server = new RestartingServer({
      command,
      isWatching: watch.length > 0,
      log: shared?.below ?? (tap === undefined ? NO_LOG : wholeLog(tap)),
      timers: denoTimers,
      monotonicMs,
      say,
    });
  } catch (error) {
    unwatch();
    throw error;
  }
  return { server: server.server, chainTap: shared?.above, end: unwatch };
}

function wholeLog(tap: LogTap): RestartLog {
  return {
    crossed: (from, line) => from === "client" ? tap.clientLine(line) : tap.serverLine(line),
    answered: (line) => tap.proxy(line),
    hidden: (from, line) => from === "proxy" ? tap.proxy(line) : tap.serverLine(line),
  };
}

/**
 * One log, written above and below a chain. The chain records what crosses it. A line for the
 * host that the server did not write comes to it like the server's own, and is ours in the log.
 */
function sharedLog(tap: LogTap): { readonly above: LineTap; readonly below: RestartLog } {
  const decoder = new TextDecoder();
  const ours: string[] = [];
  return {
    above: {
      clientLine: (line, isJson) => tap.clientLine(line, isJson),
      serverLine(line, isJson) {
        const at = ours.length === 0 ? -1 : ours.indexOf(decoder.decode(line));
        if (at < 0) return tap.serverLine(line, isJson);
        ours.splice(at, 1);
        tap.proxy(line);
      },
      proxy: (line) => tap.proxy(line),
      context: (line) => tap.context(line),
    },
    below: {
      ...wholeLog(tap),
      crossed() {},
      answered: (line) => void ours.push(decoder.decode(line)),
    },
  };
}
