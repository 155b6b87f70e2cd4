/**
 * Requests to one upstream over `fetch`: with the certificates of the environment,
 * and redirects followed inside the upstream's origin only.
 *
 * @module
 */

import type { HeaderList } from "../session/upstream/link.ts";
import { ruleOnRedirect } from "../session/upstream/redirect.ts";
import { networkFault } from "./network_fault.ts";
import type { UpstreamNetwork } from "./upstream_network.ts";

/** A request. */
export interface UpstreamRequest {
  /** Its method. */
  readonly method: string;
  /** All its headers. */
  readonly headers: HeaderList;
  /** Its body. */
  readonly body?: Uint8Array | undefined;
  /** Aborted when the caller gives it up. */
  readonly signal?: AbortSignal | undefined;
}

/** One upstream. */
export class UpstreamFetch {
  readonly #url: string;
  readonly #network: UpstreamNetwork;
  readonly #client: Deno.HttpClient | undefined;

  /** Connects to nothing yet. */
  constructor(url: string, network: UpstreamNetwork) {
    this.#url = url;
    this.#network = network;
    const caCerts = [...network.caCerts];
    this.#client = caCerts.length === 0 ? undefined : Deno.createHttpClient({ caCerts });
  }

  /**
   * Sends a request.
   *
   * @param request The request.
   * @returns The response, which is no redirect to follow.
   * @throws {Error} When there is no response to pass on; the message says why, without the URL.
   */
  async send({ method, headers, body, signal }: UpstreamRequest): Promise<Response> {
    let url = this.#url;
    for (let hops = 0;; hops++) {
      const response = await this.#fetch(url, {
        method,
        headers: headers.map(([name, value]) => [name, value]),
        redirect: "manual",
        signal: signal ?? null,
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      });
      const location = response.headers.get("location");
      const ruling = ruleOnRedirect({ method, url, status: response.status, location, hops });
      if (ruling.kind === "none") return response;
      await response.body?.cancel();
      if (ruling.kind === "refuse") throw new Error(ruling.why);
      url = ruling.url;
    }
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      const client = this.#client;
      return await fetch(url, client === undefined ? init : { ...init, client });
    } catch (error) {
      const { proxy } = this.#network;
      const via = proxy === undefined
        ? ""
        : ` through the proxy ${proxy.address} of ${proxy.variable}`;
      throw new Error(`cannot reach the upstream${via}: ${networkFault(error)}`, { cause: error });
    }
  }
}
