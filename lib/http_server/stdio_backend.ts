/**
 * HTTP hosts, servers as child processes: a table of legacy sessions, each with
 * its own server and log, and the pool that serves modern requests.
 *
 * @module
 */

import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import { createLog, discardLog } from "../disk/log_folder.ts";
import type { Runtime } from "../ports/runtime.ts";
import { redactArgs } from "../log/redact_args.ts";
import { isModernVersion, modernVersion } from "../mcp/era.ts";
import { accepts, type HeaderReader, versionFault } from "../mcp/http_rules.ts";
import { isJson } from "../json/json_spans.ts";
import { type Message, readJsonRpc, writtenId } from "../wire/message.ts";
import type { ActiveMode } from "../proxy/active_mode.ts";
import { HostSession, type HostSessionOptions } from "./host_session.ts";
import { methodNotAllowed, refused } from "./http_replies.ts";
import { LogTap } from "../relay/log_tap.ts";
import type { OpenLog } from "./modern_member.ts";
import { ModernPool } from "./modern_pool.ts";
import type { PostHow } from "./session_streams.ts";
import { Pulse } from "./pulse.ts";
import { pruneOld, sessionFacts } from "../proxy/session_log.ts";
import type { ListenBackend } from "./listen_server.ts";
import { reasonOf } from "../text/reason.ts";

/** What can be taken back. */
interface Discardable {
  readonly discard: () => void;
}

/** Sessions that are open at once. */
const MAX_SESSIONS = 64;
/** How long the end waits for logs. */
const STOP_MS = 10_000;

/** Serves HTTP hosts with servers on stdio. */
export class StdioBackend implements ListenBackend {
  readonly #options: ProxyOptions;
  readonly #runtime: Runtime;
  readonly #mode: ActiveMode | undefined;
  readonly #sessions = new Map<string, { readonly session: HostSession; usedMs: number }>();
  readonly #ending = new Set<HostSession>();
  readonly #pulse = new Pulse();
  readonly #pool: ModernPool;
  readonly #idle: ReturnType<typeof setInterval>;
  #count = 0;
  #isStopping = false;

