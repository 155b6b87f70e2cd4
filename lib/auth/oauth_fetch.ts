/**
 * Requests to authorization servers: within a time, up to a size, never
 * redirected, and only to URLs that may be asked.
 *
 * @module
 */

import { networkFault } from "../http_client/network_fault.ts";
import { urlFault } from "../oauth/metadata_urls.ts";

/** A fetch with limits. */
export type OauthFetch = (url: string, init?: RequestInit) => Promise<Response>;

const MAX_BYTES = 262_144;

/**
 * Makes the fetch.
 *
 * @param upstream The upstream whose metadata names the URLs.
 * @param options The certificates and proxies to use, and the time for a request.
 * @returns The fetch; it rejects with a message that names the host and the cause.
 */
export function oauthFetch(
  upstream: URL,
  { client, upstreamClient = client, withinMs = 20_000 }: {
    readonly client: Deno.HttpClient | undefined;
    /** What asks the upstream's own origin. Default: `client`. */
    readonly upstreamClient?: Deno.HttpClient | undefined;
    readonly withinMs?: number;
  },
): OauthFetch {
  return async (url, init = {}) => {
    const fault = urlFault(url, upstream);
    const where = URL.canParse(url) ? new URL(url).origin : "an address";
    if (fault !== undefined) throw new Error(`Cannot ask ${where} to sign in: ${fault}`);
    const used = where === upstream.origin ? upstreamClient : client;
    const limit = AbortSignal.timeout(withinMs);
    try {
      const response = await fetch(url, {
        ...init,
        redirect: "manual",
        signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit,
        ...used === undefined ? {} : { client: used },
      });
      const body = await limited(response);
      const { status, headers } = response;
      return new Response(body.length === 0 ? null : body, { status, headers });
    } catch (error) {
      const why = limit.aborted ? `no answer within ${withinMs / 1000} s` : networkFault(error);
      throw new Error(`Cannot reach ${where} to sign in: ${why}`, { cause: error });
    }
  };
}

async function limited(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
