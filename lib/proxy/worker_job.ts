/**
 * What the program and the worker that runs a mode which keeps rights say to each other.
 *
 * The program reads what needs permissions the worker does not get (variables,
 * the token file), starts the worker with exactly what its mode needs, and gives
 * up all permissions of its own before it lets the worker begin.
 *
 * @module
 */

import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import type { InterceptorJob } from "./interceptors.ts";
import type { UpstreamNetwork } from "../http_client/upstream_network.ts";
import type { MachineAddress } from "../session/listen/listen_urls.ts";
import type { StopSignal } from "../session/life.ts";

/** What the worker is to do. */
export interface WorkerJob {
  /** The command line. */
  readonly options: ProxyOptions;
  /** Headers for the upstream, values included. */
  readonly headers: readonly (readonly [string, string])[];
  /** The network toward the upstream. */
  readonly network: UpstreamNetwork;
  /** The machine's addresses, for URLs of a wildcard address. */
  readonly machine: readonly MachineAddress[];
  /** `--listen-token-file`'s token. */
  readonly token: string | undefined;
  /** What was read for the interceptors; undefined where there are none. */
  readonly interceptors: InterceptorJob | undefined;
  /** The host session of hosts that name none. */
  readonly hostSession: string | undefined;
  /** Whether to say which permissions are left. */
  readonly debugPermissions: boolean;
}

/** From the program to the worker. */
export type ToWorker =
  | { readonly kind: "prepare"; readonly job: WorkerJob }
  | { readonly kind: "begin" }
  | { readonly kind: "signal"; readonly signal: StopSignal };

/** From the worker to the program. */
export type FromWorker =
  | { readonly kind: "loaded" }
  | { readonly kind: "prepared" }
  | { readonly kind: "ended"; readonly code: number };
