/**
 * Requests to one upstream over `fetch`: with the certificates of the environment,
 * and redirects followed inside the upstream's origin only.
 *
 * @module
 */

import type { HeaderList } from "../session/upstream/link.ts";
import { ruleOnRedirect } from "../session/upstream/redirect.ts";
import { SignInError } from "../oauth/sign_in.ts";
import { networkFault } from "./network_fault.ts";
import { createUpstreamClient, type UpstreamNetwork } from "./upstream_network.ts";

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

/** Tokens that are tried for one request: a short-lived one may end on its way. */
const MAX_TOKENS = 3;

/** The access tokens of a sign-in. */
export interface UpstreamAuth {
  /** The present token. */
  token(): Promise<string>;
  /** Another one in place of one that was refused; rejects when there is none. */
  instead(refused: string): Promise<string>;
  /** Why the upstream refuses a request with HTTP 403; undefined when it does not say. */
  missingScope(response: Response): Error | undefined;
}

/** One upstream. */
export class UpstreamFetch {
  readonly #url: string;
  readonly #network: UpstreamNetwork;
  readonly #auth: UpstreamAuth | undefined;
  readonly #client: Deno.HttpClient | undefined;
  readonly #signInUrl: string;

  /** Connects to nothing yet. A sign-in is for `signInUrl`. */
  constructor(url: string, network: UpstreamNetwork, auth?: UpstreamAuth, signInUrl = url) {
    this.#url = url;
    this.#signInUrl = signInUrl;
    this.#network = network;
    this.#auth = auth;
    this.#client = createUpstreamClient(network);
  }

  /**
   * Sends a request.
   *
   * @param request The request.
   * @returns The response, which is no redirect to follow.
   * @throws {Error} When there is no response to pass on; the message says why, without the URL.
   */
  async send(request: UpstreamRequest): Promise<Response> {
    const auth = this.#auth;
    if (auth === undefined) return await this.#send(request);
    let token = await auth.token();
    for (let tries = 1;; tries++) {
      const headers: HeaderList = [...request.headers, ["authorization", `Bearer ${token}`]];
      const response = await this.#send({ ...request, headers });
      const why = response.status === 403 ? auth.missingScope(response) : undefined;
      if (why === undefined && response.status !== 401) return response;
      await response.body?.cancel();
      if (why !== undefined) throw why;
      // A request that is refused for its token was not carried out.
      if (tries === MAX_TOKENS) {
        throw new SignInError("the upstream refuses the sign-in", this.#signInUrl);
      }
      token = await auth.instead(token);
    }
  }

  async #send({ method, headers, body, signal }: UpstreamRequest): Promise<Response> {
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
