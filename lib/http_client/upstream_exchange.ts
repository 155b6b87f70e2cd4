/**
 * One POST to an upstream and all that comes of it: one JSON body, or an event
 * stream that may end early and be taken up again.
 *
 * @module
 */

import {
  type Carries,
  carries,
  lossText,
  MAX_RESUMES,
  reopenDelayMs,
  resumableId,
} from "../mcp/upstream_rules.ts";
import { isMessageEvent } from "../wire/event_stream.ts";
import { isJson, spanText, stringAt, valueAt } from "../json/json_spans.ts";
import { idKey, type Message, oneLine, readJsonRpc, writtenId } from "../wire/message.ts";
import { bodyOf, eventsOf } from "../relay/response_body.ts";
import { type Headers, networkFault, type UpstreamLink } from "./upstream_link.ts";

/** What differs between the eras. */
export interface ExchangeMode {
  /** The headers of the POST. */
  headers(exchange: Exchange): Headers | Promise<Headers>;
  /** The response's headers are there. */
  opened(exchange: Exchange, response: Response): void;
  /** A response of the server, before the host gets it: what the host gets, or a second try. */
  answered(exchange: Exchange, answer: Message): Answered;
  /** Whether a refusal says that the session is gone. */
  isLost(exchange: Exchange, status: number, body: Uint8Array | undefined): boolean;
  /** Makes ready for a second try; false when there is none. */
  recover(exchange: Exchange): Promise<boolean>;
  /** Takes a stream up after an event; undefined in an era that has no such thing. */
  resume(lastEventId: string, signal: AbortSignal): Promise<Response> | undefined;
}

/** What becomes of an answer. */
export type Answered =
  | { readonly kind: "pass" }
  | { readonly kind: "replace"; readonly line: Uint8Array }
  | { readonly kind: "again" };

/** What an exchange asks of its session. */
export interface ExchangePorts {
  /** The endpoint. */
  readonly link: UpstreamLink;
  /** The era's rules. */
  readonly mode: ExchangeMode;
  /** Whether a request with this key waits for its answer; it waits no more. */
  settle(key: string): boolean;
  /** Hands a line to the host; `original` is what the server said, where that differs. */
  toHost(line: Uint8Array, original?: Uint8Array): Promise<void>;
}

/** How a response ended: a fault in words, or what is to be tried. */
type Outcome = { readonly fault: string | undefined; readonly again?: boolean };

/** One POST. */
export class Exchange {
  /** What is sent. */
  readonly body: Uint8Array;
  /** The messages in it. */
  readonly messages: readonly Message[];
  /** The session id that was sent with it. */
  sentSession: string | undefined;
  readonly #ports: ExchangePorts;
  readonly #ids = new Map<string, string>();
  readonly #abort = new AbortController();
  readonly #answered = Promise.withResolvers<void>();
  #lastEventId: string | undefined;
  #retryMs: number | undefined;

  /** Makes an exchange; nothing is sent yet. */
  constructor(body: Uint8Array, messages: readonly Message[], ports: ExchangePorts) {
    this.body = body;
    this.messages = messages;
    this.#ports = ports;
    for (const message of messages) {
      const id = message.kind === "request" ? writtenId(message) : undefined;
      if (id !== undefined) this.#ids.set(idKey(id), id);
    }
  }

  /** The era's rules. */
  get mode(): ExchangeMode {
    return this.#ports.mode;
  }

  /** Keys and ids, as written, of the requests in it. */
  get ids(): ReadonlyMap<string, string> {
    return this.#ids;
  }

  /** Whether it was given up. */
  get isAborted(): boolean {
    return this.#abort.signal.aborted;
  }

  /**
   * Settles when each of its requests has its answer, which may be before its stream ends; when it
   * has none, as soon as the upstream has taken it.
   */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  /** Gives it up: its streams are closed, and nothing of it goes to the host any more. */
  abort(): void {
    this.#abort.abort();
  }

