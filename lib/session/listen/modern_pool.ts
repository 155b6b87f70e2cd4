/**
 * Modern requests of any number of hosts, served by one child process that
 * speaks the modern era.
 *
 * The first modern request starts a server of the pool, which is asked for
 * `server/discover`. A server that turns out legacy is never asked again: modern
 * requests are refused as a legacy server refuses them, so that a host of both
 * eras falls back to `initialize`.
 *
 * @module
 */

import type { HeaderReader } from "../../mcp/http_rules.ts";
import { requestFault } from "../../mcp/request_headers.ts";
import { reasonOf } from "../../text/reason.ts";
import { type Message, writtenId } from "../../wire/message.ts";
import { INTERNAL_ERROR } from "../../wire/rpc_error.ts";
import { type Moves, Phases } from "../phases.ts";
import { type AskedHow, type ModernPoolOptions, ModernServer } from "./modern_server.ts";
import { ACCEPTED, refusal, type WholeReply } from "./reply_wire.ts";

/** The era of the pool's server, as far as it is known. */
export type PoolEra = "unknown" | "modern" | "legacy";

/** What the answer to `server/discover` makes of it, as a table. */
export const ERA_MOVES: Moves<PoolEra, "modern" | "legacy"> = {
  unknown: { modern: "modern", legacy: "legacy" },
  modern: { modern: "modern" },
  legacy: {},
};

/** The wait before a server that ended early is started again grows from and to this. */
const RESTART_MS = 500;
const MAX_RESTART_MS = 30_000;
/** A server that lived this long had started well. */
const STEADY_MS = 10_000;

/** The pool. */
export class ModernPool {
  readonly #options: ModernPoolOptions;
  readonly #versions: string[] = [];
  readonly #era = new Phases(ERA_MOVES, "unknown");
  #server: Promise<ModernServer> | undefined;
  #running: ModernServer | undefined;
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
   * @param how What its host accepts, and the way back.
   */
  async post(
    message: Message,
    header: HeaderReader,
    how: Omit<AskedHow, "conversation">,
  ): Promise<void> {
    const { wire } = how;
    const id = writtenId(message) ?? "null";
    this.#usedMs = this.#options.monotonicMs();
    const isRequest = message.kind === "request";
    const early = isRequest ? requestFault(message, header) : undefined;
    if (early !== undefined) return wire.whole(refusal({ status: 400, ...early }, { id }));
    const server = await this.#ready();
    if (server === undefined) {
      const text = "Bad Request: the server speaks revisions that begin with initialize";
      return wire.whole(refusal({ status: 400, code: -32000, message: text }, { id }));
    }
    if (!(server instanceof ModernServer)) return wire.whole(server);
    if (!isRequest) {
      // A host cancels by closing its stream; an id alone does not say whose it is.
      if (message.method !== "notifications/cancelled") server.send(message.bytes);
      return wire.whole(ACCEPTED);
    }
    const late = server.versionFault(message) ??
      requestFault(message, header, server.paramsOf(message));
    if (late !== undefined) return wire.whole(refusal({ status: 400, ...late }, { id }));
    server.ask(message, { ...how, conversation: header("hoist-session") });
  }

  /** Ends a server that has served nothing for so long. */
  endIdle(nowMs: number, idleMs: number): void {
    if (this.#running === undefined || this.#running.isActive) this.#usedMs = nowMs;
    else if (nowMs - this.#usedMs >= idleMs) this.#running.close();
  }

  /** Ends the pool because the proxy was asked to end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#running?.stop();
    await this.#running?.over;
  }

  /** The running server; a refusal; or undefined when the server is legacy. */
  async #ready(): Promise<ModernServer | WholeReply | undefined> {
    if (this.#era.now === "legacy") return undefined;
    const now = this.#options.monotonicMs();
    if (this.#server === undefined && (now < this.#notBeforeMs || this.#isStopping)) {
      const message = "Service Unavailable: the server keeps ending at once";
      return refusal({ status: 503, code: -32000, message }, { headers: { "retry-after": "5" } });
    }
    this.#server ??= this.#start();
    try {
      const server = await this.#server;
      return server.isModern ? server : undefined;
    } catch (error) {
      this.#server = undefined;
      const message = reasonOf(error);
      this.#options.say(message);
      return refusal({ status: 500, code: INTERNAL_ERROR, message });
    }
  }

  async #start(): Promise<ModernServer> {
    const startedMs = this.#options.monotonicMs();
    const server = new ModernServer(
      this.#options,
      this.#era.now === "modern",
      this.#versions,
    );
    this.#running = server;
    server.over.then(() => {
      if (this.#running === server) this.#running = this.#server = undefined;
      const now = this.#options.monotonicMs();
      this.#failures = now - startedMs < STEADY_MS ? this.#failures + 1 : 0;
      if (this.#failures === 0 || server.wasAsked) return;
      this.#notBeforeMs = now + Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** this.#failures);
    });
    await server.discover();
    this.#era.move(server.isModern ? "modern" : "legacy");
    if (!server.isModern) server.close();
    return server;
  }
}