  /** Starts with no session; `mode` makes what acts on each. */
  constructor(options: ProxyOptions, runtime: Runtime, mode?: ActiveMode) {
    this.#mode = mode;
    this.#options = options;
    this.#runtime = runtime;
    this.#pool = new ModernPool({
      command: options.command,
      exitGraceMs: options.exitGraceMs,
      say: runtime.say,
      monotonicMs: runtime.monotonicMs,
      pulse: this.#pulse,
      openLog: () => this.#openLog(undefined),
      mode,
    });
    const idleMs = options.listen?.idleMs ?? Infinity;
    this.#idle = setInterval(() => this.#endIdle(idleMs), Math.min(30_000, idleMs / 4));
  }

  async post(body: Uint8Array, request: Request, header: HeaderReader): Promise<Response> {
    if (!isJson(body)) {
      return refused({ status: 400, code: -32700, message: "Parse error: the body is not JSON" });
    }
    const { isBatch, messages } = readJsonRpc(body);
    const [first] = messages;
    if (first === undefined || messages.some((m) => m.kind === "other")) {
      return refused({ status: 400, code: -32600, message: "Invalid Request: not JSON-RPC" });
    }
    if (isModern(messages, header)) {
      if (isBatch) {
        const message = "Invalid Request: this revision has no batches";
        return refused({ status: 400, code: -32600, message });
      }
      if (first.kind === "response") {
        const message = "Invalid Request: this revision has no responses of hosts";
        return refused({ status: 400, code: -32600, message });
      }
      return await this.#pool.post(first, header, howToAnswer(request, header));
    }
    const how = { isBatch, ...howToAnswer(request, header) };
    return await this.#legacy(body, messages, { how, header, first });
  }

  get(_request: Request, header: HeaderReader): Promise<Response> {
    const found = this.#find(header);
    if (found instanceof Response) return Promise.resolve(found);
    if (!accepts(header("accept")).events) {
      const message = "Not Acceptable: a GET is answered with text/event-stream";
      return Promise.resolve(refused({ status: 406, code: -32000, message }));
    }
    return found.get(header("last-event-id"));
  }

  delete(_request: Request, header: HeaderReader): Promise<Response> {
    const found = this.#find(header);
    if (found instanceof Response) return Promise.resolve(found);
    this.#sessions.delete(header("mcp-session-id") ?? "");
    this.#ending.add(found);
    found.end();
    return Promise.resolve(new Response(null, { status: 200 }));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#idle);
    const ended = this.#pool.stop();
    const limit = this.#runtime.monotonicMs() + STOP_MS;
    for (const { session } of this.#sessions.values()) session.stop();
    for (const session of this.#ending) session.stop();
    while (this.#sessions.size + this.#ending.size > 0 && this.#runtime.monotonicMs() < limit) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await ended;
    this.#pulse.stop();
  }

  async #legacy(
    body: Uint8Array,
    messages: readonly Message[],
    { how, header, first }: {
      readonly how: PostHow;
      readonly header: HeaderReader;
      readonly first: Message;
    },
  ): Promise<Response> {
    const id = writtenId(first) ?? "null";
    const { isBatch, accepts: { json, events } } = how;
    if (!json && !events) {
      const message = "Not Acceptable: the answer is application/json or text/event-stream";
      return refused({ status: 406, code: -32000, message }, { id });
    }
    if (first.method === "initialize" && header("mcp-session-id") === undefined) {
      if (isBatch) {
        const message = "Invalid Request: initialize stands alone";
        return refused({ status: 400, code: -32600, message });
      }
      return await this.#open(body, messages, { ...how, hostSession: header("hoist-session") });
    }
    const found = this.#find(header, id);
    if (found instanceof Response) return found;
    if (isBatch && found.version !== "2025-03-26") {
      const message = "Invalid Request: this revision has no batches";
      return refused({ status: 400, code: -32600, message });
    }
    return await found.post(body, messages, how);
  }

  /** The session a request names, in use from now; or why there is none. */
  #find(header: HeaderReader, id = "null"): HostSession | Response {
    const name = header("mcp-session-id");
    const version = header("mcp-protocol-version");
    if (name === undefined || name === "") {
      if (version !== undefined && isModernVersion(version)) return methodNotAllowed("POST");
      const message = "Bad Request: the Mcp-Session-Id header is missing";
      return refused({ status: 400, code: -32000, message }, { id });
    }
    const entry = this.#sessions.get(name);
    if (entry === undefined || entry.session.isOver) {
      return refused({ status: 404, code: -32001, message: "Session not found" }, { id });
    }
    const fault = versionFault(version, entry.session.version);
    if (fault !== undefined) return refused(fault, { id });
    entry.usedMs = this.#runtime.monotonicMs();
    return entry.session;
  }

  #open(
    body: Uint8Array,
    messages: readonly Message[],
    { hostSession, ...how }: PostHow & { readonly hostSession: string | undefined },
  ): Promise<Response> | Response {
    const [first] = messages;
    const id = first === undefined ? "null" : writtenId(first) ?? "null";
    if (this.#sessions.size >= MAX_SESSIONS || this.#isStopping) {
      const message = `Service Unavailable: ${MAX_SESSIONS} sessions are open`;
      const headers = { "retry-after": "30" };
      return refused({ status: 503, code: -32000, message }, { id, headers });
    }
    const name = crypto.randomUUID();
    try {
      const session = this.#start(name, hostSession);
      this.#sessions.set(name, { session, usedMs: this.#runtime.monotonicMs() });
      return session.post(body, messages, { ...how, headers: { "mcp-session-id": name } });
    } catch (error) {
      const message = reasonOf(error);
      this.#runtime.say(message);
      return refused({ status: 500, code: -32603, message }, { id });
    }
  }

  #start(name: string, hostSession: string | undefined): HostSession {
    const log = this.#openLog(hostSession);
    const mode = this.#mode;
    const options: HostSessionOptions = {
      id: name,
      command: this.#options.command,
      exitGraceMs: this.#options.exitGraceMs,
      say: this.#runtime.say,
      tap: log?.tap,
      act: mode && ((ends) => mode.begin({ ...ends, id: log?.session ?? name, hostSession, log })),
      pulse: this.#pulse,
      onEnd: () => {
        this.#ending.delete(session);
        if (this.#sessions.get(name)?.session === session) this.#sessions.delete(name);
      },
    };
    let session: HostSession;
    try {
      session = new HostSession(options);
    } catch (error) {
      log?.discard(); // No session came of it.
      throw error;
    }
    return session;
  }

  /** A log for one session; undefined when none is asked for or none can be made. */
  #openLog(hostSession: string | undefined): (OpenLog & Discardable) | undefined {
    const { record, command } = this.#options;
    if (record === undefined) return undefined;
    try {
      const log = createLog(record.dir, {
        ...sessionFacts(record, redactArgs(command), this.#runtime),
        hostSession,
        number: ++this.#count,
      });
      pruneOld(record, log.path, this.#runtime);
      const tap = new LogTap(log, this.#runtime.monotonicMs(), this.#runtime);
      return { tap, path: log.path, session: log.session, discard: () => discardLog(log) };
    } catch (error) {
      this.#runtime.say(reasonOf(error));
      return undefined; // The session goes on without a log.
    }
  }

  #endIdle(idleMs: number): void {
    const now = this.#runtime.monotonicMs();
    this.#pool.endIdle(now, idleMs);
    for (const [name, entry] of this.#sessions) {
      if (entry.session.isActive) entry.usedMs = now;
      if (now - entry.usedMs < idleMs) continue;
      this.#sessions.delete(name);
      this.#ending.add(entry.session);
      entry.session.end();
    }
  }
}

/** What the host takes; where that is no stream, its leaving is seen by the request's signal. */
function howToAnswer(request: Request, header: HeaderReader): Omit<PostHow, "isBatch"> & {
  readonly signal: AbortSignal | undefined;
} {
  const accepted = accepts(header("accept"));
  return { accepts: accepted, signal: accepted.events ? undefined : request.signal };
}

/**
 * Whether a body is of the modern era: it says so itself, or else its headers do and it belongs
 * to no session. `initialize` is legacy whatever version its host's headers name.
 */
function isModern(messages: readonly Message[], header: HeaderReader): boolean {
  if (messages.some((message) => modernVersion(message) !== undefined)) return true;
  if (messages.some((message) => message.method === "initialize")) return false;
  return header("mcp-session-id") === undefined &&
    isModernVersion(header("mcp-protocol-version") ?? "");
}
