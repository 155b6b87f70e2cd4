/**
 * Decides for a legacy session of a host over HTTP: it has its own server, and
 * streams that carry the server's messages.
 *
 * @module
 */

import { spanText, valueAt } from "../../json/json_spans.ts";
import { idKey, type Message, oneLine, readJsonRpc, writtenId } from "../../wire/message.ts";
import { claimedId, isReadable, withoutMark } from "../../wire/reading.ts";
import { errorResponse, INTERNAL_ERROR } from "../../wire/rpc_error.ts";
import { type Moves, Phases } from "../phases.ts";
import { HttpStreams, type PostHow, type StreamsPorts } from "./http_streams.ts";
import { ACCEPTED, refusal, type ReplyWire } from "./reply_wire.ts";
import {
  type ChainEnds,
  type ClosableLog,
  EXIT_MS,
  type LineChain,
  type ServerLink,
  type StartServer,
} from "./server_link.ts";

/** Ports and settings of a session. */
export interface HttpSessionOptions extends Omit<StreamsPorts, "onVain"> {
  /** Starts its server. */
  readonly start: StartServer;
  /** Its log. */
  readonly tap: ClosableLog | undefined;
  /** Makes its chain of interceptors; undefined without one. */
  readonly chain?: ((ends: ChainEnds) => LineChain) | undefined;
  /** Called when the session is over: its server is gone and its log closed. */
  readonly onEnd: () => void;
}

/** The phases of a session. */
export type HttpSessionPhase = "open" | "ending" | "over";
/** What moves a session on. */
export type HttpSessionSignal = "end" | "exit";

/** The phases of a session, as a table. */
export const HTTP_SESSION_MOVES: Moves<HttpSessionPhase, HttpSessionSignal> = {
  open: { end: "ending", exit: "over" },
  ending: { end: "ending", exit: "over" },
  over: { end: "over" },
};

/** Most bytes that wait for a server that does not read. */
const MAX_INBOX_BYTES = 64 * 1_048_576;
/** How long a server may take to answer a cancelled request; then its reply ends. */
const CANCEL_MS = 1_000;

/** Said of a server's line without an id that a host waits for. */
export const UNREADABLE = "a line of the server is not JSON; hosts over HTTP do not get it";

/** One session. */
export class HttpSession {
  readonly #options: HttpSessionOptions;
  readonly #link: ServerLink;
  readonly #streams: HttpStreams;
  readonly #chain: LineChain | undefined;
  readonly #phases = new Phases(HTTP_SESSION_MOVES, "open");

