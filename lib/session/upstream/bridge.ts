/**
 * Decides for a host on stdio and a server behind HTTP: each line of the host is
 * POSTed, each message of the server becomes a line.
 *
 * Each message tells its era. Legacy: the answer to `initialize` decides the
 * session id and the version header of later messages, so those wait for it; a
 * GET stream carries the server's own messages, and DELETE ends the session.
 * Modern: the headers come from the message, and a cancelled request closes its
 * stream. Each request gets one answer: the server's, or one error of the proxy.
 *
 * @module
 */

import { spanText, valueAt } from "../../json/json_spans.ts";
import { modernVersion } from "../../mcp/era.ts";
import type { Timers } from "../timers.ts";
import { idKey, type Message, readJsonRpc, writtenId } from "../../wire/message.ts";
import { claimedId, isBlank, isReadable, withoutMark } from "../../wire/reading.ts";
import { errorResponse, INTERNAL_ERROR } from "../../wire/rpc_error.ts";
import type { LineLog } from "../line_log.ts";
import { type Moves, Phases } from "../phases.ts";
import { LegacyEra, type LegacyPorts } from "./legacy_era.ts";
import type { UpstreamLink } from "./link.ts";
import { ModernEra } from "./modern_era.ts";
import { UpstreamPost } from "./post.ts";

/** Ports and settings of a bridge. */
export interface UpstreamBridgeOptions {
  /** The endpoint. */
  readonly link: UpstreamLink;
  /** Delays. */
  readonly timers: Timers;
  /** Takes each line for the host; settles when the next may come. */
  readonly output: { write(line: Uint8Array): Promise<void> };
  /** The session's log. */
  readonly tap: LineLog | undefined;
  /** `--exit-grace` in milliseconds. */
  readonly exitGraceMs: number;
  /** Tells the user. */
  readonly say: (line: string) => void;
  /**
   * The next id of a request of the proxy.
   *
   * @default {a count of its own}
   */
  readonly ownId?: () => string;
}

/** The phases of a bridge. */
export type BridgePhase = "open" | "draining" | "ended";
/** What moves a bridge on. */
export type BridgeSignal = "hostEof" | "end";

/** The phases of a bridge, as a table. */
export const BRIDGE_MOVES: Moves<BridgePhase, BridgeSignal> = {
  open: { hostEof: "draining", end: "ended" },
  draining: { end: "ended" },
  ended: { end: "ended" },
};

/** Legacy requests that the host gave up and the upstream may still answer. */
const MAX_GIVEN_UP = 32;
/** Lines read ahead while an opening message is under way; reading on shows the host's EOF. */
const MAX_HELD = 1_000;
/** Timeout of DELETE. */
const DELETE_MS = 2_000;
/** The answer to requests that are still open at the end. */
const UNANSWERED = "the upstream did not answer before the end of the session";

/** One host's way to an upstream. */
export class UpstreamBridge {
  readonly #options: UpstreamBridgeOptions;
  readonly #phases = new Phases(BRIDGE_MOVES, "open");
  readonly #inFlight = new Map<string, UpstreamPost>();
  readonly #ports: LegacyPorts;
  readonly #legacy: LegacyEra;
  readonly #modern: ModernEra;
  #givenUp: UpstreamPost[] = [];
  #ownIds = 0;
  /** Lines that wait for an opening message; undefined when none is under way. */
  #held: Uint8Array[] | undefined;
  /** Settles when the held lines are released. */
  #released: Promise<void> = Promise.resolve();
  /** Messages without an answer that the upstream has not accepted yet. */
  #unaccepted = 0;
  /** Counts lines in both directions. */
  #moved = 0;
  #onQuiet: (() => void) | undefined;

