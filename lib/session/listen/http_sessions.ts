/**
 * The table of legacy sessions behind `--listen`, and the choice of the session,
 * or the modern pool, that a request belongs to.
 *
 * @module
 */

import { isModernVersion, modernVersion } from "../../mcp/era.ts";
import {
  accepts,
  type HeaderReader,
  type HttpRefusal,
  versionFault,
} from "../../mcp/http_rules.ts";
import { reasonOf } from "../../text/reason.ts";
import { type Message, readJsonRpc, writtenId } from "../../wire/message.ts";
import { isReadable } from "../../wire/reading.ts";
import type { HttpSession } from "./http_session.ts";
import type { PostHow } from "./http_streams.ts";
import type { ModernPool } from "./modern_pool.ts";
import {
  methodNotAllowed,
  refusal,
  type RefuseOptions,
  type ReplyWire,
  type WholeReply,
} from "./reply_wire.ts";

/** Ports and settings of the table. */
export interface HttpSessionsOptions {
  /** Serves modern requests. */
  readonly pool: Pick<ModernPool, "post" | "endIdle" | "stop">;
  /** A new session id. */
  readonly newId: () => string;
  /** Starts a session, which calls `onEnd` when it is over. Throws when its server cannot start. */
  readonly start: (
    id: string,
    how: { readonly hostSession: string | undefined; readonly onEnd: () => void },
  ) => HttpSession;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
  /** Tells the user. */
  readonly say: (line: string) => void;
}

/** A session and when it was used last. */
interface Entry {
  readonly session: HttpSession;
  usedMs: number;
}

/** Most sessions that are open at once. */
const MAX_SESSIONS = 64;

/** The sessions. */
export class HttpSessions {
  readonly #options: HttpSessionsOptions;
  readonly #open = new Map<string, Entry>();
  /** Sessions without an id, whose server still runs. */
  readonly #ending = new Set<HttpSession>();
  #isStopping = false;
  #onEmpty: (() => void) | undefined;

  /** Starts with no session. */
  constructor(options: HttpSessionsOptions) {
    this.#options = options;
  }

  /** Takes a POST. */
  async post(body: Uint8Array, header: HeaderReader, wire: ReplyWire): Promise<void> {
    if (!isReadable(body)) {
      return refuse(wire, {
        status: 400,
        code: -32700,
        message: "Parse error: the body is not JSON",
      });
    }
    const { isBatch, messages } = readJsonRpc(body);
    const [first] = messages;
    if (first === undefined || messages.some((m) => m.kind === "other")) {
      return refuse(wire, { status: 400, code: -32600, message: "Invalid Request: not JSON-RPC" });
    }
    const accepted = accepts(header("accept"));
    if (!isModern(messages, header)) {
      return this.#legacy(body, messages, { header, first, wire, isBatch, accepts: accepted });
    }
    if (isBatch) return refuse(wire, NO_BATCHES);
    if (first.kind === "response") {
      const message = "Invalid Request: this revision has no responses of hosts";
      return refuse(wire, { status: 400, code: -32600, message });
    }
    await this.#options.pool.post(first, header, { accepts: accepted, wire });
  }

  /** Takes a GET. */
  get(header: HeaderReader, wire: ReplyWire): void {
    const session = this.#find(header, wire);
    if (session === undefined) return;
    if (!accepts(header("accept")).events) {
      const message = "Not Acceptable: a GET is answered with text/event-stream";
      return refuse(wire, { status: 406, code: -32000, message });
    }
    session.get(header("last-event-id"), wire);
  }

  /** Takes a DELETE. */
  delete(header: HeaderReader, wire: ReplyWire): void {
    const session = this.#find(header, wire);
    if (session === undefined) return;
    this.#end(header("mcp-session-id") ?? "", session);
    wire.whole({ status: 200, headers: {}, body: null });
  }

  /** Ends what has not been used for so long. */
  endIdle(idleMs: number): void {
    const now = this.#options.monotonicMs();
    this.#options.pool.endIdle(now, idleMs);
    for (const [name, entry] of this.#open) {
      if (entry.session.isActive) entry.usedMs = now;
      if (now - entry.usedMs >= idleMs) this.#end(name, entry.session);
    }
  }

