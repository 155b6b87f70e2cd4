/**
 * The legacy era toward an upstream: session id, version header, the GET stream
 * and its reopening, a new session in the place of a lost one, DELETE.
 *
 * @module
 */

import { editJson } from "../json/edit_json.ts";
import {
  carries,
  hasNoGetStream,
  isSessionLost,
  reopenDelayMs,
  resumableId,
} from "../mcp/upstream_rules.ts";
import { isMessageEvent } from "../wire/event_stream.ts";
import { isJson, stringAt, valueAt } from "../json/json_spans.ts";
import { idKey, type Message, oneLine, readJsonRpc, writtenId } from "../wire/message.ts";
import { ask, type AskPorts } from "./upstream_ask.ts";
import { eventsOf } from "../relay/response_body.ts";
import { type Answered, type Exchange, type ExchangeMode, pause } from "./upstream_exchange.ts";
import type { Headers } from "./upstream_link.ts";

/** What the era's session asks of its surroundings. */
export interface LegacyPorts extends AskPorts {
  /** The next id of a request of our own. */
  ownId(): string;
  /** Hands a line to the host. */
  toHost(line: Uint8Array): Promise<void>;
  /** Whether a request with this key waits for its answer; it waits no more. */
  settle(key: string): boolean;
  /** Tells the user. */
  say(line: string): void;
}

/** The era's rules, and its session. */
export class LegacySession implements ExchangeMode {
  readonly #ports: LegacyPorts;
  #session: string | undefined;
  #version: string | undefined;
  #initialize: Message | undefined;
  #initialized: Uint8Array | undefined;
  #recovery: Promise<boolean> | undefined;
  #stream: AbortController | undefined;
  #isClosed = false;

  /** Makes a session; nothing is opened yet. */
  constructor(ports: LegacyPorts) {
    this.#ports = ports;
  }

  /** Whether what comes after the message must wait for its answer. */
  isOpening({ method }: Message): boolean {
    return method === "initialize" || method === "notifications/initialized";
  }

  headers(exchange: Exchange): Headers {
    const first = exchange.messages[0];
    if (first?.method === "initialize") {
      this.#stream?.abort();
      this.#initialize = first;
      this.#initialized = this.#session = this.#version = undefined;
      return [];
    }
    exchange.sentSession = this.#session;
    return this.#headers();
  }

  opened(exchange: Exchange, response: Response): void {
    const method = exchange.messages[0]?.method;
    if (method === "initialize") {
      this.#session = response.headers.get("mcp-session-id") ?? undefined;
    }
    if (method === "notifications/initialized" && response.ok) {
      this.#initialized = exchange.body;
      this.#openStream();
    }
  }

  answered(exchange: Exchange, answer: Message): Answered {
    if (exchange.messages[0]?.method === "initialize") this.#agree(answer);
    return { kind: "pass" };
  }

  isLost(exchange: Exchange, status: number, body: Uint8Array | undefined): boolean {
    return exchange.sentSession !== undefined && isSessionLost(status, body);
  }

  /** Opens a session with the host's own `initialize`; once for all who lost the same one. */
  async recover(exchange: Exchange): Promise<boolean> {
    if (this.#session !== exchange.sentSession) return true;
    this.#recovery ??= this.#reopen().finally(() => this.#recovery = undefined);
    return await this.#recovery;
  }

  resume(lastEventId: string, signal: AbortSignal): Promise<Response> {
    return this.#ports.link.get([...this.#headers(), ["last-event-id", lastEventId]], signal);
  }

  /** Ends the session: closes the stream, then DELETE, which may take so long. */
  async close(ms: number): Promise<void> {
    this.#isClosed = true;
    this.#stream?.abort();
    if (this.#session === undefined) return;
    try {
      const response = await this.#ports.link.delete(this.#headers(), AbortSignal.timeout(ms));
      await response.body?.cancel();
    } catch {
      // It will find out by itself.
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
    const answer = await ask(this.#ports, line, id, []);
    if (answer?.message.result === undefined) return false;
    this.#session = answer.session;
    this.#agree(answer.message);
    this.#ports.say("the upstream had lost the session; opened another");
    if (this.#initialized === undefined) return true;
    this.#ports.tap?.proxy(this.#initialized);
    try {
      const signal = AbortSignal.timeout(10_000);
      const response = await this.#ports.link.post(this.#initialized, this.#headers(), signal);
      await response.body?.cancel();
    } catch {
      return false;
    }
    this.#openStream();
    return true;
  }

  #openStream(): void {
    if (this.#isClosed) return;
    this.#stream?.abort();
    this.#stream = new AbortController();
    // A fault in here must not end the session: what the server says on its own is then lost.
    this.#listen(this.#stream.signal).catch((error) => {
      this.#ports.say(`the upstream's stream has ended: ${error}`);
    });
  }

  /** Reads the GET stream, and opens it again when it ends, for as long as the session lasts. */
  async #listen(signal: AbortSignal): Promise<void> {
    let lastEventId: string | undefined;
    let retryMs: number | undefined;
    for (let fruitless = 0; !signal.aborted; fruitless++) {
      if (fruitless > 0) await pause(reopenDelayMs(fruitless - 1, retryMs), signal);
      if (signal.aborted) return;
      try {
        const resumed: Headers = lastEventId === undefined ? [] : [["last-event-id", lastEventId]];
        const response = await this.#ports.link.get([...this.#headers(), ...resumed], signal);
        if (carries(response.status, response.headers.get("content-type")) !== "events") {
          await response.body?.cancel();
          if (response.ok || hasNoGetStream(response.status)) return;
          continue;
        }
        for await (const event of eventsOf(response)) {
          if (event.id !== undefined) lastEventId = resumableId(event.id);
          retryMs = event.retryMs ?? retryMs;
          if (!isMessageEvent(event) || !isJson(event.data) || signal.aborted) continue;
          fruitless = 0;
          await this.#take(oneLine(event.data));
        }
      } catch {
        // Cut off, or not reachable for now.
      }
    }
  }

  /** A response on this stream is for the host only if it answers a request that waits. */
  async #take(line: Uint8Array): Promise<void> {
    const { messages } = readJsonRpc(line);
    const isWanted = messages.some((message) => {
      const id = message.kind === "response" ? writtenId(message) : undefined;
      return id === undefined ? message.kind !== "other" : this.#ports.settle(idKey(id));
    });
    if (isWanted) await this.#ports.toHost(line);
  }
}
