/**
 * Reads what the environment says of the network toward an upstream: certificates
 * to trust, and the proxy that errors name.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import { CERTIFICATE_VARIABLES } from "../proxy_options/permissions.ts";
import { type EnvProxy, envProxy } from "../session/upstream/env_proxy.ts";
import { reasonOf } from "../text/reason.ts";

/** The network toward an upstream. */
export interface UpstreamNetwork {
  /** Certificates to trust beside the system's, as PEM. */
  readonly caCerts: readonly string[];
  /** The proxy of the environment. */
  readonly proxy: EnvProxy | undefined;
}

/** A network that the environment says nothing of. */
export const PLAIN_NETWORK: UpstreamNetwork = { caCerts: [], proxy: undefined };

/**
 * Reads it. A file that cannot be read is said on stderr, and left out.
 *
 * @param url The upstream; undefined without one.
 * @param runtime The environment.
 * @returns The network.
 */
export function upstreamNetwork(url: string | undefined, runtime: Runtime): UpstreamNetwork {
  if (url === undefined) return PLAIN_NETWORK;
  const caCerts = CERTIFICATE_VARIABLES.flatMap((variable) => {
    const path = runtime.env(variable);
    if (path === undefined) return [];
    try {
      return [Deno.readTextFileSync(path)];
    } catch (error) {
      runtime.say(`${variable} "${path}": ${reasonOf(error)}; going on without it`);
      return [];
    }
  });
  return { caCerts, proxy: envProxy(url, runtime.env) };
}

/** The HTTP client for a network; undefined where the runtime's own will do. */
export function createUpstreamClient({ caCerts }: UpstreamNetwork): Deno.HttpClient | undefined {
  return caCerts.length === 0 ? undefined : Deno.createHttpClient({ caCerts: [...caCerts] });
}
