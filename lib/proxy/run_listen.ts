/**
 * `hoist-mcp --listen`: hosts over HTTP.
 *
 * @module
 */

import { netOfAddress } from "../proxy_options/http_flags.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { ActiveMode } from "./active_mode.ts";
import type { HttpActingPorts } from "./http_acting.ts";
import { HttpBackend } from "../http_server/http_backend.ts";
import type { WorkerJob } from "./worker_job.ts";
import type { PreparedMode } from "./prepared_mode.ts";
import { listen } from "../http_server/listen_server.ts";
import { startReaper } from "../relay/reaper.ts";
import { type BackendChains, StdioBackend } from "../http_server/stdio_backend.ts";
import { reasonOf } from "../text/reason.ts";

/**
 * Binds the address.
 *
 * @param job What to do.
 * @param runtime The machine.
 * @returns The mode.
 */
export function prepareListen(job: WorkerJob, runtime: Runtime): PreparedMode {
  const address = job.options.listen;
  if (address === undefined) throw new TypeError("no address to listen on");
  // Scoped rights refuse every command under LD_* variables: better to know it now.
  const isStdio = job.options.upstream === undefined;
  if (isStdio && Deno.build.os !== "windows") tryStarting();
  const listener = listen(address, job.token, runtime.say);
  const stop = Promise.withResolvers<void>();
  return {
    stop: () => stop.resolve(),
    async run() {
      // The socket is open; the right to listen goes, and the right to connect to it.
      Deno.permissions.revokeSync({ name: "net", host: netOfAddress(address) });
      const mode = job.active && await (await import("./active_mode.ts")).ActiveMode.open(
        job.options,
        job.active,
        runtime,
      );
      const backend = isStdio
        ? new StdioBackend(job.options, runtime, mode && await chainsOf(mode))
        : new HttpBackend(job, runtime, mode && await acting(mode));
      listener.serve(backend);
      runtime.print(listener.url);
      await stop.promise;
      await backend.stop();
      mode?.end();
      return 0;
    },
  };
}

/** The interceptors of sessions with servers on stdio. */
async function chainsOf(mode: ActiveMode): Promise<BackendChains> {
  const { Conversations } = await import("./conversations.ts");
  return {
    session(session) {
      const live = mode.begin(session);
      return {
        fromHost: (line) => live.active.fromHost(line),
        fromServer: (line) => live.active.fromServer(line),
        close: () => live.active.close(),
        end: live.end,
      };
    },
    server: (ends) => new Conversations({ ...ends, mode }),
  };
}

async function acting(mode: ActiveMode) {
  const { HttpActing } = await import("./http_acting.ts");
  return (ports: Omit<HttpActingPorts, "mode">) => new HttpActing({ ...ports, mode });
}

function tryStarting(): void {
  try {
    startReaper().release();
  } catch (error) {
    const message = reasonOf(error);
    const variable = /\b(?:LD|DYLD)_\w+/.exec(message)?.[0];
    throw new Error(
      variable === undefined
        ? `cannot start sh: ${message}`
        : `the environment holds ${variable}, with which no command can be started under the ` +
          `rights --listen runs with; unset it: env -u ${variable} hoist-mcp …`,
      { cause: error },
    );
  }
}
