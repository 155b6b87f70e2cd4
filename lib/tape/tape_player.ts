/**
 * Plays a tape to a host, as the recorded server: each request gets what the same request got,
 * byte for byte but for ids and progress tokens, which are the host's.
 *
 * @module
 */

import { editJson, type JsonEdit } from "../json/edit_json.ts";
import { at, isObject, type JsonObject, jsonText, textAt } from "../json/json.ts";
import { spanText, valueAt } from "../json/json_spans.ts";
import { excerpt } from "../text/printable.ts";
import { reasonOf } from "../text/reason.ts";
import { type Message, readJsonRpc, readMessage, writtenId } from "../wire/message.ts";
import { isBlank } from "../wire/reading.ts";
import { errorResponse } from "../wire/rpc_error.ts";
import { nearestRequest } from "./nearest_request.ts";
import { askedOf, type Exchange, type Tape, type TapeMoment, type TapePlace } from "./tape.ts";

/** How a tape is played. */
export interface PlayOptions {
  /** Whether answers take as long as they took. */
  readonly isTimed: boolean;
  /** What a request gets that was not recorded: an error, the next answer of its kind, or a server's. */
  readonly onMiss: "error" | "next" | "server";
  /** Whether a write may be served more often than it was recorded. */
  readonly isAgain: boolean;
}

/** What a player works with. */
export interface PlayPorts {
  /** The wire text of a recorded message. */
  readonly read: (place: TapePlace) => Uint8Array;
  /** Sends a line to the host. */
  readonly send: (line: Uint8Array) => void;
  readonly wait: (ms: number) => Promise<void>;
  /** Asks a server; gives the line of its answer. `hello` is what the host opened its session with. */
  readonly live?: (request: LiveRequest, hello: JsonObject | undefined) => Promise<Uint8Array>;
}

/** A request that was not recorded. */
export interface LiveRequest {
  readonly method: string;
  readonly params: JsonObject;
}

const PARSE_ERROR = -32700;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** What a host hears whose request had no answer when it was recorded: without it, it would wait. */
export const NO_RECORDED_ANSWER = "The recorded request got no answer: its log ends before";
/** Recorded requests that are compared with one that was not recorded. */
const MAX_COMPARED = 200;

/** Plays a tape to one host. */
export class TapePlayer {
  /** Requests that were answered from the tape, and those that were not on it. */
  served = 0;
  missed = 0;
  /** Requests that a server answered. */
  live = 0;
  readonly #tape: Tape;
  readonly #options: PlayOptions;
  readonly #ports: PlayPorts;
  readonly #used = new Set<Exchange>();
  readonly #asks = new Map<string, () => void>();
  readonly #playing = new Set<Promise<void>>();
  #hello: JsonObject | undefined;

  /** Plays `tape` from its start. */
  constructor(tape: Tape, options: PlayOptions, ports: PlayPorts) {
    this.#tape = tape;
    this.#options = options;
    this.#ports = ports;
  }

