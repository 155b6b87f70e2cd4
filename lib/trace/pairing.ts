/**
 * Pairs requests with their responses.
 *
 * Ids are compared by type and text, per direction: the host's 1, the host's "1"
 * and the server's 1 are three requests. The first response with the id is the
 * answer; later ones are kept too (in active mode the proxy's version, with
 * lookups appended, follows the server's). An id used again after its answer is
 * a new request.
 *
 * @module
 */

import { at } from "../json/json.ts";
import {
  idText,
  type WireMessage,
  type WireNotification,
  type WireRequest,
  type WireResponse,
} from "./wire_messages.ts";

/** A request with its responses. */
export interface WireExchange {
  /** The request. */
  readonly request: WireRequest;
  /** The responses with its id, in order; the first is the answer. */
  readonly answers: readonly WireResponse[];
  /** The notification that cancelled it before its answer. */
  readonly cancelled: WireNotification | undefined;
}

/** The requests of a session with their responses. */
export interface Pairing {
  /** The requests in sending order. */
  readonly exchanges: readonly WireExchange[];
  /** The exchange of each request, response and cancellation, by the message's index. */
  readonly byMessage: ReadonlyMap<number, WireExchange>;
}

interface Draft extends WireExchange {
  answers: WireResponse[];
  cancelled: WireNotification | undefined;
}

/** The requests with one id in one direction. */
interface SameId {
  /** Requests neither answered nor cancelled, oldest first. */
  open: Draft[];
  /** The newest request. */
  last: Draft;
}

/**
 * Pairs the requests of a session with their responses.
 *
 * @param messages The session's messages, in order.
 * @returns All requests with their responses.
 */
export function pairing(messages: readonly WireMessage[]): Pairing {
  const exchanges: Draft[] = [];
  const byMessage = new Map<number, Draft>();
  const ids = new Map<string, SameId>();
  for (const message of messages) {
    const exchange = message.kind === "request"
      ? opened(message, ids)
      : message.kind === "response"
      ? answered(message, ids)
      : message.kind === "notification" && message.method === "notifications/cancelled"
      ? cancelled(message, ids)
      : undefined;
    if (exchange === undefined) continue;
    if (message.kind === "request") exchanges.push(exchange);
    byMessage.set(message.index, exchange);
  }
  return { exchanges, byMessage };
}

function opened(request: WireRequest, ids: Map<string, SameId>): Draft {
  const exchange: Draft = { request, answers: [], cancelled: undefined };
  const key = `${request.from === "server" ? "to host" : "to server"} ${request.id}`;
  const same = ids.get(key);
  if (same === undefined) ids.set(key, { open: [exchange], last: exchange });
  else {
    same.open.push(exchange);
    same.last = exchange;
  }
  return exchange;
}

function answered(response: WireResponse, ids: Map<string, SameId>): Draft | undefined {
  if (response.id === undefined) return undefined;
  const same = ids.get(`${response.from === "client" ? "to host" : "to server"} ${response.id}`);
  if (same === undefined) return undefined;
  // The proxy answers the host's requests, never its own.
  const isTheirs = (draft: Draft) => response.from !== "proxy" || draft.request.from === "client";
  const waiting = same.open.findIndex(isTheirs);
  const exchange = waiting >= 0 ? same.open.splice(waiting, 1)[0] : same.last;
  if (exchange === undefined || !isTheirs(exchange)) return undefined;
  exchange.answers.push(response);
  return exchange;
}

function cancelled(notice: WireNotification, ids: Map<string, SameId>): Draft | undefined {
  const id = idText(at(notice.params, "requestId"));
  const same = ids.get(`${notice.from === "server" ? "to host" : "to server"} ${id}`);
  const waiting = same?.open.findIndex((draft) => draft.request.from === notice.from) ?? -1;
  const exchange = same?.open.splice(waiting, waiting < 0 ? 0 : 1)[0];
  if (exchange !== undefined) exchange.cancelled = notice;
  return exchange;
}
