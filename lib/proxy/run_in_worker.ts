/**
 * Runs a mode of `hoist-mcp` that keeps permissions while it runs (HTTP, an oracle, a
 * conversation): reads secrets once, starts a worker with exactly the mode's permissions,
 * drops all others, and waits.
 *
 * @module
 */

import { workerNeeds } from "../proxy_options/permissions.ts";
import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import type { Runtime } from "../ports/runtime.ts";
import { dropPermissions, permissionsLeft } from "../runtime/permissions.ts";
import { hostSession } from "../log/header.ts";
import type { InterceptorJob } from "./interceptors.ts";
import { PROXY_FAILED } from "./exit_code.ts";
import type { FromWorker, ToWorker, WorkerJob } from "./worker_job.ts";
import { onStopSignal } from "../relay/stop_signals.ts";
import { upstreamHeaders } from "../http_client/upstream_headers.ts";
import { type UpstreamNetwork, upstreamNetwork } from "../http_client/upstream_network.ts";
import { machineAddresses } from "../runtime/machine_addresses.ts";
import { isWildcard } from "../session/listen/listen_urls.ts";
import { messageOf, reasonOf } from "../text/reason.ts";

/**
 * Runs the mode.
 *
 * @param options The flags.
 * @param runtime The machine.
 * @param self URL of the executable's module, which the worker runs.
 * @returns The exit status.
 */
export async function runInWorker(
  options: ProxyOptions,
  runtime: Runtime,
  self: string,
  interceptors?: InterceptorJob,
): Promise<number> {
  const headers = upstreamHeaders(options.upstream, runtime);
  if (typeof headers === "string") {
    runtime.say(headers);
    return 2;
  }
  let network: UpstreamNetwork;
  try {
    network = upstreamNetwork(options.upstream, runtime);
  } catch (error) {
    runtime.say(reasonOf(error));
    return 2;
  }
  let token: string | undefined;
  let warning: string | undefined;
  const { tokenFile } = options.listen ?? {};
  if (tokenFile !== undefined) {
    const read = readToken(tokenFile);
    if (read.token === undefined) {
      runtime.say(`--listen-token-file "${tokenFile}": ${read.why}`);
      return 2;
    }
    token = read.token;
    if (read.isOpen) warning = `--listen-token-file "${tokenFile}": others may read it; chmod 600`;
  }
  const job: WorkerJob = {
    options,
    headers,
    network,
    machine: isWildcard(options.listen?.hostname ?? "") ? machineAddresses() : [],
    token,
    interceptors,
    hostSession: hostSession(runtime.env("HOIST_SESSION"), runtime.parentPid),
    debugPermissions: runtime.env("HOIST_DEBUG") === "permissions",
  };
  return await inWorker(job, { runtime, self, warning });
}

/** Reads the token; refuses one that is too short or that no header can carry. */
function readToken(
  path: string,
): { readonly token?: string; readonly why?: string; readonly isOpen?: boolean } {
  try {
    const token = Deno.readTextFileSync(path).replace(/\r?\n$/, "");
    const isOpen = ((Deno.statSync(path).mode ?? 0) & 0o004) !== 0;
    return /^[\x21-\x7e]{16,}$/.test(token)
      ? { token, isOpen }
      : { why: "a token is at least 16 printable ASCII characters without spaces" };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

function inWorker(
  job: WorkerJob,
  { runtime, self, warning }: {
    readonly runtime: Runtime;
    readonly self: string;
    /** Said after the log's place. */
    readonly warning: string | undefined;
  },
): Promise<number> {
  const { run, read, write, net } = workerNeeds(job.options, job.interceptors?.oracle);
  const permissions: Deno.PermissionOptionsObject = {
    run: orNone(run),
    read: orNone(read),
    write: orNone(write),
    net: orNone(net),
    env: false,
    sys: false,
    ffi: false,
    import: false,
  };
  const worker = new Worker(self, { type: "module", deno: { permissions } });
  const tell = (message: ToWorker) => worker.postMessage(message);
  const { promise, resolve } = Promise.withResolvers<number>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "ended") return resolve(data.code);
    if (data.kind === "loaded") return tell({ kind: "prepare", job });
    if (warning !== undefined) runtime.say(warning);
    // The worker has its permissions; this thread needs none.
    dropPermissions();
    if (job.debugPermissions) permissionsLeft(workerNeeds(job.options)).forEach(runtime.say);
    tell({ kind: "begin" });
  };
  worker.onerror = (event) => {
    event.preventDefault();
    runtime.say(`internal error: ${event.message}`);
    resolve(PROXY_FAILED);
  };
  onStopSignal((signal) => tell({ kind: "signal", signal }));
  return promise;
}

/** For some permissions an empty list would grant everything; `false` grants nothing. */
function orNone(list: readonly string[]): string[] | false {
  return list.length === 0 ? false : [...list];
}