  /** Takes a line of the host. */
  take(line: Uint8Array): void {
    if (isBlank(line)) return;
    let value: unknown;
    let messages: readonly Message[];
    try {
      value = JSON.parse(new TextDecoder().decode(line));
      messages = readJsonRpc(line).messages;
    } catch {
      return this.#ports.send(
        errorResponse("null", PARSE_ERROR, "Parse error: the line is no JSON"),
      );
    }
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [i, message] of messages.entries()) this.#message(message, values[i]);
  }

  /** The host has closed: what waits for it goes on. Settles when nothing is played any more. */
  async end(): Promise<void> {
    for (const settle of [...this.#asks.values()]) settle();
    await Promise.allSettled(this.#playing);
  }

  #message(message: Message, value: unknown): void {
    const method = textAt(value, "method");
    const id = writtenId(message);
    if (method === undefined) return this.#asks.get(id ?? "")?.();
    const params = at(value, "params");
    if (method === "initialize" && isObject(params)) this.#hello = params;
    const exchange = this.#pick(value);
    if (typeof exchange === "string") {
      if (id === undefined) return; // A notification gets no answer.
      if (method === "server/discover" && this.#tape.modernVersions.size > 0) {
        this.served++;
        return this.#ports.send(new TextEncoder().encode(this.#discovered(id)));
      }
      const { live } = this.#ports;
      if (live !== undefined) {
        const request = { method, params: isObject(params) ? params : {} };
        return this.#follow(id, this.#ask(id, live(request, this.#hello)));
      }
      this.missed++;
      return this.#ports.send(errorResponse(id, INVALID_PARAMS, exchange));
    }
    if (id !== undefined) this.served++;
    const token = valueAt(message.bytes, message.params, "_meta", "progressToken");
    this.#follow(id, this.#play(exchange, { id, token: token && spanText(message.bytes, token) }));
  }

  /** Waits for what is played; a fault is the request's error. */
  #follow(id: string | undefined, work: Promise<void>): void {
    const playing = work.catch((error) => {
      if (id !== undefined) this.#ports.send(errorResponse(id, INTERNAL_ERROR, reasonOf(error)));
    }).finally(() => this.#playing.delete(playing));
    this.#playing.add(playing);
  }

  /** Hands a server's answer on, under the host's id. */
  async #ask(id: string, answer: Promise<Uint8Array>): Promise<void> {
    const line = await answer;
    const { id: span } = readMessage(line);
    this.live++;
    this.#ports.send(span === undefined ? line : editJson(line, [{ span, text: id }]));
  }

  /** The exchange that a request gets, or why it gets none. */
  #pick(request: unknown): Exchange | string {
    const same = this.#tape.find(request);
    const next = same.find((exchange) => !this.#used.has(exchange));
    const last = same.at(-1);
    if (next !== undefined) return this.#taken(next);
    if (last !== undefined) {
      if (this.#options.isAgain || !this.#tape.isWrite(last)) return last;
      return `This write was recorded ${same.length} times and was served as often: ${
        shown(request)
      }; --again serves it again`;
    }
    const method = textAt(request, "method");
    const tool = method === "tools/call" ? textAt(request, "params", "name") : undefined;
    const alike = this.#tape.exchanges.filter((e) => e.method === method && e.tool === tool);
    const unused = this.#options.onMiss === "next" && alike.find((e) => !this.#used.has(e));
    if (unused) return this.#taken(unused);
    const recorded = alike.slice(0, MAX_COMPARED).map((e) => askedOf(this.#value(e.request)));
    const nearest = nearestRequest(askedOf(request), recorded);
    return `Not recorded: ${shown(request)}` +
      (nearest === undefined
        ? `; no ${[method, tool].filter((word) => word !== undefined).join(" ")} is on the tape`
        : `; the nearest is ${excerpt(jsonText(nearest.recorded), 300)}, which differs at ${
          nearest.at.join(", ")
        }`);
  }

  /** What a modern server must answer, and no host of the recorded sessions had asked. */
  #discovered(id: string): string {
    const areas = ["tools", "prompts", "resources"].filter((area) =>
      this.#tape.exchanges.some(({ method }) => method.startsWith(`${area}/`))
    );
    const result = {
      resultType: "complete",
      supportedVersions: [...this.#tape.modernVersions],
      capabilities: Object.fromEntries(areas.map((area) => [area, {}])),
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "hoist-serve", version: "0" } },
    };
    return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`;
  }

  #taken(exchange: Exchange): Exchange {
    this.#used.add(exchange);
    return exchange;
  }

  async #play(
    { moments, request, isCancelled }: Exchange,
    host: { readonly id: string | undefined; readonly token: string | undefined },
  ): Promise<void> {
    let before = request.tMs;
    for (const moment of moments) {
      if (moment.kind === "progress" && host.token === undefined) continue; // It asked for none.
      if (this.#options.isTimed) await this.#ports.wait(moment.tMs - before);
      before = moment.tMs;
      const { promise, resolve } = Promise.withResolvers<void>();
      if (moment.ask !== undefined) this.#asks.set(moment.ask, resolve);
      this.#ports.send(this.#line(moment, host));
      if (moment.ask === undefined) continue;
      await promise;
      this.#asks.delete(moment.ask);
    }
    const isAnswered = moments.some(({ kind }) => kind === "answer");
    if (isAnswered || isCancelled || host.id === undefined) return;
    this.#ports.send(errorResponse(host.id, INTERNAL_ERROR, NO_RECORDED_ANSWER));
  }

  /** A recorded line with the host's id, or its progress token. */
  #line(
    moment: TapeMoment,
    { id, token }: { readonly id: string | undefined; readonly token: string | undefined },
  ): Uint8Array {
    const bytes = this.#ports.read(moment);
    if (moment.kind === "other") return bytes;
    const { id: idSpan, params } = readMessage(bytes);
    const edits: JsonEdit[] = [];
    if (moment.kind === "answer" && idSpan !== undefined && id !== undefined) {
      edits.push({ span: idSpan, text: id });
    }
    const tokenSpan = moment.kind === "progress"
      ? valueAt(bytes, params, "progressToken")
      : undefined;
    if (tokenSpan !== undefined && token !== undefined) {
      edits.push({ span: tokenSpan, text: token });
    }
    return editJson(bytes, edits);
  }

  #value(place: TapePlace): unknown {
    return JSON.parse(new TextDecoder().decode(this.#ports.read(place)));
  }
}

/** A request in an error. */
function shown(request: unknown): string {
  return excerpt(
    `${textAt(request, "method") ?? ""} ${jsonText(at(request, "params") ?? {})}`,
    300,
  );
}
