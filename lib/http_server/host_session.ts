/**
 * A legacy session of a host over HTTP: its own server, and the streams that
 * what the server says goes to.
 *
 * @module
 */

import { isJson, spanText, valueAt } from "../json/json_spans.ts";
import { idKey, type Message, oneLine, readJsonRpc, writtenId } from "../wire/message.ts";
import { errorResponse, INTERNAL_ERROR } from "../wire/rpc_error.ts";
import type { LiveSession, NewSession } from "../proxy/active_mode.ts";
import { ChildLink, type ChildLinkOptions } from "../relay/child_link.ts";
import { accepted, refused } from "./http_replies.ts";
import type { LogTap } from "../relay/log_tap.ts";
import type { Pulse } from "./pulse.ts";
import { type PostHow, SessionStreams } from "./session_streams.ts";

/** What a session is made of. */
export interface HostSessionOptions
  extends Pick<ChildLinkOptions, "command" | "exitGraceMs" | "say"> {
  /** Its id. */
  readonly id: string;
  /** Its log. */
  readonly tap: LogTap | undefined;
  /** Puts what acts on the session in between; undefined where nothing does. */
  readonly act?: ((ends: SessionEnds) => LiveSession) | undefined;
  /** The clock of replies. */
  readonly pulse: Pulse;
  /** The session is over: its server is gone and its log closed. */
  readonly onEnd: () => void;
}

/** Where a session that is acted on hands lines out. */
export type SessionEnds = Pick<NewSession, "toServer" | "toHost">;

/** A server that does not read gets this much ahead of itself. */
const MAX_INBOX_BYTES = 64 * 1_048_576;
/** How long a server may take to answer a request that was cancelled; then its reply ends. */
const CANCEL_MS = 1_000;

/** One session. */
export class HostSession {
  readonly #options: HostSessionOptions;
  readonly #link: ChildLink;
  readonly #streams: SessionStreams;
  readonly #live: LiveSession | undefined;
  #isOver = false;

  /** Starts the session's server. Throws when it cannot be started. */
  constructor(options: HostSessionOptions) {
    this.#options = options;
    this.#streams = new SessionStreams({ ...options, onVain: () => this.end() });
    this.#link = new ChildLink({
      ...options,
      // A session that is acted on records each line itself, in its order.
      tap: options.act === undefined ? options.tap : undefined,
      onLine: (line) =>
        this.#live === undefined ? this.#onLine(line) : this.#live.active.fromServer(line),
      room: () => this.#streams.room(),
    });
    this.#live = options.act?.({
      toServer: (line) => this.#link.send(line.slice()),
      toHost: (line) => this.#onLine(line),
    });
    this.#link.done.then((code) => this.#ended(code)).catch((error) => {
      options.say(`internal error: ${error}`);
      this.#ended(1);
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

  /** Whether it takes requests. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Takes a body.
   *
   * @param body The body.
   * @param messages The messages in it.
   * @param how `isBatch`, what the host accepts, and headers for the reply.
   * @returns The response.
   */
  post(
    body: Uint8Array,
    messages: readonly Message[],
    how: PostHow,
  ): Promise<Response> | Response {
    if (this.#link.waitingBytes > MAX_INBOX_BYTES) {
      const message = "Service Unavailable: the server does not read";
      return refused({ status: 503, code: -32000, message }, { headers: { "retry-after": "5" } });
    }
    const requests = messages.filter((message) => message.kind === "request");
    const ids = new Map(requests.map((message) => {
      const id = writtenId(message) ?? "null";
      return [idKey(id), id];
    }));
    const taken = [...ids.keys()].find((key) => this.#streams.has(key));
    if (taken !== undefined) {
      const message = "Invalid Request: a request with this id is in flight";
      return refused({ status: 400, code: -32600, message }, { id: ids.get(taken) ?? "null" });
    }
    const reply = ids.size > 0 ? this.#streams.expect(messages, ids, how) : undefined;
    if (this.#live === undefined) this.#link.send(oneLine(body));
    else this.#live.active.fromHost(oneLine(body));
    messages.forEach((message) => this.#noteCancel(message));
    return reply?.response ?? accepted();
  }

  /** Opens the GET stream, or takes up the stream of an event that came before. */
  get(lastEventId: string | undefined): Promise<Response> {
    return this.#streams.get(lastEventId);
  }

  /** Ends the session as a host on stdio does: its server's input is closed. */
  end(): void {
    this.#isOver = true;
    this.#streams.endGet();
    this.#failAll("the session was ended");
    this.#link.close();
  }

  /** Ends the session: we were asked to end. */
  stop(): void {
    this.#isOver = true;
    this.#link.signal("SIGTERM");
  }

  #onLine(raw: Uint8Array): void {
    if (!isJson(raw)) return; // Its log has it; a stream of messages cannot.
    const { isBatch, messages } = readJsonRpc(oneLine(raw));
    for (const message of messages) {
      const { bytes, span } = message;
      this.#streams.route(message, isBatch ? bytes.subarray(span.start, span.end) : bytes);
    }
  }

  /** A request that its host gave up may never be answered; its reply ends all the same. */
  #noteCancel(message: Message): void {
    if (message.method !== "notifications/cancelled") return;
    const id = valueAt(message.bytes, message.params, "requestId");
    const key = id === undefined ? undefined : idKey(spanText(message.bytes, id));
    if (key === undefined || this.#streams.isInitialize(key)) return;
    setTimeout(() => {
      const own = id === undefined ? "null" : spanText(message.bytes, id);
      this.#streams.settle(key, errorResponse(own, -32000, "Request cancelled"));
    }, CANCEL_MS);
  }

  #failAll(why: string): void {
    for (const [key, id] of this.#streams.pending()) {
      const line = errorResponse(id, INTERNAL_ERROR, why);
      this.#options.tap?.proxy(line);
      this.#streams.settle(key, line);
    }
  }

  async #ended(code: number): Promise<void> {
    this.#isOver = true;
    await this.#live?.active.close(); // What is held goes out before the rest is given up.
    this.#failAll(`the server has exited with status ${code}`);
    this.#streams.endGet();
    await this.#live?.end();
    await this.#options.tap?.close();
    this.#options.onEnd();
  }
}
