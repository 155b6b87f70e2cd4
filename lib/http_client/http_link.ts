/**
 * HTTP to one MCP endpoint: the requests of a Streamable HTTP client.
 *
 * @module
 */

import { bodyOf, eventsOf } from "../relay/response_body.ts";
import type {
  HeaderList,
  SendLimits,
  UpstreamLink,
  UpstreamResponse,
} from "../session/upstream/link.ts";
import { UpstreamFetch, type UpstreamRequest } from "./upstream_fetch.ts";
import { PLAIN_NETWORK, type UpstreamNetwork } from "./upstream_network.ts";

/** The endpoint and the user's headers for it. */
export interface HttpLinkOptions {
  /** The endpoint. */
  readonly url: string;
  /** The user's own headers, such as a credential. */
  readonly headers: HeaderList;
  /**
   * The network toward it.
   *
   * @default {PLAIN_NETWORK}
   */
  readonly network?: UpstreamNetwork;
}

/** One endpoint, over `fetch`. */
export class HttpLink implements UpstreamLink {
  readonly #headers: HeaderList;
  readonly #fetcher: UpstreamFetch;

  /** Makes a link; nothing is connected yet. */
  constructor(options: HttpLinkOptions) {
    this.#headers = options.headers;
    this.#fetcher = new UpstreamFetch(options.url, options.network ?? PLAIN_NETWORK);
  }

  post(body: Uint8Array, headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    const own: HeaderList = [
      ["content-type", "application/json"],
      ["accept", "application/json, text/event-stream"],
    ];
    return this.#send({ method: "POST", headers: [...headers, ...own], body }, limits);
  }

  get(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    const own: HeaderList = [["accept", "text/event-stream"]];
    return this.#send({ method: "GET", headers: [...headers, ...own] }, limits);
  }

  delete(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    return this.#send({ method: "DELETE", headers }, limits);
  }

  async #send(
    request: Omit<UpstreamRequest, "signal">,
    { signal, withinMs }: SendLimits,
  ): Promise<UpstreamResponse> {
    const limit = withinMs === undefined ? [] : [AbortSignal.timeout(withinMs)];
    const signals = [...signal === undefined ? [] : [signal], ...limit];
    const response = await this.#fetcher.send({
      ...request,
      headers: [...this.#headers, ...request.headers],
      signal: signals[1] === undefined ? signals[0] : AbortSignal.any(signals),
    });
    return upstreamResponse(response);
  }
}

/** A response of `fetch`, as the core reads it. */
function upstreamResponse(response: Response): UpstreamResponse {
  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    session: response.headers.get("mcp-session-id") ?? undefined,
    body: () => bodyOf(response),
    events: () => eventsOf(response),
    discard: async () => await response.body?.cancel(),
  };
}
