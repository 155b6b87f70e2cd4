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

/** Ids and requests of one id that are remembered; past it the oldest are forgotten. */
const MAX_IDS = 8_192;
const MAX_OPEN = 1000;
const NO_PARAMS = {};

/** Options for {@linkcode Pairer}. */
export interface PairerOptions {
  /**
   * What an exchange keeps of its messages: all of them, or what they are without their content
   * and the first answer alone.
   *
   * @default {"all"}
   */
  readonly keeps?: "all" | "heads";
}

/** Pairs the requests of one session, message by message. */
export class Pairer {
  readonly #ids = new Map<string, SameId>();
  readonly #keepsAll: boolean;

  /** Starts before the first message. */
  constructor({ keeps = "all" }: PairerOptions = {}) {
    this.#keepsAll = keeps === "all";
  }

  /**
   * Takes the next message.
   *
   * @param message The message.
   * @returns The exchange it belongs to; undefined when there is none.
   */
  take(message: WireMessage): WireExchange | undefined {
    if (message.kind === "request") return this.#opened(message);
    if (message.kind === "response") return this.#answered(message);
    return message.kind === "notification" && message.method === "notifications/cancelled"
      ? this.#cancelled(message)
      : undefined;
  }

  #opened(message: WireRequest): Draft {
    const request = this.#keepsAll ? message : { ...message, params: NO_PARAMS };
    const exchange: Draft = { request, answers: [], cancelled: undefined };
    const key = `${request.from === "server" ? "to host" : "to server"} ${request.id}`;
    const same = this.#ids.get(key);
    const open = same?.open ?? [];
    if (open.length >= MAX_OPEN) open.shift();
    open.push(exchange);
    this.#ids.delete(key); // An id that is used again is the newest.
    this.#ids.set(key, { open, last: exchange });
    if (this.#ids.size > MAX_IDS) {
      for (const oldest of this.#ids.keys()) {
        this.#ids.delete(oldest);
        break;
      }
    }
    return exchange;
  }

  #answered(response: WireResponse): Draft | undefined {
    if (response.id === undefined) return undefined;
    const way = response.from === "client" ? "to host" : "to server";
    const same = this.#ids.get(`${way} ${response.id}`);
    if (same === undefined) return undefined;
    // The proxy answers the host's requests, never its own.
    const isTheirs = (draft: Draft) => response.from !== "proxy" || draft.request.from === "client";
    const waiting = same.open.findIndex(isTheirs);
    const exchange = waiting >= 0 ? same.open.splice(waiting, 1)[0] : same.last;
    if (exchange === undefined || !isTheirs(exchange)) return undefined;
    if (this.#keepsAll) exchange.answers.push(response);
    else if (exchange.answers.length === 0) {
      exchange.answers.push({ ...response, result: undefined, error: undefined });
    }
    return exchange;
  }

  #cancelled(notice: WireNotification): Draft | undefined {
    const id = idText(at(notice.params, "requestId"));
    const same = this.#ids.get(`${notice.from === "server" ? "to host" : "to server"} ${id}`);
    const waiting = same?.open.findIndex((draft) => draft.request.from === notice.from) ?? -1;
    const exchange = same?.open.splice(waiting, waiting < 0 ? 0 : 1)[0];
    if (exchange !== undefined) {
      exchange.cancelled = this.#keepsAll ? notice : { ...notice, params: NO_PARAMS };
    }
    return exchange;
  }
}

/**
 * Pairs the requests of a session with their responses.
 *
 * @param messages The session's messages, in order.
 * @returns All requests with their responses.
 */
export function pairing(messages: readonly WireMessage[]): Pairing {
  const exchanges: WireExchange[] = [];
  const byMessage = new Map<number, WireExchange>();
  const pairer = new Pairer();
  for (const message of messages) {
    const exchange = pairer.take(message);
    if (exchange === undefined) continue;
    if (message.kind === "request") exchanges.push(exchange);
    byMessage.set(message.index, exchange);
  }
  return { exchanges, byMessage };
}
