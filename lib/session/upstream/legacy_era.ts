/**
 * The legacy era toward an upstream: session id and version header, the GET
 * stream, a new session in place of a lost one, and DELETE at the end.
 *
 * @module
 */

import { editJson } from "../../json/edit_json.ts";
import { stringAt, valueAt } from "../../json/json_spans.ts";
import { isSessionLost } from "../../mcp/upstream_rules.ts";
import type { Timers } from "../timers.ts";
import { reasonOf } from "../../text/reason.ts";
import { idKey, type Message, readJsonRpc, writtenId } from "../../wire/message.ts";
import { listenToUpstream } from "./get_stream.ts";
import { type HeaderList, isSuccessStatus, type UpstreamResponse } from "./link.ts";
import { askUpstream, type ProxyRequestPorts } from "./proxy_request.ts";
import type { AnswerRuling, Era, PostOfEra } from "./era.ts";

/** Ports of the legacy era. */
export interface LegacyPorts extends ProxyRequestPorts {
  /** Delays before the GET stream is opened again. */
  readonly timers: Timers;
  /** The next id of a request of the proxy. */
  ownId(): string;
  /** Sends a line to the host. */
  toHost(line: Uint8Array): Promise<void>;
  /** Stops waiting for the request with this key; whether it waited. */
  settle(key: string): boolean;
  /** Tells the user. */
  say(line: string): void;
}

/** Timeout of the `notifications/initialized` that opens a session in place of a lost one. */
const INITIALIZED_MS = 10_000;

/** The era's rules, and the state of its session. */
export class LegacyEra implements Era {
  readonly #ports: LegacyPorts;
  #session: string | undefined;
  #version: string | undefined;
  /** The host's `initialize`. */
  #initialize: Message | undefined;
  /** The host's `notifications/initialized`, once the upstream has accepted it. */
  #initialized: Uint8Array | undefined;
  #recovery: Promise<boolean> | undefined;
  #stream: AbortController | undefined;
  #isClosed = false;

  /** Starts without a session. */
  constructor(ports: LegacyPorts) {
    this.#ports = ports;
  }

  /** Whether later lines must wait for the end of this message's POST. */
  isOpening({ method }: Message): boolean {
    return method === "initialize" || method === "notifications/initialized";
  }

  headers(post: PostOfEra): HeaderList {
    const first = post.messages[0];
    if (first?.method === "initialize") {
      this.#stream?.abort();
      this.#initialize = first;
      this.#initialized = this.#session = this.#version = undefined;
      return [];
    }
    post.sentSession = this.#session;
    return this.#headers();
  }

  opened(post: PostOfEra, response: UpstreamResponse): void {
    const method = post.messages[0]?.method;
    if (method === "initialize") this.#session = response.session;
    if (method === "notifications/initialized" && isSuccessStatus(response)) {
      this.#initialized = post.body;
      this.#openStream();
    }
  }

  answered(post: PostOfEra, answer: Message): AnswerRuling {
    if (post.messages[0]?.method === "initialize") this.#agree(answer);
    return { kind: "pass" };
  }

  isLost(post: PostOfEra, status: number, body: Uint8Array | undefined): boolean {
    return post.sentSession !== undefined && isSessionLost(status, body);
  }

  /** Opens a session with the host's own `initialize`: once for all POSTs that lost the same one. */
  async recover(post: PostOfEra): Promise<boolean> {
    if (this.#session !== post.sentSession) return true;
    this.#recovery ??= this.#reopen().finally(() => this.#recovery = undefined);
    return await this.#recovery;
  }

  resume(lastEventId: string, signal: AbortSignal): Promise<UpstreamResponse> {
    return this.#ports.link.get([...this.#headers(), ["last-event-id", lastEventId]], { signal });
  }

  /** Closes the GET stream, then sends DELETE, which may take `withinMs`. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    this.#stream?.abort();
    if (this.#session === undefined) return;
    try {
      const response = await this.#ports.link.delete(this.#headers(), { withinMs });
      await response.discard();
    } catch {
      // The upstream will end the session by itself.
    }
    this.#session = undefined;
  }

  #headers(): [string, string][] {
    const headers: [string, string][] = [];
    if (this.#session !== undefined) headers.push(["mcp-session-id", this.#session]);
    if (this.#version !== undefined) headers.push(["mcp-protocol-version", this.#version]);
    return headers;
  }

  #agree({ bytes, result }: Message): void {
    this.#version = stringAt(bytes, valueAt(bytes, result, "protocolVersion")) ?? this.#version;
  }

  async #reopen(): Promise<boolean> {
    const initialize = this.#initialize;
    if (initialize?.id === undefined || this.#isClosed) return false;
    this.#stream?.abort();
    const id = JSON.stringify(this.#ports.ownId());
    const line = editJson(initialize.bytes, [{ span: initialize.id, text: id }], initialize.span);
    const answer = await askUpstream(this.#ports, { line, id, headers: [] });
    if (answer?.message.result === undefined) return false;
    this.#session = answer.session;
    this.#agree(answer.message);
    this.#ports.say("the upstream had lost the session; opened another");
    if (this.#initialized === undefined) return true;
    this.#ports.tap?.proxy(this.#initialized);
    try {
      const limits = { withinMs: INITIALIZED_MS };
      const response = await this.#ports.link.post(this.#initialized, this.#headers(), limits);
      await response.discard();
    } catch {
      return false;
    }
    this.#openStream();
    return true;
  }

  #openStream(): void {
    if (this.#isClosed) return;
    this.#stream?.abort();
    const stream = this.#stream = new AbortController();
    const { signal } = stream;
    listenToUpstream({
      timers: this.#ports.timers,
      signal,
      open: (resumed) => this.#ports.link.get([...this.#headers(), ...resumed], { signal }),
      onLine: (line) => this.#pass(line),
    }).catch((error) => {
      // The session goes on without the server's own messages.
      this.#ports.say(`the upstream's stream has ended: ${reasonOf(error)}`);
    });
  }

  /** Passes a line of the GET stream on; a response only if a request waits for it. */
  async #pass(line: Uint8Array): Promise<void> {
    const isWanted = readJsonRpc(line).messages.some((message) => {
      const id = message.kind === "response" ? writtenId(message) : undefined;
      return id === undefined ? message.kind !== "other" : this.#ports.settle(idKey(id));
    });
    if (isWanted) await this.#ports.toHost(line);
  }
}