  /**
   * Sends it and hands on what comes back.
   *
   * @returns What went wrong, in words; undefined when the response ended as it should.
   */
  async run(): Promise<string | undefined> {
    const { mode } = this;
    for (let isFirst = true;; isFirst = false) {
      let outcome: Outcome;
      try {
        const headers = await mode.headers(this);
        const response = await this.#ports.link.post(this.body, headers, this.#abort.signal);
        mode.opened(this, response);
        if (this.#ids.size === 0 && response.ok) this.#answered.resolve();
        outcome = await this.#receive(response, isFirst);
      } catch (error) {
        return `cannot reach the upstream: ${networkFault(error)}`;
      }
      if (outcome.again !== true) return outcome.fault;
      if (!await mode.recover(this)) return outcome.fault ?? "the upstream's session is lost";
    }
  }

  async #receive(response: Response, mayRetry: boolean): Promise<Outcome> {
    const what = carries(response.status, response.headers.get("content-type"));
    if (what === "events") return await this.#events(response, mayRetry);
    const body = what === "json" ? await bodyOf(response) : undefined;
    if (what !== "json") await response.body?.cancel();
    if (mayRetry && this.mode.isLost(this, response.status, body)) {
      return { fault: "the upstream has lost the session", again: true };
    }
    if (body === undefined) return this.#ended(response.status, what);
    if (!isJson(body)) return { fault: "the upstream's answer is cut, or not JSON" };
    if (await this.#take(oneLine(body), mayRetry)) return { fault: undefined, again: true };
    return this.#ended(response.status, what, hintOf(body));
  }

  #ended(status: number, what: Carries, hint?: string): Outcome {
    const isTaken = this.#ids.size === 0 && status >= 200 && status < 300;
    return { fault: isTaken ? undefined : lossText(status, what, hint) };
  }

  async #events(first: Response, mayRetry: boolean): Promise<Outcome> {
    const lost = { fault: lossText(first.status, "events", undefined) };
    let fruitless = 0;
    for (let response = first;;) {
      const before = this.#lastEventId;
      if (await this.#readEvents(response, mayRetry) === "again") {
        return { fault: undefined, again: true };
      }
      if (this.isAborted || !this.#isWaiting()) return lost;
      if (this.#lastEventId === undefined) return lost;
      fruitless = before === this.#lastEventId ? fruitless + 1 : 0;
      const next = await this.#resume(this.#lastEventId, fruitless);
      if (next === undefined) return lost;
      response = next;
    }
  }

  /** Opens the stream again; undefined when that is not to be had. */
  async #resume(lastEventId: string, fruitless: number): Promise<Response | undefined> {
    const { signal } = this.#abort;
    for (let tries = fruitless; tries < MAX_RESUMES; tries++) {
      await pause(reopenDelayMs(tries, this.#retryMs), signal);
      if (signal.aborted || !this.#isWaiting()) return undefined;
      try {
        const asked = this.mode.resume(lastEventId, signal);
        if (asked === undefined) return undefined;
        const response = await asked;
        if (carries(response.status, response.headers.get("content-type")) === "events") {
          return response;
        }
        await response.body?.cancel();
        if (response.status < 500) return undefined;
      } catch {
        // Not reachable for now.
      }
    }
    return undefined;
  }

  async #readEvents(response: Response, mayRetry: boolean): Promise<"ended" | "again"> {
    try {
      for await (const event of eventsOf(response)) {
        if (event.id !== undefined) this.#lastEventId = resumableId(event.id);
        if (event.retryMs !== undefined) this.#retryMs = event.retryMs;
        if (!isMessageEvent(event) || !isJson(event.data)) continue;
        if (await this.#take(oneLine(event.data), mayRetry)) return "again";
      }
    } catch {
      // Cut off.
    }
    return "ended";
  }

  /** Hands one line on; whether the request is to be sent again instead. */
  async #take(line: Uint8Array, mayRetry: boolean): Promise<boolean> {
    const { messages } = readJsonRpc(line);
    let out: Uint8Array = line;
    let isWanted = false;
    for (const message of messages) {
      if (message.kind !== "response") {
        isWanted ||= message.kind !== "other";
        continue;
      }
      const id = writtenId(message);
      const key = id === undefined ? undefined : idKey(id);
      if (key === undefined || this.isAborted) continue;
      const answered = this.mode.answered(this, message);
      if (answered.kind === "again" && mayRetry) return true;
      if (!this.#ports.settle(key)) continue;
      this.#ids.delete(key);
      isWanted = true;
      if (answered.kind === "replace") out = answered.line;
    }
    if (isWanted && !this.isAborted) {
      await this.#ports.toHost(out, out === line ? undefined : line);
    }
    if (this.#ids.size === 0) this.#answered.resolve();
    return false;
  }

  #isWaiting(): boolean {
    return this.#ids.size > 0;
  }
}

/** Waits, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

/** The words of an error that names no request of ours. */
function hintOf(body: Uint8Array): string | undefined {
  const error = readJsonRpc(body).messages[0]?.error;
  const message = stringAt(body, valueAt(body, error, "message"));
  const code = valueAt(body, error, "code");
  if (message === undefined) return undefined;
  return `(${code === undefined ? "" : `${spanText(body, code)}: `}${message.slice(0, 300)})`;
}
