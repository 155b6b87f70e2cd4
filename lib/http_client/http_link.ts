/**
 * HTTP to one MCP endpoint: the requests of a Streamable HTTP client. No redirect
 * is followed, and nothing is sent twice.
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
import { networkFault } from "./network_fault.ts";

/** The endpoint and the user's headers for it. */
export interface HttpLinkOptions {
  /** The endpoint. */
  readonly url: string;
  /** The user's own headers, such as a credential. */
  readonly headers: HeaderList;
}

/** One endpoint, over `fetch`. */
export class HttpLink implements UpstreamLink {
  readonly #options: HttpLinkOptions;

  /** Makes a link; nothing is connected yet. */
  constructor(options: HttpLinkOptions) {
    this.#options = options;
  }

  post(body: Uint8Array, headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    const own: HeaderList = [
      ["content-type", "application/json"],
      ["accept", "application/json, text/event-stream"],
    ];
    return this.#fetch({
      method: "POST",
      headers: [...headers, ...own],
      body: body as Uint8Array<ArrayBuffer>,
    }, limits);
  }

  get(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    const own: HeaderList = [["accept", "text/event-stream"]];
    return this.#fetch({ method: "GET", headers: [...headers, ...own] }, limits);
  }

  delete(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    return this.#fetch({ method: "DELETE", headers }, limits);
  }

  async #fetch(
    init: { readonly method: string; readonly headers: HeaderList; readonly body?: BodyInit },
    { signal, withinMs }: SendLimits,
  ): Promise<UpstreamResponse> {
    const { url, headers } = this.#options;
    const limit = withinMs === undefined ? [] : [AbortSignal.timeout(withinMs)];
    const signals = [...signal === undefined ? [] : [signal], ...limit];
    try {
      const response = await fetch(url, {
        ...init,
        headers: [...headers, ...init.headers].map(([name, value]) => [name, value]),
        redirect: "manual",
        signal: signals[1] === undefined ? signals[0] ?? null : AbortSignal.any(signals),
      });
      return upstreamResponse(response);
    } catch (error) {
      throw new Error(`cannot reach the upstream: ${networkFault(error)}`, { cause: error });
    }
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
