/**
 * A host on our standard streams, a server at the other end of HTTP: each line
 * of the host is POSTed, each message of the server becomes a line.
 *
 * The era is told by each message. Legacy: the answer to `initialize` decides
 * the session id and the version header of what follows, a GET stream carries
 * what the server says on its own, and DELETE ends it. Modern: the headers come
 * from the message itself, and giving a request up closes its stream.
 *
 * Each request gets one answer: the server's, or one error of ours.
 *
 * @module
 */

import { modernVersion } from "../mcp/era.ts";
import { isJson, spanText, valueAt } from "../json/json_spans.ts";
import { idKey, type Message, readJsonRpc, writtenId } from "../wire/message.ts";
import { errorResponse, INTERNAL_ERROR } from "../wire/rpc_error.ts";
import { Exchange } from "./upstream_exchange.ts";
import type { LineOutput } from "../relay/line_output.ts";
import { type LegacyPorts, LegacySession } from "./upstream_legacy.ts";
import type { LogTap } from "../relay/log_tap.ts";
import { ModernTools } from "./upstream_tools.ts";
import type { UpstreamLink } from "./upstream_link.ts";

/** What a session is made of. */
export interface UpstreamSessionOptions {
  /** The endpoint. */
  readonly link: UpstreamLink;
  /** The way to the host. */
  readonly output: Pick<LineOutput, "write">;
  /** Records what crosses. */
  readonly tap: LogTap | undefined;
  /** `--exit-grace` in milliseconds. */
  readonly exitGraceMs: number;
  /** Tells the user. */
  readonly say: (line: string) => void;
  /**
   * The next id of a request of the session's own.
   *
   * @default {a count of its own}
   */
  readonly ownId?: () => string;
}

/** Requests given up in the legacy era that still wait for an answer, which need not come. */
const MAX_GIVEN_UP = 32;
/** Lines read ahead of an answer that decides how they are sent; reading on shows a host's end. */
const MAX_HELD = 1_000;
/** How long the upstream may take to hear of the end. */
const DELETE_MS = 2_000;

/** One session with an upstream. */
export class UpstreamSession {
  readonly #options: UpstreamSessionOptions;
  readonly #inFlight = new Map<string, Exchange>();
  readonly #ports: LegacyPorts;
  readonly #legacy: LegacySession;
  readonly #tools: ModernTools;
  #givenUp: Exchange[] = [];
  #ownIds = 0;
  /** Lines that wait: `initialize` decides what goes with those after it. */
  #held: Uint8Array[] | undefined;
  /** Settles when what waits may be sent. */
  #gate: Promise<void> = Promise.resolve();
  /** Messages without an answer that the upstream has not taken yet. */
  #untaken = 0;
  #moved = 0;
  #over: (() => void) | undefined;