  /** Makes a bridge; nothing is sent yet. */
  constructor(options: UpstreamBridgeOptions) {
    this.#options = options;
    this.#ports = {
      ...options,
      ownId: options.ownId ?? (() => `hoist-${++this.#ownIds}`),
      toHost: (line: Uint8Array, original?: Uint8Array) => this.#toHost(line, original),
      settle: (key: string) => this.#inFlight.delete(key),
    };
    this.#legacy = new LegacyEra(this.#ports);
    this.#modern = new ModernEra(this.#ports);
  }

  /** The current phase. */
  get phase(): BridgePhase {
    return this.#phases.now;
  }

  /** Takes one line of the host, which it keeps; settles when the next may come. */
  async line(line: Uint8Array): Promise<void> {
    if (isBlank(line)) return;
    this.#moved++;
    if (!isReadable(line)) {
      const id = claimedId(line) ?? "null";
      return this.#answer(errorResponse(id, -32700, "Parse error: the line is not JSON"));
    }
    this.#pass(withoutMark(line));
    if ((this.#held?.length ?? 0) >= MAX_HELD) await this.#released;
  }

  /** The host has closed its end: waits for what is under way, then ends the session. */
  async hostEof(): Promise<void> {
    this.#phases.move("hostEof");
    await this.#quiet(this.#options.exitGraceMs);
    const held = this.#held ?? [];
    this.#held = []; // Lines that still wait are not sent any more.
    for (const [key, post] of this.#inFlight) {
      this.#inFlight.delete(key);
      post.abort();
      await this.#fail(post.ids.get(key) ?? "null", UNANSWERED);
    }
    for (const message of held.flatMap((line) => readJsonRpc(line).messages)) {
      const id = message.kind === "request" ? writtenId(message) : undefined;
      if (id !== undefined) await this.#fail(id, UNANSWERED);
    }
    await this.end();
  }

  /** Ends the session at once. */
  async end(): Promise<void> {
    this.#phases.move("end");
    for (const post of new Set(this.#inFlight.values())) post.abort();
    this.#onQuiet?.();
    await this.#legacy.close(DELETE_MS);
  }

  #pass(line: Uint8Array): void {
    if (this.#held === undefined) this.#send(line);
    else this.#held.push(line);
  }

  /** POSTs a line; after an opening message the next lines are held until it is accepted. */
  #send(line: Uint8Array): void {
    const { messages } = readJsonRpc(line);
    const first = messages[0];
    if (first === undefined) return;
    if (first.method === "notifications/cancelled" && this.#cancel(first)) return;
    const isModern = messages.length === 1 && modernVersion(first) !== undefined;
    const era = isModern ? this.#modern : this.#legacy;
    const post = new UpstreamPost(first.bytes, messages, { ...this.#ports, era });
    const run = this.#run(post);
    const isOpening = !isModern && this.#legacy.isOpening(first);
    if (post.ids.size > 0 && !isOpening) return;
    const accepted = Promise.race([run, post.answered]);
    if (post.ids.size === 0) {
      this.#unaccepted++;
      accepted.then(() => {
        this.#unaccepted--;
        this.#noteQuiet();
      });
    }
    if (!isOpening) return;
    this.#held = [];
    this.#released = accepted.then(() => this.#release());
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of held) this.#pass(line);
    this.#noteQuiet();
  }

  /** Runs a POST, and answers those of its requests that got no answer. */
  async #run(post: UpstreamPost): Promise<void> {
    const ids = new Map(post.ids);
    for (const [key, id] of ids) {
      if (this.#inFlight.has(key)) {
        return this.#answer(errorResponse(id, -32600, "a request with this id is in flight"));
      }
    }
    for (const key of ids.keys()) this.#inFlight.set(key, post);
    const fault = await post.run();
    for (const [key, id] of ids) {
      if (this.#inFlight.get(key) !== post) continue;
      this.#inFlight.delete(key);
      if (!post.isAborted) await this.#fail(id, fault ?? "the upstream did not answer");
    }
    if (ids.size === 0 && fault !== undefined && !post.isAborted) {
      this.#options.say(`a message was not taken: ${fault}`);
    }
    this.#noteQuiet();
  }

  /** The host gives a request up: whether that closes its stream, and nothing is sent. */
  #cancel(message: Message): boolean {
    const id = valueAt(message.bytes, message.params, "requestId");
    const post = id === undefined
      ? undefined
      : this.#inFlight.get(idKey(spanText(message.bytes, id)));
    if (post?.era === this.#modern) {
      post.abort();
      return true;
    }
    if (post !== undefined) this.#noteGivenUp(post);
    return modernVersion(message) !== undefined;
  }

  /** An answer may never come: of too many given-up requests the oldest is closed. */
  #noteGivenUp(post: UpstreamPost): void {
    if (post.ids.size > 1 || this.#givenUp.includes(post)) return;
    if (post.messages.some((message) => this.#legacy.isOpening(message))) return;
    this.#givenUp = [...this.#givenUp.filter(({ ids }) => ids.size > 0), post];
    if (this.#givenUp.length > MAX_GIVEN_UP) this.#givenUp.shift()?.abort();
  }

  #toHost(line: Uint8Array, original?: Uint8Array): Promise<void> {
    this.#moved++;
    const { tap, output } = this.#options;
    tap?.serverLine(original ?? line);
    if (original !== undefined) tap?.proxy(line);
    return output.write(line);
  }

  /** Sends the host a line of the proxy's own. */
  #answer(line: Uint8Array): Promise<void> {
    this.#options.tap?.proxy(line);
    return this.#options.output.write(line);
  }

  #fail(id: string, why: string): Promise<void> {
    return this.#answer(errorResponse(id, INTERNAL_ERROR, why));
  }

  get #isQuiet(): boolean {
    return this.#inFlight.size === 0 && this.#held === undefined && this.#unaccepted === 0;
  }

  #noteQuiet(): void {
    if (this.#isQuiet) this.#onQuiet?.();
  }

  /** Settles when nothing is under way, or no line has moved for so long. */
  async #quiet(ms: number): Promise<void> {
    if (this.#isQuiet) return;
    await new Promise<void>((resolve) => {
      const { timers } = this.#options;
      let seen = this.#moved;
      const check = () => {
        if (this.#moved === seen) return this.#onQuiet?.();
        seen = this.#moved;
        cancel = timers.later(ms, check);
      };
      let cancel = timers.later(ms, check);
      this.#onQuiet = () => {
        cancel();
        resolve();
      };
    });
  }
}
