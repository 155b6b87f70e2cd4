/**
 * The reply to one POST or GET of a host: one JSON body when the answer is there
 * soon and nothing came before it, else an event stream.
 *
 * An event stream costs more than a body, and most answers are fast, so a POST's
 * reply stays open for either until {@linkcode HostReply.begin} is called.
 *
 * @module
 */

import { concat } from "../../bytes/concat.ts";
import type { Accepts } from "../../mcp/http_rules.ts";
import { KEEP_ALIVE, messageEvent } from "../../wire/event_stream.ts";
import { type Moves, Phases } from "../phases.ts";
import type { Timers } from "../timers.ts";
import { ACCEPTED, type EventSink, type ReplyHeaders, type ReplyWire } from "./reply_wire.ts";

/** Headers of every event stream. */
const EVENTS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Headers of every body: a runtime, or a proxy in between, may spend time on compressing it. */
const BODY = { "content-type": "application/json", "cache-control": "no-transform" };

/** How long a stream that its host does not read may hold up its session. */
const STUCK_MS = 30_000;

/** Settings of a reply. */
export interface HostReplyOptions {
  /** What the host accepts. */
  readonly accepts: Accepts;
  /** Headers besides the type. */
  readonly headers?: ReplyHeaders;
  /** The first bytes of an event stream, asked for when it begins. */
  readonly preface?: () => Uint8Array | undefined;
  /** Called when the host hangs up before the end. */
  readonly onGone?: () => void;
}

/** The phases of a reply. */
export type ReplyPhase = "open" | "events" | "over" | "gone";
/** What moves a reply on. */
export type ReplySignal = "begin" | "end" | "leave";

/** The phases of a reply, as a table. */
export const REPLY_MOVES: Moves<ReplyPhase, ReplySignal> = {
  open: { begin: "events", end: "over", leave: "gone" },
  events: { end: "over", leave: "gone" },
  over: {},
  gone: {},
};

/** One reply. */
export class HostReply {
  readonly #options: HostReplyOptions;
  readonly #wire: ReplyWire;
  readonly #phases = new Phases(REPLY_MOVES, "open");
  #sink: EventSink | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  /** Makes a reply that has not begun. */
  constructor(wire: ReplyWire, options: HostReplyOptions) {
    this.#wire = wire;
    this.#options = options;
    wire.listen({ left: () => this.#left(), emptied: () => this.#emptied() });
  }

  /** The current phase. */
  get phase(): ReplyPhase {
    return this.#phases.now;
  }

  /** Whether messages before the answer can be sent. */
  get canStream(): boolean {
    return this.phase === "events" || (this.phase === "open" && this.#options.accepts.events);
  }

  /** Whether nothing more can be sent. */
  get isOver(): boolean {
    return this.phase === "over" || this.phase === "gone";
  }

  /** Settles when a full stream is read again; undefined while it is not full. */
  get room(): Promise<void> | undefined {
    if (this.phase !== "events" || this.#sink?.isFull !== true) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  /** Makes it an event stream, if the host accepts one. */
  begin(): void {
    if (!this.#phases.can("begin") || !this.#options.accepts.events) return;
    this.#phases.move("begin");
    this.#sink = this.#wire.events({ ...EVENTS, ...this.#options.headers });
    const preface = this.#options.preface?.();
    if (preface !== undefined) this.#sink.write(preface);
  }

  /** Sends a message before the answer. */
  push(line: Uint8Array, id?: string): void {
    this.begin();
    if (this.phase === "events") this.#sink?.write(messageEvent(line, id));
  }

  /** Keeps a quiet stream open. */
  keepAlive(): void {
    if (this.phase === "events") this.#sink?.write(KEEP_ALIVE);
  }

  /** Sends the answer, and ends. `status` is for a body only: a stream has begun with 200. */
  finish(line: Uint8Array, options: { readonly id?: string; readonly status?: number } = {}): void {
    const { id, status = 200 } = options;
    if (this.phase === "open" && (this.#options.accepts.json || status !== 200)) {
      this.#phases.move("end");
      const headers = { ...BODY, ...this.#options.headers };
      return this.#wire.whole({ status, headers, body: line.slice() });
    }
    this.push(line, id);
    this.end();
  }

  /** Ends it; without an answer when it has not begun. */
  end(): void {
    if (!this.#phases.can("end")) return;
    if (this.#phases.now === "open") this.#wire.whole(ACCEPTED);
    this.#phases.move("end");
    this.#emptied();
    this.#sink?.close();
  }

  #emptied(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #left(): void {
    if (!this.#phases.can("leave")) return;
    this.#phases.move("leave");
    this.#emptied();
    this.#options.onGone?.();
  }
}

/**
 * Settles when the first full stream among these is read again; undefined when none is full. A
 * stream that stays full for too long is ended.
 */
export function roomIn(replies: readonly HostReply[], timers: Timers): Promise<void> | undefined {
  const full = replies.find((reply) => reply.room !== undefined);
  if (full?.room === undefined) return undefined;
  const stuck = Promise.withResolvers<void>();
  const cancel = timers.later(STUCK_MS, () => {
    full.end();
    stuck.resolve();
  });
  return Promise.race([full.room, stuck.promise]).finally(cancel);
}

/** Joins the answers of a batch to one array. */
export function arrayOf(lines: readonly Uint8Array[]): Uint8Array {
  const comma = new Uint8Array([0x2c]);
  const parts = lines.flatMap((line, i) => i === 0 ? [line] : [comma, line]);
  return concat([new Uint8Array([0x5b]), ...parts, new Uint8Array([0x5d])]);
}
