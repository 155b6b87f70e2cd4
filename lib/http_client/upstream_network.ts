/**
 * Reads what the environment says of the network toward an upstream: certificates
 * to trust, and the proxy that errors name.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import type { ClientCertificateFiles, UpstreamOptions } from "../proxy_options/http_flags.ts";
import { CERTIFICATE_VARIABLES } from "../proxy_options/permissions.ts";
import { type EnvProxy, envProxy } from "../session/upstream/env_proxy.ts";
import { reasonOf } from "../text/reason.ts";

/** The network toward an upstream. */
export interface UpstreamNetwork {
  /** Certificates to trust beside the system's, as PEM. */
  readonly caCerts: readonly string[];
  /** The client certificate that the upstream is shown, and its key, as PEM. */
  readonly certificate?: ClientCertificate | undefined;
  /** The proxy of the environment. */
  readonly proxy: EnvProxy | undefined;
}

/** A client certificate. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A network that the environment says nothing of. */
export const PLAIN_NETWORK: UpstreamNetwork = { caCerts: [], proxy: undefined };

/**
 * Reads it. A file of certificates to trust that cannot be read is said on stderr, and left out.
 *
 * @param upstream The upstream; undefined without one.
 * @param runtime The environment.
 * @returns The network.
 * @throws {Error} When the client certificate cannot be used; names the flag and the file.
 */
export function upstreamNetwork(
  upstream: Pick<UpstreamOptions, "url" | "certificate"> | undefined,
  runtime: Runtime,
): UpstreamNetwork {
  if (upstream === undefined) return PLAIN_NETWORK;
  const { url, certificate } = upstream;
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
  return {
    caCerts,
    certificate: certificate && readCertificate(certificate, caCerts, runtime),
    proxy: envProxy(url, runtime.env),
  };
}

function readCertificate(
  files: ClientCertificateFiles,
  caCerts: readonly string[],
  runtime: Runtime,
): ClientCertificate {
  const read = (flag: string, path: string) => {
    try {
      return Deno.readTextFileSync(path);
    } catch (cause) {
      throw new Error(`${flag} "${path}": ${reasonOf(cause)}`, { cause });
    }
  };
  const certificate = {
    cert: read("--upstream-cert", files.cert),
    key: read("--upstream-key", files.key),
  };
  if (((Deno.statSync(files.key).mode ?? 0) & 0o004) !== 0) {
    runtime.say(`--upstream-key "${files.key}": others may read it; chmod 600`);
  }
  try {
    // With the authorities, too: Deno 2.6 trusts for good what its first client was given.
    Deno.createHttpClient({ caCerts: [...caCerts], ...certificate }).close();
  } catch {
    throw new Error(
      `--upstream-cert "${files.cert}" and --upstream-key "${files.key}": no certificate and its key in PEM`,
    );
  }
  return certificate;
}

/** The HTTP client for a network; undefined where the runtime's own will do. */
export function createUpstreamClient(
  { caCerts, certificate }: UpstreamNetwork,
): Deno.HttpClient | undefined {
  if (caCerts.length === 0 && certificate === undefined) return undefined;
  return Deno.createHttpClient({ caCerts: [...caCerts], ...certificate });
}
