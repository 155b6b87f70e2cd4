/**
 * One POST of a host's line to an upstream, up to its end: the response is one
 * JSON body, or an event stream that may break and be resumed.
 *
 * It knows both eras through {@linkcode Era}. It never answers the host itself:
 * `run` returns the fault, and the caller answers what still waits.
 *
 * @module
 */

import { spanText, stringAt, valueAt } from "../../json/json_spans.ts";
import {
  type Carries,
  carries,
  lossText,
  MAX_RESUMES,
  reopenDelayMs,
  resumableId,
} from "../../mcp/upstream_rules.ts";
import type { Timers } from "../timers.ts";
import { reasonOf } from "../../text/reason.ts";
import { isMessageEvent } from "../../wire/event_stream.ts";
import { idKey, type Message, oneLine, readJsonRpc, writtenId } from "../../wire/message.ts";
import { claimedId, isBlank, isReadable, withoutMark } from "../../wire/reading.ts";
import { type Moves, Phases } from "../phases.ts";
import type { Era, PostOfEra } from "./era.ts";
import { isSuccessStatus, type UpstreamLink, type UpstreamResponse } from "./link.ts";
import { pause } from "./pause.ts";

/** Ports of a POST. */
export interface PostPorts {
  /** The endpoint. */
  readonly link: UpstreamLink;
  /** The era's rules. */
  readonly era: Era;
  /** Delays between tries to resume. */
  readonly timers: Timers;
  /** Stops waiting for the request with this key; whether it waited. */
  settle(key: string): boolean;
  /** Sends a line to the host; `original` is the server's line where that differs. */
  toHost(line: Uint8Array, original?: Uint8Array): Promise<void>;
}

/** The phases of a POST. */
export type PostPhase = "ready" | "sent" | "body" | "stream" | "broken" | "recovering" | "ended";
/** What moves a POST on. */
export type PostSignal = "send" | "body" | "events" | "break" | "again" | "end";

/** The phases of a POST, as a table. */
export const POST_MOVES: Moves<PostPhase, PostSignal> = {
  ready: { send: "sent" },
  sent: { body: "body", events: "stream", end: "ended" },
  body: { again: "recovering", end: "ended" },
  stream: { break: "broken", again: "recovering", end: "ended" },
  broken: { events: "stream", end: "ended" },
  recovering: { send: "sent", end: "ended" },
  ended: {},
};

/** How a response ended: with a fault in words, or with a request to send again. */
interface Outcome {
  readonly fault: string | undefined;
  readonly isAgain?: boolean;
}

const NOT_JSON = "the upstream's answer is not JSON";
const AGAIN: Outcome = { fault: undefined, isAgain: true };

/** One POST. */
export class UpstreamPost implements PostOfEra {
  /** The bytes sent. */
  readonly body: Uint8Array;
  /** The messages in them. */
  readonly messages: readonly Message[];
  /** The session id that was sent along. */
  sentSession: string | undefined;
  readonly #ports: PostPorts;
  readonly #phases = new Phases(POST_MOVES, "ready");
  readonly #ids = new Map<string, string>();
  readonly #abort = new AbortController();
  readonly #answered = Promise.withResolvers<void>();
  #lastEventId: string | undefined;
  #retryMs: number | undefined;

  /** Makes a POST; nothing is sent yet. */
  constructor(body: Uint8Array, messages: readonly Message[], ports: PostPorts) {
    this.body = body;
    this.messages = messages;
    this.#ports = ports;
    for (const message of messages) {
      const id = message.kind === "request" ? writtenId(message) : undefined;
      if (id !== undefined) this.#ids.set(idKey(id), id);
    }
  }

  /** The era's rules. */
  get era(): Era {
    return this.#ports.era;
  }

  /** The current phase. */
  get phase(): PostPhase {
    return this.#phases.now;
  }

  /** Its requests without an answer: key, and id as written. */
  get ids(): ReadonlyMap<string, string> {
    return this.#ids;
  }

  /** Whether it was given up. */
  get isAborted(): boolean {
    return this.#abort.signal.aborted;
  }

  /**
   * Settles when each of its requests has its answer, which may be before its stream ends. Without
   * requests it settles as soon as the upstream has accepted the message.
   */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  /** Gives it up: its streams are closed, and the host gets nothing more of it. */
  abort(): void {
    this.#abort.abort();
  }

  /**
   * Sends it and passes on the answers.
   *
   * @returns The fault in words; undefined when the response ended as it should.
   */
  async run(): Promise<string | undefined> {
    for (let isFirst = true;; isFirst = false) {
      const { fault, isAgain } = await this.#try(isFirst);
      if (isAgain === true) this.#phases.move("again");
      if (isAgain === true && await this.era.recover(this)) continue;
      this.#phases.move("end");
      return isAgain === true ? fault ?? "the upstream's session is lost" : fault;
    }
  }

  /** Sends it once. */
  async #try(mayRetry: boolean): Promise<Outcome> {
    const { era } = this;
    this.#phases.move("send");
    try {
      const headers = await era.headers(this);
      const { signal } = this.#abort;
      const response = await this.#ports.link.post(this.body, headers, { signal });
      era.opened(this, response);
      if (this.#ids.size === 0 && isSuccessStatus(response)) this.#answered.resolve();
      return carries(response.status, response.contentType) === "events"
        ? await this.#events(response, mayRetry)
        : await this.#body(response, mayRetry);
    } catch (error) {
      return { fault: reasonOf(error) };
    }
  }