  /** Starts the session's server. Throws when it cannot be started. */
  constructor(options: HttpSessionOptions) {
    this.#options = options;
    this.#streams = new HttpStreams({ ...options, onVain: () => this.end() });
    this.#link = options.start({
      // A chain records each line itself, in its own order.
      tap: options.chain === undefined ? options.tap : undefined,
      onLine: (line) =>
        this.#chain === undefined ? this.#onLine(line) : this.#chain.fromServer(line),
      onEnd: () => this.#outputEnded(),
      room: () => this.#streams.room(),
    });
    this.#chain = options.chain?.({
      toServer: (line) => this.#link.send(line.slice()),
      toHost: (line) => this.#onLine(line),
      toHostNote: (line) => this.#onLine(line),
    });
    this.#link.done.then((code) => this.#ended(code)).catch((error) => {
      options.say(`internal error: ${error}`);
      return this.#ended(1);
    });
  }

  /** The version that `initialize` agreed on. */
  get version(): string | undefined {
    return this.#streams.version;
  }

  /** Whether a host waits for an answer or listens. */
  get isActive(): boolean {
    return this.#streams.isActive;
  }

  /** Whether it takes no more requests. */
  get isOver(): boolean {
    return this.#phases.now !== "open";
  }

  /**
   * Takes a POST.
   *
   * @param body Its body.
   * @param messages The messages in it.
   * @param how How it is answered, and on which wire.
   */
  post(
    body: Uint8Array,
    messages: readonly Message[],
    how: PostHow & { readonly wire: ReplyWire },
  ): void {
    const { wire } = how;
    if (this.#link.waitingBytes > MAX_INBOX_BYTES) {
      const message = "Service Unavailable: the server does not read";
      const headers = { "retry-after": "5" };
      return wire.whole(refusal({ status: 503, code: -32000, message }, { headers }));
    }
    const requests = messages.filter((message) => message.kind === "request");
    const ids = new Map(requests.map((message) => {
      const id = writtenId(message) ?? "null";
      return [idKey(id), id];
    }));
    const taken = [...ids].find(([key]) => this.#streams.has(key));
    if (taken !== undefined) {
      const message = "Invalid Request: a request with this id is in flight";
      return wire.whole(refusal({ status: 400, code: -32600, message }, { id: taken[1] }));
    }
    if (ids.size > 0) this.#streams.expect(messages, ids, how);
    else wire.whole(ACCEPTED);
    if (this.#chain === undefined) this.#link.send(oneLine(body));
    else this.#chain.fromHost(oneLine(body));
    messages.forEach((message) => this.#noteCancel(message));
  }

  /** Opens the GET stream, or resumes the stream of an earlier event. */
  get(lastEventId: string | undefined, wire: ReplyWire): void {
    this.#streams.get(lastEventId, wire);
  }

  /** Ends the session as a host on stdio does: its server's input is closed. */
  end(): void {
    this.#phases.move("end");
    this.#streams.endGet();
    this.#failAll("the session was ended");
    this.#link.close();
  }

  /** Ends the session because the proxy was asked to end. */
  stop(): void {
    this.#phases.move("end");
    this.#link.terminate();
  }

  #onLine(raw: Uint8Array): void {
    if (!isReadable(raw)) return this.#onUnreadable(raw);
    const { isBatch, messages } = readJsonRpc(oneLine(withoutMark(raw)));
    for (const message of messages) {
      const { bytes, span } = message;
      this.#streams.route(message, isBatch ? bytes.subarray(span.start, span.end) : bytes);
    }
  }

  /** A line that no host could read: the request it claims to answer gets an error. */
  #onUnreadable(raw: Uint8Array): void {
    const id = claimedId(raw);
    const key = id === undefined ? undefined : idKey(id);
    if (id === undefined || key === undefined || !this.#streams.has(key)) {
      if (raw.length > 0) this.#options.say(UNREADABLE);
      return;
    }
    this.#fail(key, id, "the server's answer is not JSON");
  }

  /** A cancelled request may never be answered; its reply ends all the same. */
  #noteCancel(message: Message): void {
    if (message.method !== "notifications/cancelled") return;
    const at = valueAt(message.bytes, message.params, "requestId");
    if (at === undefined) return;
    const id = spanText(message.bytes, at);
    const key = idKey(id);
    if (this.#streams.isInitialize(key)) return;
    const cancelled = this.#streams.waitOf(key);
    this.#options.timers.later(CANCEL_MS, () => {
      // A later request with the same id is another one.
      if (cancelled === undefined || this.#streams.waitOf(key) !== cancelled) return;
      this.#streams.settle(key, errorResponse(id, -32000, "Request cancelled"));
    });
  }

  #failAll(why: string): void {
    for (const [key, id] of this.#streams.pending()) this.#fail(key, id, why);
  }

  #fail(key: string, id: string, why: string): void {
    const line = errorResponse(id, INTERNAL_ERROR, why);
    this.#options.tap?.proxy(line);
    this.#streams.settle(key, line);
  }

  /** The server can answer no more, though it may live on. */
  #outputEnded(): void {
    if (this.#phases.now !== "open") return;
    this.#phases.move("end");
    this.#options.timers.later(EXIT_MS, async () => {
      if (this.#phases.now === "over") return;
      await this.#chain?.close();
      this.#failAll("the server has closed its output");
      this.#streams.endGet();
    });
  }

  async #ended(code: number): Promise<void> {
    if (this.#phases.can("exit")) this.#phases.move("exit");
    await this.#chain?.close(); // Held lines go out before the rest is failed.
    this.#failAll(`the server has exited with status ${code}`);
    this.#streams.endGet();
    await this.#chain?.end();
    await this.#options.tap?.close();
    this.#options.onEnd();
  }
}
