/**
 * HTTP to one MCP endpoint: the requests of a Streamable HTTP client, with the
 * headers that go with each. No redirect is followed, and nothing is sent twice.
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";

/** Headers as names and values. */
export type Headers = readonly (readonly [string, string])[];

/** What a link needs. */
export interface LinkOptions {
  /** The endpoint. */
  readonly url: string;
  /** The user's own headers, such as a credential. */
  readonly headers: Headers;
}

/** One endpoint. */
export class UpstreamLink {
  readonly #url: string;
  readonly #headers: Headers;

  /** Makes a link; nothing is connected yet. */
  constructor(options: LinkOptions) {
    this.#url = options.url;
    this.#headers = options.headers;
  }

  /** POSTs one message. */
  post(body: Uint8Array, headers: Headers, signal: AbortSignal): Promise<Response> {
    return this.#fetch(
      "POST",
      [
        ...headers,
        ["content-type", "application/json"],
        ["accept", "application/json, text/event-stream"],
      ],
      signal,
      body,
    );
  }

  /** Opens an event stream. */
  get(headers: Headers, signal: AbortSignal): Promise<Response> {
    return this.#fetch("GET", [...headers, ["accept", "text/event-stream"]], signal);
  }

  /** Ends a session. */
  delete(headers: Headers, signal: AbortSignal): Promise<Response> {
    return this.#fetch("DELETE", headers, signal);
  }

  #fetch(
    method: string,
    headers: Headers,
    signal: AbortSignal,
    body?: Uint8Array,
  ): Promise<Response> {
    const all: [string, string][] = [...this.#headers, ...headers].map(([k, v]) => [k, v]);
    return fetch(this.#url, {
      method,
      headers: all,
      signal,
      redirect: "manual",
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
    });
  }
}

/**
 * Why a request could not be made, without the URL, which may hold a credential. Newer runtimes say
 * only that it failed, and why in the cause.
 */
export function networkFault(error: unknown): string {
  const reasoned = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = reasonOf(reasoned);
  const reason = /client error \(\w+\): (.*)$/s.exec(text)?.[1] ??
    text.replace(/(?:for url )?\(?https?:\/\/\S+/g, "the upstream");
  return reason.slice(0, 300);
}