  /** Makes a session; nothing is sent yet. */
  constructor(options: UpstreamSessionOptions) {
    this.#options = options;
    this.#ports = {
      ...options,
      ownId: options.ownId ?? (() => `hoist-${++this.#ownIds}`),
      toHost: (line: Uint8Array, original?: Uint8Array) => this.#toHost(line, original),
      settle: (key: string) => this.#inFlight.delete(key),
    };
    this.#legacy = new LegacySession(this.#ports);
    this.#tools = new ModernTools(this.#ports);
  }

  /** Takes one line of the host, which is kept; settles when the next may be read. */
  async line(line: Uint8Array): Promise<void> {
    if (isBlank(line)) return;
    this.#moved++;
    if (!isJson(line)) {
      return this.#answer(errorResponse("null", -32700, "Parse error: the line is not JSON"));
    }
    this.#pass(line);
    if ((this.#held?.length ?? 0) >= MAX_HELD) await this.#gate;
  }

  /** The host has closed its end: what is under way is awaited, then the session ends. */
  async hostEof(): Promise<void> {
    await this.#quiet(this.#options.exitGraceMs);
    const text = "the upstream did not answer before the end of the session";
    const held = this.#held ?? [];
    this.#held = []; // What waits is not sent any more.
    for (const [key, exchange] of this.#inFlight) {
      this.#inFlight.delete(key);
      exchange.abort();
      await this.#answer(errorResponse(exchange.ids.get(key) ?? "null", INTERNAL_ERROR, text));
    }
    for (const message of held.flatMap((line) => readJsonRpc(line).messages)) {
      const id = message.kind === "request" ? writtenId(message) : undefined;
      if (id !== undefined) await this.#answer(errorResponse(id, INTERNAL_ERROR, text));
    }
    await this.end();
  }

  /** Ends the session at once. */
  async end(): Promise<void> {
    for (const exchange of new Set(this.#inFlight.values())) exchange.abort();
    this.#over?.();
    await this.#legacy.close(DELETE_MS);
  }

  #pass(line: Uint8Array): void {
    if (this.#held === undefined) this.#take(line);
    else this.#held.push(line);
  }

  #take(line: Uint8Array): void {
    const { messages } = readJsonRpc(line);
    const first = messages[0];
    if (first === undefined) return;
    if (first.method === "notifications/cancelled" && this.#cancel(first)) return;
    const isModern = messages.length === 1 && modernVersion(first) !== undefined;
    const mode = isModern ? this.#tools : this.#legacy;
    const exchange = new Exchange(first.bytes, messages, { ...this.#ports, mode });
    const sent = this.#send(exchange);
    const isOpening = !isModern && this.#legacy.isOpening(first);
    if (exchange.ids.size > 0 && !isOpening) return;
    const taken = Promise.race([sent, exchange.answered]);
    if (exchange.ids.size === 0) {
      this.#untaken++;
      taken.then(() => {
        this.#untaken--;
        this.#noteQuiet();
      });
    }
    if (!isOpening) return;
    this.#held = [];
    this.#gate = taken.then(() => this.#release());
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of held) this.#pass(line);
    this.#noteQuiet();
  }

  async #send(exchange: Exchange): Promise<void> {
    const ids = new Map(exchange.ids);
    for (const [key, id] of ids) {
      if (this.#inFlight.has(key)) {
        return this.#answer(errorResponse(id, -32600, "a request with this id is in flight"));
      }
    }
    for (const key of ids.keys()) this.#inFlight.set(key, exchange);
    const fault = await exchange.run();
    for (const [key, id] of ids) {
      if (this.#inFlight.get(key) !== exchange) continue;
      this.#inFlight.delete(key);
      if (exchange.isAborted) continue;
      await this.#answer(errorResponse(id, INTERNAL_ERROR, fault ?? "the upstream did not answer"));
    }
    if (ids.size === 0 && fault !== undefined && !exchange.isAborted) {
      this.#options.say(`a message was not taken: ${fault}`);
    }
    this.#noteQuiet();
  }

  /** The host gives a request up: whether that closes its stream, and nothing is to be sent. */
  #cancel(message: Message): boolean {
    const id = valueAt(message.bytes, message.params, "requestId");
    const exchange = id === undefined
      ? undefined
      : this.#inFlight.get(idKey(spanText(message.bytes, id)));
    if (exchange?.mode === this.#tools) {
      exchange.abort();
      return true;
    }
    if (exchange !== undefined) this.#noteGivenUp(exchange);
    return modernVersion(message) !== undefined;
  }

  /** What never comes must not be waited for without end: the oldest of too many is closed. */
  #noteGivenUp(exchange: Exchange): void {
    if (exchange.ids.size > 1 || this.#givenUp.includes(exchange)) return;
    if (exchange.messages.some((message) => this.#legacy.isOpening(message))) return;
    this.#givenUp = [...this.#givenUp.filter(({ ids }) => ids.size > 0), exchange];
    if (this.#givenUp.length > MAX_GIVEN_UP) this.#givenUp.shift()?.abort();
  }

  #toHost(line: Uint8Array, original?: Uint8Array): Promise<void> {
    this.#moved++;
    const { tap, output } = this.#options;
    tap?.serverLine(original ?? line);
    if (original !== undefined) tap?.proxy(line);
    return output.write(line);
  }

  /** Answers the host ourselves. */
  #answer(line: Uint8Array): Promise<void> {
    this.#options.tap?.proxy(line);
    return this.#options.output.write(line);
  }

  get #isQuiet(): boolean {
    return this.#inFlight.size === 0 && this.#held === undefined && this.#untaken === 0;
  }

  #noteQuiet(): void {
    if (this.#isQuiet) this.#over?.();
  }

  /** Settles when nothing is under way, or nothing has moved for so long. */
  async #quiet(ms: number): Promise<void> {
    if (this.#isQuiet) return;
    await new Promise<void>((resolve) => {
      let seen = this.#moved;
      const timer = setInterval(() => {
        if (this.#moved === seen) this.#over?.();
        seen = this.#moved;
      }, ms);
      this.#over = () => {
        clearInterval(timer);
        resolve();
      };
    });
  }
}

/** Whether a line holds nothing, which is no message. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
