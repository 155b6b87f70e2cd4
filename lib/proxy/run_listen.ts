/**
 * `hoist-mcp --listen`: hosts over HTTP.
 *
 * @module
 */

import { netOfAddress } from "../proxy_options/http_flags.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Chains } from "../intercept/kinds/chains.ts";
import type { ExchangePorts } from "../http_server/exchange_ports.ts";
import { HttpBackend } from "../http_server/http_backend.ts";
import type { WorkerJob } from "./worker_job.ts";
import type { PreparedMode } from "./prepared_mode.ts";
import { listen } from "../http_server/listen_server.ts";
import { openSignIn } from "./upstream_sign_in.ts";
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
  const listener = listen(address, { token: job.token, say: runtime.say, machine: job.machine });
  const { record } = job.options;
  if (record !== undefined) runtime.say(`recording to ${record.dir}, one log per session`);
  const stop = Promise.withResolvers<void>();
  return {
    stop: () => stop.resolve(),
    async run() {
      // The socket is open; the right to listen goes, and the right to connect to it.
      Deno.permissions.revokeSync({ name: "net", host: netOfAddress(address) });
      const chains = job.interceptors &&
        await (await import("./interceptors.ts"))
          .openInterceptors(job.options, job.interceptors, runtime);
      const { upstream } = job.options;
      const auth = await openSignIn(upstream, job.network, runtime);
      const backend = isStdio
        ? new StdioBackend(job.options, runtime, chains && await chainsOf(chains))
        : new HttpBackend({ ...job, auth }, runtime, chains && await intercepting(chains));
      listener.serve(backend);
      runtime.print(listener.urls.join("\n"));
      await stop.promise;
      await backend.stop();
      chains?.end();
      return 0;
    },
  };
}

/** The interceptors of sessions with servers on stdio. */
async function chainsOf(chains: Chains): Promise<BackendChains> {
  const { Conversations } = await import("../intercept/conversations.ts");
  return {
    session: (session) => chains.begin(session),
    server: (ends) => new Conversations({ ...ends, chains }),
  };
}

async function intercepting(chains: Chains) {
  const { InterceptedExchanges } = await import("../http_server/intercepted_exchanges.ts");
  return (ports: Omit<ExchangePorts, "chains">) => new InterceptedExchanges({ ...ports, chains });
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
