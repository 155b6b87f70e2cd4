/**
 * The streams of a legacy session over HTTP, and the rules by which what its
 * server says finds one.
 *
 * An answer goes to its request's reply. Progress goes with the request whose
 * token it names; what a server says in the middle of the only waiting request
 * goes with that one; all else goes to the GET stream, to a waiting request when
 * there is none, or waits for one. Each message goes to one stream. A host that
 * hangs up gives nothing up: what comes is kept for it, see event_history.ts.
 *
 * @module
 */

import type { Accepts } from "../mcp/http_rules.ts";
import { EventHistory } from "../session/event_history.ts";
import { primingEvent } from "../wire/event_stream.ts";
import { spanText, stringAt, valueAt } from "../json/json_spans.ts";
import { idKey, type Message, writtenId } from "../wire/message.ts";
import type { Pulse } from "./pulse.ts";
import { arrayOf, Reply } from "./reply.ts";

/** A request that waits for its answer, or several that share a reply. */
interface Waiting {
  readonly ids: Map<string, string>;
  readonly tokens: readonly string[];
  readonly answers: Uint8Array[];
  readonly isBatch: boolean;
  readonly accepts: Accepts;
  reply: Reply;
  /** Its number in the history, once it is an event stream. */
  stream: number | undefined;
}

/** Messages of the server that wait for a stream. */
const MAX_QUEUED = 1_000;
/** What a stream that dropped can be given again: see event_history.ts. */
const HISTORY = { events: 1_000, bytes: 4 * 1_048_576 };
/** How soon a host should take a dropped stream up again. */
const RETRY_MS = 1_000;
/** A stream nobody reads may hold up the session this long. */
const STUCK_MS = 30_000;
const EVENTS_ONLY: Accepts = { json: false, events: true };

/** What the streams ask of their surroundings. */
export interface StreamsPorts {
  /** The clock of replies. */
  readonly pulse: Pulse;
  /** Tells the user. */
  readonly say: (line: string) => void;
  /** `initialize` was refused, or its host left before the answer: no session comes of it. */
  readonly onVain: () => void;
}

/** How a POST is answered. */
export interface PostHow {
  /** Whether its messages stood in an array. */
  readonly isBatch: boolean;
  /** What the host takes. */
  readonly accepts: Accepts;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborted when the host leaves. */
  readonly signal?: AbortSignal | undefined;
}

