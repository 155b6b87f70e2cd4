/**
 * The streams of a legacy session over HTTP: an answer goes to its request's
 * reply, other messages where stream_choice.ts says, each to one stream.
 *
 * A host that hangs up cancels nothing: later messages are kept for it, see
 * event_history.ts.
 *
 * @module
 */

import { stringAt, valueAt } from "../../json/json_spans.ts";
import type { Accepts } from "../../mcp/http_rules.ts";
import { primingEvent } from "../../wire/event_stream.ts";
import { idKey, type Message, writtenId } from "../../wire/message.ts";
import { EventHistory } from "../event_history.ts";
import { type Moves, Phases } from "../phases.ts";
import type { Timers } from "../timers.ts";
import { arrayOf, HostReply, roomIn } from "./host_reply.ts";
import type { Pulse } from "./pulse.ts";
import type { ReplyHeaders, ReplyWire } from "./reply_wire.ts";
import { progressTokens, streamFor } from "./stream_choice.ts";

/** A request that waits for its answer, or several that share a reply. */
interface Waiting {
  readonly ids: Map<string, string>;
  readonly tokens: readonly string[];
  readonly answers: Uint8Array[];
  readonly isBatch: boolean;
  readonly accepts: Accepts;
  reply: HostReply;
  /** Its number in the history, once it is an event stream. */
  stream: number | undefined;
}

/** Messages of the server that wait for a stream. */
const MAX_QUEUED = 1_000;
/** The history from which a dropped stream is resumed: see event_history.ts. */
const HISTORY = { events: 1_000, bytes: 4 * 1_048_576 };
/** How soon a host should resume a dropped stream. */
const RETRY_MS = 1_000;
const EVENTS_ONLY: Accepts = { json: false, events: true };

/** Ports of the streams. */
export interface StreamsPorts {
  /** Watches replies. */
  readonly pulse: Pulse;
  /** Limits the wait for a host that does not read. */
  readonly timers: Timers;
  /** Tells the user. */
  readonly say: (line: string) => void;
  /** Called when `initialize` fails, or its host leaves before the answer: there is no session. */
  readonly onVain: () => void;
}

/** How a POST is answered. */
export interface PostHow {
  /** Whether its messages stood in an array. */
  readonly isBatch: boolean;
  /** What the host accepts. */
  readonly accepts: Accepts;
  /** Headers of the response. */
  readonly headers?: ReplyHeaders;
}

/** The phases of a session's `initialize`. Only the first one decides about the session. */
export type OpeningPhase = "none" | "asked" | "agreed" | "failed";
/** What moves it on. */
export type OpeningSignal = "ask" | "agree" | "fail";

/** The phases of `initialize`, as a table. */
export const OPENING_MOVES: Moves<OpeningPhase, OpeningSignal> = {
  none: { ask: "asked" },
  asked: { agree: "agreed", fail: "failed" },
  agreed: {},
  failed: {},
};

/** The streams of one session. */
export class HttpStreams {
  readonly #ports: StreamsPorts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #history = new EventHistory(HISTORY);
  readonly #opening = new Phases(OPENING_MOVES, "none");
  /** The key of the `initialize` that is under way. */
  #initializeKey: string | undefined;
  #get: { readonly reply: HostReply; readonly stream: number } | undefined;
  readonly #getStreams = new Set<number>();
  #queue: Uint8Array[] = [];
  #version: string | undefined;

  /** Starts with no stream. */
  constructor(ports: StreamsPorts) {
    this.#ports = ports;
  }

  /** The version that `initialize` agreed on. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Whether a host waits for an answer or listens; one that has hung up does neither. */
  get isActive(): boolean {
    return this.#get !== undefined || this.#all().some(({ reply }) => reply.phase !== "gone");
  }