  /** Ends all sessions because the proxy was asked to end; settles when they are over. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const pool = this.#options.pool.stop();
    const empty = Promise.withResolvers<void>();
    this.#onEmpty = empty.resolve;
    for (const { session } of this.#open.values()) session.stop();
    for (const session of this.#ending) session.stop();
    this.#noteEmpty();
    await empty.promise;
    await pool;
  }

  #legacy(
    body: Uint8Array,
    messages: readonly Message[],
    { header, first, wire, ...how }: PostHow & {
      readonly header: HeaderReader;
      readonly first: Message;
      readonly wire: ReplyWire;
    },
  ): void {
    const id = writtenId(first) ?? "null";
    if (!how.accepts.json && !how.accepts.events) {
      const message = "Not Acceptable: the answer is application/json or text/event-stream";
      return refuse(wire, { status: 406, code: -32000, message }, { id });
    }
    if (first.method === "initialize" && header("mcp-session-id") === undefined) {
      if (how.isBatch) {
        const message = "Invalid Request: initialize stands alone";
        return refuse(wire, { status: 400, code: -32600, message });
      }
      return this.#begin(body, messages, {
        ...how,
        id,
        wire,
        hostSession: header("hoist-session"),
      });
    }
    const session = this.#find(header, wire, id);
    if (session === undefined) return;
    if (how.isBatch && session.version !== "2025-03-26") return refuse(wire, NO_BATCHES);
    session.post(body, messages, { ...how, wire });
  }

  /** The session that a request names, in use from now; undefined when the request is refused. */
  #find(header: HeaderReader, wire: ReplyWire, id = "null"): HttpSession | undefined {
    const found = this.#lookUp(header, id);
    if (!("status" in found)) return found;
    wire.whole(found);
    return undefined;
  }

  #lookUp(header: HeaderReader, id: string): HttpSession | WholeReply {
    const name = header("mcp-session-id");
    const version = header("mcp-protocol-version");
    if (name === undefined || name === "") {
      if (version !== undefined && isModernVersion(version)) return methodNotAllowed("POST");
      const message = "Bad Request: the Mcp-Session-Id header is missing";
      return refusal({ status: 400, code: -32000, message }, { id });
    }
    const entry = this.#open.get(name);
    if (entry === undefined || entry.session.isOver) {
      return refusal({ status: 404, code: -32001, message: "Session not found" }, { id });
    }
    const fault = versionFault(version, entry.session.version);
    if (fault !== undefined) return refusal(fault, { id });
    entry.usedMs = this.#options.monotonicMs();
    return entry.session;
  }

  #begin(
    body: Uint8Array,
    messages: readonly Message[],
    { id, hostSession, ...how }: PostHow & {
      readonly id: string;
      readonly wire: ReplyWire;
      readonly hostSession: string | undefined;
    },
  ): void {
    if (this.#open.size >= MAX_SESSIONS || this.#isStopping) {
      const message = `Service Unavailable: ${MAX_SESSIONS} sessions are open`;
      const headers = { "retry-after": "30" };
      return refuse(how.wire, { status: 503, code: -32000, message }, { id, headers });
    }
    const name = this.#options.newId();
    let session: HttpSession;
    try {
      session = this.#options.start(name, { hostSession, onEnd: () => this.#ended(name, session) });
    } catch (error) {
      const message = reasonOf(error);
      this.#options.say(message);
      return refuse(how.wire, { status: 500, code: -32603, message }, { id });
    }
    this.#open.set(name, { session, usedMs: this.#options.monotonicMs() });
    session.post(body, messages, { ...how, headers: { "mcp-session-id": name } });
  }

  #end(name: string, session: HttpSession): void {
    this.#open.delete(name);
    this.#ending.add(session);
    session.end();
  }

  #ended(name: string, session: HttpSession): void {
    this.#ending.delete(session);
    if (this.#open.get(name)?.session === session) this.#open.delete(name);
    this.#noteEmpty();
  }

  #noteEmpty(): void {
    if (this.#open.size + this.#ending.size === 0) this.#onEmpty?.();
  }
}

const NO_BATCHES: HttpRefusal = {
  status: 400,
  code: -32600,
  message: "Invalid Request: this revision has no batches",
};

function refuse(wire: ReplyWire, why: HttpRefusal, options: RefuseOptions = {}): void {
  wire.whole(refusal(why, options));
}

/**
 * Whether a body is of the modern era: it says so itself, or its headers do and it belongs to no
 * session. `initialize` is legacy whatever version its host's headers name.
 */
function isModern(messages: readonly Message[], header: HeaderReader): boolean {
  if (messages.some((message) => modernVersion(message) !== undefined)) return true;
  if (messages.some((message) => message.method === "initialize")) return false;
  return header("mcp-session-id") === undefined &&
    isModernVersion(header("mcp-protocol-version") ?? "");
}