/** The streams of one session. */
export class SessionStreams {
  readonly #ports: StreamsPorts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #history = new EventHistory(HISTORY);
  #get: { readonly reply: Reply; readonly stream: number } | undefined;
  readonly #getStreams = new Set<number>();
  #queue: Uint8Array[] = [];
  #version: string | undefined;
  #initializeKey: string | undefined;

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
    return this.#get !== undefined || this.#all().some((waiting) => !waiting.reply.isGone);
  }

  /** Whether a request with this key waits. */
  has(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Whether the key is that of `initialize`, which is never given up. */
  isInitialize(key: string): boolean {
    return key === this.#initializeKey;
  }

  /** The keys of all that wait, each with its id as written. */
  pending(): [string, string][] {
    return [...this.#waiting].map(([key, { ids }]) => [key, ids.get(key) ?? "null"]);
  }

  /** Opens the GET stream, or takes up the stream of an event that came before. */
  get(lastEventId: string | undefined): Promise<Response> {
    const past = lastEventId === undefined ? undefined : this.#history.after(lastEventId);
    const stream = past?.stream ?? this.#history.open();
    const isGet = past === undefined || this.#getStreams.has(past.stream);
    const reply = new Reply({
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
    else this.#takeUp(reply, stream);
    return reply.response;
  }

  /** Ends the GET stream. */
  endGet(): void {
    this.#get?.reply.end();
    this.#get = undefined;
  }

  /** Makes the reply that the requests of a POST wait on. */
  expect(messages: readonly Message[], ids: Map<string, string>, how: PostHow): Reply {
    const isOpening = messages[0]?.method === "initialize";
    const waiting: Waiting = {
      ids,
      tokens: messages.flatMap((message) => tokenOf(message) ?? []),
      answers: [],
      isBatch: how.isBatch,
      accepts: how.accepts,
      reply: new Reply({
        accepts: how.accepts,
        headers: how.headers ?? {},
        signal: how.signal,
        ...(isOpening ? { onGone: this.#ports.onVain } : {}),
        preface: () => {
          waiting.stream = this.#history.open();
          return this.#preface(waiting.stream);
        },
      }),
      stream: undefined,
    };
    for (const key of ids.keys()) this.#waiting.set(key, waiting);
    if (isOpening) this.#initializeKey = ids.keys().next().value;
    this.#ports.pulse.watch(waiting.reply);
    return waiting.reply;
  }

  /** Hosts of before 2025-11-25 would take an event without data for a message. */
  #preface(stream: number): Uint8Array | undefined {
    if ((this.#version ?? "") < "2025-11-25") return undefined;
    return primingEvent(this.#history.startOf(stream), RETRY_MS);
  }

  #openGet(reply: Reply, stream: number): void {
    this.#get?.reply.end(); // The same host, connecting again.
    this.#getStreams.add(stream);
    this.#get = { reply, stream };
    const queued = this.#queue;
    this.#queue = [];
    for (const line of queued) this.#toGet(line);
  }

  #takeUp(reply: Reply, stream: number): void {
    const waiting = [...this.#waiting.values()].find((w) => w.stream === stream);
    if (waiting === undefined) return reply.end();
    waiting.reply.end();
    waiting.reply = reply;
  }

  /** Sends what the server says to where it belongs. */
  route(message: Message, line: Uint8Array): void {
    if (message.kind === "response") return this.#answer(message, line);
    if (message.kind === "other") return;
    if (message.method === "notifications/progress") {
      const token = valueAt(message.bytes, message.params, "progressToken");
      const key = token === undefined ? undefined : idKey(spanText(message.bytes, token));
      const waiting = this.#all().find((w) => key !== undefined && w.tokens.includes(key));
      if (waiting !== undefined) return this.#push(waiting, line);
    }
    const open = this.#all().filter((w) => w.reply.canStream);
    const only = open.length === 1 && isOfARequest(message.method) ? open[0] : undefined;
    if (only !== undefined) return this.#push(only, line);
    if (this.#get !== undefined) return this.#toGet(line);
    const newest = open.at(-1);
    if (newest !== undefined) return this.#push(newest, line);
    if (this.#queue.length >= MAX_QUEUED) {
      this.#queue.shift();
      this.#ports.say(
        `more than ${MAX_QUEUED} messages wait for a stream; the oldest is dropped`,
      );
    }
    this.#queue.push(line.slice());
  }

  #all(): Waiting[] {
    return [...new Set(this.#waiting.values())];
  }

  #answer(message: Message, line: Uint8Array): void {
    const id = writtenId(message);
    const key = id === undefined ? undefined : this.#keyOf(idKey(id));
    if (key === undefined) return; // Given up, or never asked for.
    if (key === this.#initializeKey) {
      const { bytes, result } = message;
      this.#version = stringAt(bytes, valueAt(bytes, result, "protocolVersion"));
    }
    this.settle(key, line);
    if (key === this.#initializeKey && message.error !== undefined) this.#ports.onVain();
  }

  /** The key a server meant: some read numbers past 2^53 and write them back rounded. */
  #keyOf(key: string): string | undefined {
    if (this.#waiting.has(key)) return key;
    const number = Number(key);
    return Number.isNaN(number) || Number.isSafeInteger(number)
      ? undefined
      : [...this.#waiting.keys()].find((k) => !k.startsWith('"') && Number(k) === number);
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
    // Its stream may have begun since they came.
    for (const answer of waiting.answers.splice(0)) this.#push(waiting, answer);
    if (waiting.ids.size > 0) this.#push(waiting, line);
    else this.#finish(waiting, line);
  }

  #push(waiting: Waiting, line: Uint8Array): void {
    waiting.reply.begin();
    for (const answer of waiting.answers.splice(0)) this.#push(waiting, answer);
    const id = waiting.stream === undefined
      ? undefined
      : this.#history.add(waiting.stream, line.slice());
    waiting.reply.push(line, id);
  }

  #finish(waiting: Waiting, line: Uint8Array): void {
    if (!waiting.accepts.json) waiting.reply.begin();
    const id = waiting.stream === undefined
      ? undefined
      : this.#history.add(waiting.stream, line.slice());
    waiting.reply.finish(line, id === undefined ? {} : { id });
    if (waiting.stream !== undefined) this.#history.close(waiting.stream);
  }

  #toGet(line: Uint8Array): void {
    if (this.#get === undefined) return;
    const id = this.#history.add(this.#get.stream, line.slice());
    this.#get.reply.push(line, id);
  }

  /** Settles when streams that are full are read again; undefined when none is full. */
  room(): Promise<void> | undefined {
    const replies = [...this.#all().map((w) => w.reply), ...this.#get ? [this.#get.reply] : []];
    const full = replies.find((reply) => reply.room !== undefined);
    if (full?.room === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stuck = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        full.end();
        resolve();
      }, STUCK_MS);
    });
    return Promise.race([full.room, stuck]).finally(() => clearTimeout(timer));
  }
}

function tokenOf({ bytes, params }: Message): string | undefined {
  const token = valueAt(bytes, params, "_meta", "progressToken");
  return token === undefined ? undefined : idKey(spanText(bytes, token));
}

/** Whether a server says such a thing in the middle of a request, as a rule. */
function isOfARequest(method: string | undefined): boolean {
  return method !== undefined && (!method.startsWith("notifications/") ||
    method === "notifications/message" || method === "notifications/progress" ||
    method === "notifications/elicitation/complete");
}