  /** Whether a request with this key waits. */
  has(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Names one wait for an answer; a later request with the same key is another. */
  waitOf(key: string): object | undefined {
    return this.#waiting.get(key);
  }

  /** Whether the key is that of the `initialize` under way, which cannot be cancelled. */
  isInitialize(key: string): boolean {
    return key === this.#initializeKey;
  }

  /** The keys of all waiting requests, each with its id as written. */
  pending(): [string, string][] {
    return [...this.#waiting].map(([key, { ids }]) => [key, ids.get(key) ?? "null"]);
  }

  /** Opens the GET stream, or resumes the stream of an earlier event. */
  get(lastEventId: string | undefined, wire: ReplyWire): void {
    const past = lastEventId === undefined ? undefined : this.#history.after(lastEventId);
    const stream = past?.stream ?? this.#history.open();
    const isGet = past === undefined || this.#getStreams.has(past.stream);
    const reply = new HostReply(wire, {
      accepts: EVENTS_ONLY,
      preface: () => past === undefined ? this.#preface(stream) : undefined,
      onGone: () => {
        if (this.#get?.reply === reply) this.#get = undefined;
      },
    });
    reply.begin();
    for (const { line, id } of past?.events ?? []) reply.push(line, id);
    this.#ports.pulse.watch(reply);
    if (isGet) this.#openGet(reply, stream);
    else this.#resume(reply, stream);
  }

  /** Ends the GET stream. */
  endGet(): void {
    this.#get?.reply.end();
    this.#get = undefined;
  }

  /** Makes the reply that the requests of a POST wait for. */
  expect(
    messages: readonly Message[],
    ids: Map<string, string>,
    { wire, ...how }: PostHow & { readonly wire: ReplyWire },
  ): void {
    const isOpening = messages[0]?.method === "initialize" && this.#opening.can("ask");
    const reply = new HostReply(wire, {
      accepts: how.accepts,
      headers: how.headers ?? {},
      ...(isOpening ? { onGone: () => this.#opened("fail") } : {}),
      preface: () => {
        waiting.stream = this.#history.open();
        return this.#preface(waiting.stream);
      },
    });
    const waiting: Waiting = {
      ids,
      tokens: progressTokens(messages),
      answers: [],
      isBatch: how.isBatch,
      accepts: how.accepts,
      reply,
      stream: undefined,
    };
    for (const key of ids.keys()) this.#waiting.set(key, waiting);
    if (isOpening) {
      this.#opening.move("ask");
      this.#initializeKey = ids.keys().next().value;
    }
    this.#ports.pulse.watch(reply);
  }

  /** Sends a message of the server to the stream it belongs to. */
  route(message: Message, line: Uint8Array): void {
    if (message.kind === "response") return this.#answer(message, line);
    if (message.kind === "other") return;
    const choice = streamFor(message, this.#all(), this.#get !== undefined);
    if (choice.kind === "request") return this.#push(choice.waiting, line);
    if (choice.kind === "get") return this.#toGet(line);
    if (this.#queue.length >= MAX_QUEUED) {
      this.#queue.shift();
      this.#ports.say(`more than ${MAX_QUEUED} messages wait for a stream; the oldest is dropped`);
    }
    this.#queue.push(line.slice());
  }

  /** Answers the request with that key, if it still waits. */
  settle(key: string, line: Uint8Array): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    this.#waiting.delete(key);
    waiting.ids.delete(key);
    if (waiting.isBatch && waiting.stream === undefined) {
      waiting.answers.push(line.slice());
      if (waiting.ids.size === 0) this.#finish(waiting, arrayOf(waiting.answers));
      return;
    }
    // The stream may have begun after the first answers came.
    for (const answer of waiting.answers.splice(0)) this.#push(waiting, answer);
    if (waiting.ids.size > 0) this.#push(waiting, line);
    else this.#finish(waiting, line);
  }

  /** Settles when full streams are read again; undefined when none is full. */
  room(): Promise<void> | undefined {
    const replies = [...this.#all().map((w) => w.reply), ...this.#get ? [this.#get.reply] : []];
    return roomIn(replies, this.#ports.timers);
  }

  /** Hosts of before 2025-11-25 would take an event without data for a message. */
  #preface(stream: number): Uint8Array | undefined {
    if ((this.#version ?? "") < "2025-11-25") return undefined;
    return primingEvent(this.#history.startOf(stream), RETRY_MS);
  }

  #openGet(reply: HostReply, stream: number): void {
    this.#get?.reply.end(); // The same host, connecting again.
    this.#getStreams.add(stream);
    this.#get = { reply, stream };
    const queued = this.#queue;
    this.#queue = [];
    for (const line of queued) this.#toGet(line);
  }

  #resume(reply: HostReply, stream: number): void {
    const waiting = [...this.#waiting.values()].find((w) => w.stream === stream);
    if (waiting === undefined) return reply.end();
    waiting.reply.end();
    waiting.reply = reply;
  }

  #all(): Waiting[] {
    return [...new Set(this.#waiting.values())];
  }

  #answer(message: Message, line: Uint8Array): void {
    const id = writtenId(message);
    const key = id === undefined ? undefined : this.#keyOf(idKey(id));
    if (key === undefined) return; // Given up, or never asked for.
    const isOpening = key === this.#initializeKey;
    if (isOpening && message.error === undefined) {
      const { bytes, result } = message;
      this.#version = stringAt(bytes, valueAt(bytes, result, "protocolVersion"));
    }
    this.settle(key, line);
    if (isOpening) this.#opened(message.error === undefined ? "agree" : "fail");
  }

  /** The end of the first `initialize`: its id means nothing more after it. */
  #opened(signal: "agree" | "fail"): void {
    if (!this.#opening.can(signal)) return; // Its host left after the answer.
    this.#opening.move(signal);
    this.#initializeKey = undefined;
    if (signal === "fail") this.#ports.onVain();
  }

  /** The key a server meant: some read numbers past 2^53 and write them back rounded. */
  #keyOf(key: string): string | undefined {
    if (this.#waiting.has(key)) return key;
    const number = Number(key);
    return Number.isNaN(number) || Number.isSafeInteger(number)
      ? undefined
      : [...this.#waiting.keys()].find((k) => !k.startsWith('"') && Number(k) === number);
  }

  #push(waiting: Waiting, line: Uint8Array): void {
    waiting.reply.begin();
    for (const answer of waiting.answers.splice(0)) this.#push(waiting, answer);
    waiting.reply.push(line, this.#kept(waiting.stream, line));
  }

  #finish(waiting: Waiting, line: Uint8Array): void {
    if (!waiting.accepts.json) waiting.reply.begin();
    const id = this.#kept(waiting.stream, line);
    waiting.reply.finish(line, id === undefined ? {} : { id });
    if (waiting.stream !== undefined) this.#history.close(waiting.stream);
  }

  #toGet(line: Uint8Array): void {
    this.#get?.reply.push(line, this.#kept(this.#get.stream, line));
  }

  /** Keeps an event of a stream; its id. */
  #kept(stream: number | undefined, line: Uint8Array): string | undefined {
    return stream === undefined ? undefined : this.#history.add(stream, line.slice());
  }
}