  async #body(response: UpstreamResponse, mayRetry: boolean): Promise<Outcome> {
    this.#phases.move("body");
    const { status } = response;
    const what = carries(status, response.contentType);
    const body = what === "json" ? await response.body() : undefined;
    if (what !== "json") await response.discard();
    if (mayRetry && this.era.isLost(this, status, body)) {
      return { fault: "the upstream has lost the session", isAgain: true };
    }
    if (what !== "json") return this.#ended(status, what);
    if (body === undefined) return { fault: "the upstream's answer was cut off" };
    if (isBlank(body)) return this.#ended(status, "nothing");
    if (!isReadable(body)) return { fault: NOT_JSON };
    if (await this.#take(oneLine(withoutMark(body)), mayRetry)) return AGAIN;
    return this.#ended(status, what, hintOf(body));
  }

  #ended(status: number, what: Carries, hint?: string): Outcome {
    const isTaken = this.#ids.size === 0 && isSuccessStatus({ status });
    return { fault: isTaken ? undefined : lossText(status, what, hint) };
  }

  async #events(first: UpstreamResponse, mayRetry: boolean): Promise<Outcome> {
    const ended = () => ({
      fault: this.#isWaiting() ? lossText(first.status, "events", undefined) : undefined,
    });
    let fruitless = 0;
    for (let response = first;;) {
      this.#phases.move("events");
      const before = this.#lastEventId;
      const outcome = await this.#readEvents(response, mayRetry);
      if (outcome !== undefined) return outcome;
      if (this.isAborted || !this.#isWaiting()) return ended();
      if (this.era.resume === undefined || this.#lastEventId === undefined) return ended();
      this.#phases.move("break");
      fruitless = before === this.#lastEventId ? fruitless + 1 : 0;
      const next = await this.#resume(this.#lastEventId, fruitless);
      if (next === undefined) return ended();
      response = next;
    }
  }

  /** Resumes the stream; undefined when that fails for good. */
  async #resume(lastEventId: string, fruitless: number): Promise<UpstreamResponse | undefined> {
    const { signal } = this.#abort;
    for (let tries = fruitless; tries < MAX_RESUMES; tries++) {
      await pause(this.#ports.timers, reopenDelayMs(tries, this.#retryMs), signal);
      if (signal.aborted || !this.#isWaiting()) return undefined;
      try {
        const response = await this.era.resume?.(lastEventId, signal);
        if (response === undefined) return undefined;
        if (carries(response.status, response.contentType) === "events") return response;
        await response.discard();
        if (response.status < 500) return undefined;
      } catch {
        // Not reachable now: the next try may succeed.
      }
    }
    return undefined;
  }

  /** Reads a stream; the outcome, or undefined when it ended or broke before there was one. */
  async #readEvents(
    response: UpstreamResponse,
    mayRetry: boolean,
  ): Promise<Outcome | undefined> {
    try {
      for await (const event of response.events()) {
        if (event.id !== undefined) this.#lastEventId = resumableId(event.id);
        if (event.retryMs !== undefined) this.#retryMs = event.retryMs;
        if (!isMessageEvent(event)) continue;
        if (!isReadable(event.data)) {
          if (this.#isAnswerTo(claimedId(event.data))) return { fault: NOT_JSON };
        } else if (await this.#take(oneLine(withoutMark(event.data)), mayRetry)) return AGAIN;
      }
    } catch {
      // Cut off: resumed like a stream that ended.
    }
    return undefined;
  }

  #isAnswerTo(id: string | undefined): boolean {
    return id !== undefined && this.#ids.has(idKey(id));
  }

  /** Passes one line on; whether the request is to be sent again instead. */
  async #take(line: Uint8Array, mayRetry: boolean): Promise<boolean> {
    let out: Uint8Array = line;
    let isWanted = false;
    for (const message of readJsonRpc(line).messages) {
      if (message.kind !== "response") {
        isWanted ||= message.kind !== "other";
        continue;
      }
      const id = writtenId(message);
      const key = id === undefined ? undefined : idKey(id);
      if (key === undefined || this.isAborted) continue;
      const ruling = this.era.answered(this, message);
      if (ruling.kind === "again" && mayRetry) return true;
      if (!this.#ports.settle(key)) continue;
      this.#ids.delete(key);
      isWanted = true;
      if (ruling.kind === "replace") out = ruling.line;
    }
    if (isWanted && !this.isAborted) {
      await this.#ports.toHost(out, out === line ? undefined : line);
    }
    if (!this.#isWaiting()) this.#answered.resolve();
    return false;
  }

  #isWaiting(): boolean {
    return this.#ids.size > 0;
  }
}

/** The message of an error that names no request. */
function hintOf(body: Uint8Array): string | undefined {
  const error = readJsonRpc(body).messages[0]?.error;
  const message = stringAt(body, valueAt(body, error, "message"));
  const code = valueAt(body, error, "code");
  if (message === undefined) return undefined;
  return `(${code === undefined ? "" : `${spanText(body, code)}: `}${message.slice(0, 300)})`;
}
