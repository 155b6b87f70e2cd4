/**
 * The way back to a host for one HTTP request, as the core asks for it. Whoever
 * gets a wire answers on it once: with a whole response, or with an event stream.
 *
 * @module
 */

import type { HttpRefusal } from "../../mcp/http_rules.ts";
import { errorResponse } from "../../wire/rpc_error.ts";

/** Names and values of response headers. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** A whole response. */
export interface WholeReply {
  /** The HTTP status. */
  readonly status: number;
  /** Its headers. */
  readonly headers: ReplyHeaders;
  /** Its body; null for none. */
  readonly body: Uint8Array | null;
}

/** An event stream that is open. */
export interface EventSink {
  /** Whether it holds all that it should hold for a reader that does not read. */
  readonly isFull: boolean;
  /** Sends bytes; not after its end. */
  write(bytes: Uint8Array): void;
  /** Ends it. */
  close(): void;
}

/** What a wire tells whoever answers on it. */
export interface WireListener {
  /** The host hung up before the end. */
  left(): void;
  /** The reader of the event stream has taken what it held. */
  emptied(): void;
}

/** The way back for one request. */
export interface ReplyWire {
  /** Sends a whole response. */
  whole(reply: WholeReply): void;
  /** Starts an event stream. */
  events(headers: ReplyHeaders): EventSink;
  /** Sets who is told what happens to the response. */
  listen(listener: WireListener): void;
}

/** What goes with a refusal. */
export interface RefuseOptions {
  /**
   * The request's id as written.
   *
   * @default {"null"}
   */
  readonly id?: string;
  /** Headers besides the type. */
  readonly headers?: ReplyHeaders;
}

/** A refusal: its status, and a JSON-RPC error that names the request if there is one. */
export function refusal(
  { status, code, message, data }: HttpRefusal,
  { id = "null", headers }: RefuseOptions = {},
): WholeReply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: errorResponse(id, code, message, data),
  };
}

/** The response to a notification or response that was accepted. */
export const ACCEPTED: WholeReply = { status: 202, headers: {}, body: null };

/** The refusal of a method that the endpoint, or the era, does not have. */
export function methodNotAllowed(allow = "GET, POST, DELETE"): WholeReply {
  return refusal({ status: 405, code: -32000, message: "Method not allowed" }, {
    headers: { allow },
  });
}
