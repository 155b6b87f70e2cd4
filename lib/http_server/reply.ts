/**
 * The answer to one POST or GET of a host: one JSON body when the answer is
 * there soon and nothing came before it, else an event stream.
 *
 * An event stream costs more than a body, and most answers are there at once, so
 * a POST's reply stays open for either until {@linkcode Reply.begin} is called.
 *
 * @module
 */

import type { Accepts } from "../mcp/http_rules.ts";
import { concat } from "../bytes/concat.ts";
import { KEEP_ALIVE, messageEvent } from "../wire/event_stream.ts";

/** Headers of every event stream. */
const EVENTS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Headers of every body: a runtime, or who stands in between, may spend time on packing it. */
const BODY = { "content-type": "application/json", "cache-control": "no-transform" };

/** A stream that its reader does not empty holds this much before it counts as full. */
const FULL_BYTES = 1_048_576;

/** How a reply is made. */
export interface ReplyOptions {
  /** What the host takes. */
  readonly accepts: Accepts;
  /** Headers besides the type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What an event stream begins with, asked for when it begins. */
  readonly preface?: () => Uint8Array | undefined;
  /** Aborted when the host leaves: where no stream is to be had, nothing else says so. */
  readonly signal?: AbortSignal | undefined;
  /** The host hung up before the end. */
  readonly onGone?: () => void;
}

/** One reply. */
export class Reply {
  /** The response, once it is known what it is. */
  readonly response: Promise<Response>;
  readonly #options: ReplyOptions;
  readonly #resolve: (response: Response) => void;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #state: "open" | "events" | "over" | "gone" = "open";
  #room: PromiseWithResolvers<void> | undefined;

  /** Makes a reply that has not begun. */
  constructor(options: ReplyOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#resolve = resolve;
    options.signal?.addEventListener("abort", () => this.#left());
  }

  /** Whether messages before the answer can go out. */
  get canStream(): boolean {
    return this.#state === "events" || (this.#state === "open" && this.#options.accepts.events);
  }

  /** Whether it is an event stream that is open. */
  get isStreaming(): boolean {
    return this.#state === "events";
  }

  /** Whether the host hung up. */
  get isGone(): boolean {
    return this.#state === "gone";
  }

  /** Whether nothing more can go out. */
  get isOver(): boolean {
    return this.#state === "over" || this.#state === "gone";
  }

  /** Settles when a stream that is full is read again; undefined while it is not full. */
  get room(): Promise<void> | undefined {
    if (this.#state !== "events" || (this.#stream?.desiredSize ?? 1) > 0) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /** Makes it an event stream, if the host takes one. */
  begin(): void {
    if (this.#state !== "open" || !this.#options.accepts.events) return;
    this.#state = "events";
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#stream = controller),
      pull: () => this.#emptied(),
      cancel: () => this.#lost(),
    }, new ByteLengthQueuingStrategy({ highWaterMark: FULL_BYTES }));
    const preface = this.#options.preface?.();
    if (preface !== undefined) this.#stream?.enqueue(preface);
    this.#resolve(new Response(body, { headers: { ...EVENTS, ...this.#options.headers } }));
  }

  /** Sends a message before the answer. */
  push(line: Uint8Array, id?: string): void {
    this.begin();
    if (this.#state === "events") this.#stream?.enqueue(messageEvent(line, id));
  }

  /** Keeps a quiet stream open. */
  keepAlive(): void {
    if (this.#state === "events") this.#stream?.enqueue(KEEP_ALIVE);
  }

  /** Sends the answer, and ends. `status` is for a body only: a stream has begun with 200. */
  finish(line: Uint8Array, options: { readonly id?: string; readonly status?: number } = {}): void {
    const { id, status = 200 } = options;
    if (this.#state === "open" && (this.#options.accepts.json || status !== 200)) {
      this.#state = "over";
      const headers = { ...BODY, ...this.#options.headers };
      const body = line.slice() as Uint8Array<ArrayBuffer>;
      this.#resolve(new Response(body, { status, headers }));
      return;
    }
    this.push(line, id);
    this.end();
  }

  /** Answers with a whole response, if none has begun. */
  respond(response: Response): void {
    if (this.#state !== "open") return;
    this.#state = "over";
    this.#resolve(response);
  }

  /** Ends the stream. */
  end(): void {
    if (this.#state === "open") {
      this.respond(new Response(null, { status: 202 }));
    } else if (this.#state === "events") {
      this.#state = "over";
      this.#emptied();
      this.#stream?.close();
    }
  }

  #emptied(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #left(): void {
    if (this.#state !== "open") return;
    this.#state = "gone";
    this.#resolve(new Response(null, { status: 499 })); // To nobody.
    this.#options.onGone?.();
  }

  #lost(): void {
    if (this.#state !== "events") return;
    this.#state = "gone";
    this.#emptied();
    this.#options.onGone?.();
  }
}

/** Answers of a batch as the one array they make. */
export function arrayOf(lines: readonly Uint8Array[]): Uint8Array {
  const comma = new Uint8Array([0x2c]);
  const parts = lines.flatMap((line, i) => i === 0 ? [line] : [comma, line]);
  return concat([new Uint8Array([0x5b]), ...parts, new Uint8Array([0x5d])]);
}
