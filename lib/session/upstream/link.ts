/**
 * HTTP to one MCP endpoint, as the core asks for it: `lib/http_client/http_link.ts`
 * is the real one, tests script theirs.
 *
 * @module
 */

import type { StreamEvent } from "../../wire/event_stream.ts";

/** Headers as names and values. */
export type HeaderList = readonly (readonly [string, string])[];

/** A response whose head has arrived. */
export interface UpstreamResponse {
  /** The HTTP status. */
  readonly status: number;
  /** `Content-Type`. */
  readonly contentType: string | null;
  /** `Mcp-Session-Id`. */
  readonly session: string | undefined;
  /** Reads the whole body; undefined when it was cut off. */
  body(): Promise<Uint8Array | undefined>;
  /** Reads the body as an event stream; throws when it is cut off. */
  events(): AsyncIterable<StreamEvent>;
  /** Closes the response unread. */
  discard(): Promise<void>;
}

/** When a request is given up. */
export interface SendLimits {
  /** Aborted when the caller gives it up. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole exchange, body included. */
  readonly withinMs?: number;
}

/** One endpoint. Each call rejects, with the reason in words, when there is no response. */
export interface UpstreamLink {
  /** POSTs one message, or one batch. */
  post(body: Uint8Array, headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse>;
  /** Opens an event stream. */
  get(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse>;
  /** Ends a session. */
  delete(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse>;
}

/** Whether a status is a success. */
export function isSuccessStatus({ status }: Pick<UpstreamResponse, "status">): boolean {
  return status >= 200 && status < 300;
}
