/**
 * Modern requests of any number of hosts, served by one child process that
 * speaks the modern era.
 *
 * Whether the server is modern is found out at the first modern request, by
 * asking a server of the pool's own for `server/discover`. One that is not is
 * never asked again, and modern requests are refused as a legacy server refuses
 * them, so that a host of both eras falls back to `initialize`.
 *
 * @module
 */

import type { HeaderReader } from "../mcp/http_rules.ts";
import { requestFault } from "../mcp/request_headers.ts";
import { type Message, writtenId } from "../wire/message.ts";
import { INTERNAL_ERROR } from "../wire/rpc_error.ts";
import { accepted, refused } from "./http_replies.ts";
import { type AskedHow, Member, type ModernPoolOptions } from "./modern_member.ts";
import { reasonOf } from "../text/reason.ts";

/** The wait before a server that ended at once is started again grows from and to this. */
const RESTART_MS = 500;
const MAX_RESTART_MS = 30_000;
/** A server that lived this long had started well. */
const STEADY_MS = 10_000;

/** The pool. */
export class ModernPool {
  readonly #options: ModernPoolOptions;
  readonly #versions: string[] = [];
  #verdict: "unknown" | "modern" | "legacy" = "unknown";
  #member: Promise<Member> | undefined;
  #running: Member | undefined;
  #failures = 0;
  #notBeforeMs = 0;
  #usedMs: number;
  #isStopping = false;

  /** Starts no server yet. */
  constructor(options: ModernPoolOptions) {
    this.#options = options;
    this.#usedMs = options.monotonicMs();
  }

  /**
   * Serves one modern message.
   *
   * @param message The message.
   * @param header Its headers.
   * @param how What its host takes, and what tells that it has left.
   * @returns The response.
   */
  async post(
    message: Message,
    header: HeaderReader,
    how: Omit<AskedHow, "conversation">,
  ): Promise<Response> {
    const id = writtenId(message) ?? "null";
    this.#usedMs = this.#options.monotonicMs();
    const isRequest = message.kind === "request";
    const early = isRequest ? requestFault(message, header) : undefined;
    if (early !== undefined) return refused({ status: 400, ...early }, { id });
    const member = await this.#ready();
    if (member instanceof Response) return member;
    if (member === undefined) {
      const text = "Bad Request: the server speaks revisions that begin with initialize";
      return refused({ status: 400, code: -32000, message: text }, { id });
    }
    if (!isRequest) {
      // A host gives a request up by closing its stream; an id alone says not whose it is.
      if (message.method !== "notifications/cancelled") member.send(message.bytes);
      return accepted();
    }
    const late = member.versionFault(message) ??
      requestFault(message, header, member.paramsOf(message));
    if (late !== undefined) return refused({ status: 400, ...late }, { id });
    return await member.ask(message, { ...how, conversation: header("hoist-session") });
  }

  /** Ends a server that has served nothing for so long. */
  endIdle(nowMs: number, idleMs: number): void {
    if (this.#running === undefined || this.#running.isActive) this.#usedMs = nowMs;
    else if (nowMs - this.#usedMs >= idleMs) this.#running.close();
  }

  /** Ends the pool: we were asked to end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#running?.stop();
    await this.#running?.over;
  }

  async #ready(): Promise<Member | Response | undefined> {
    if (this.#verdict === "legacy") return undefined;
    const now = this.#options.monotonicMs();
    if (this.#member === undefined && (now < this.#notBeforeMs || this.#isStopping)) {
      const message = "Service Unavailable: the server keeps ending at once";
      return refused({ status: 503, code: -32000, message }, { headers: { "retry-after": "5" } });
    }
    this.#member ??= this.#start();
    try {
      const member = await this.#member;
      return member.isModern ? member : undefined;
    } catch (error) {
      this.#member = undefined;
      const message = reasonOf(error);
      this.#options.say(message);
      return refused({ status: 500, code: INTERNAL_ERROR, message });
    }
  }

  async #start(): Promise<Member> {
    const startedMs = this.#options.monotonicMs();
    const member = new Member(this.#options, this.#verdict === "modern", this.#versions);
    this.#running = member;
    member.over.then(() => {
      if (this.#running === member) this.#running = this.#member = undefined;
      const now = this.#options.monotonicMs();
      this.#failures = now - startedMs < STEADY_MS ? this.#failures + 1 : 0;
      if (this.#failures === 0 || member.wasAsked) return;
      this.#notBeforeMs = now + Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** this.#failures);
    });
    await member.discover();
    if (member.isModern) this.#verdict = "modern";
    else {
      this.#verdict = "legacy";
      member.close();
    }
    return member;
  }
}
