/**
 * The core of `--listen` with scripted servers, wires that keep what is sent, and
 * timers that ring by hand.
 *
 * @module
 */

import { HttpSession } from "../../lib/session/listen/http_session.ts";
import { HttpSessions } from "../../lib/session/listen/http_sessions.ts";
import { ModernPool } from "../../lib/session/listen/modern_pool.ts";
import { Pulse } from "../../lib/session/listen/pulse.ts";
import type {
  EventSink,
  ReplyHeaders,
  ReplyWire,
  WholeReply,
  WireListener,
} from "../../lib/session/listen/reply_wire.ts";
import type { ServerHooks, ServerLink } from "../../lib/session/listen/server_link.ts";
import { HandTimers, turns } from "./hand_timers.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A wire that keeps what is sent on it. */
export class ScriptedWire implements ReplyWire {
  /** The status and the body of a whole response, or the text of a stream. */
  sent: string | undefined;
  /** The headers of the response. */
  headers: ReplyHeaders = {};
  /** What the stream says when it is asked whether it is full. */
  isFull = false;
  /** Whether the stream has ended. */
  isClosed = false;
  #listener: WireListener | undefined;

  whole({ status, headers, body }: WholeReply): void {
    if (this.sent !== undefined) throw new Error("a wire is answered once");
    this.headers = headers;
    this.sent = `${status} ${body === null ? "" : decoder.decode(body)}`.trim();
  }

  events(headers: ReplyHeaders): EventSink {
    if (this.sent !== undefined) throw new Error("a wire is answered once");
    this.headers = headers;
    this.sent = "";
    const isFull = () => this.isFull;
    return {
      get isFull() {
        return isFull();
      },
      write: (bytes) => {
        if (this.isClosed) throw new Error("the stream has ended");
        this.sent += decoder.decode(bytes);
      },
      close: () => void (this.isClosed = true),
    };
  }

  listen(listener: WireListener): void {
    this.#listener = listener;
  }

  /** The host hangs up. */
  leave(): void {
    this.#listener?.left();
  }

  /** The host reads what the stream holds. */
  read(): void {
    this.isFull = false;
    this.#listener?.emptied();
  }

  /** The messages of the stream, with the ids of their events. */
  get messages(): string[] {
    return [...(this.sent ?? "").matchAll(/^(?:id: (.*)\n)?data: (.+)$/gm)]
      .map(([, id, data]) => id === undefined ? `${data}` : `${id} ${data}`);
  }

  /** The JSON of a whole response's body. */
  // deno-lint-ignore no-explicit-any
  get json(): any {
    return JSON.parse((this.sent ?? "").slice(4));
  }
}

/** A server that says what a test says. */
export class ScriptedServer implements ServerLink {
  /** Lines it was sent. */
  readonly lines: string[] = [];
  waitingBytes = 0;
  /** Whether its input was closed, or it was terminated. */
  ended: "closed" | "terminated" | undefined;
  readonly done: Promise<number>;
  readonly hooks: ServerHooks;
  readonly #exit: (code: number) => void;

  /** Starts it. */
  constructor(hooks: ServerHooks) {
    this.hooks = hooks;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.done = promise;
    this.#exit = resolve;
  }

  send(line: Uint8Array): void {
    this.lines.push(decoder.decode(line));
  }

  close(): void {
    this.ended ??= "closed";
  }

  terminate(): void {
    this.ended = "terminated";
  }

  /** Writes a line, as an object or as text. */
  says(...lines: readonly unknown[]): void {
    for (const line of lines) {
      const text = typeof line === "string" ? line : JSON.stringify(line);
      this.hooks.onLine(latin1(text));
    }
  }

  /** Closes its output. */
  closesOutput(): void {
    this.hooks.onEnd();
  }

  /** Exits. */
  async exits(code: number): Promise<void> {
    this.#exit(code);
    await turns();
  }

  /** The last line it was sent, read. */
  // deno-lint-ignore no-explicit-any
  get last(): any {
    return JSON.parse(this.lines.at(-1) ?? "null");
  }
}

/** A host's headers: both kinds of answers accepted. */
export const BOTH = { accept: "application/json, text/event-stream" };

/** The table of sessions, the pool, and their surroundings. */
export class ListenRig {
  readonly timers = new HandTimers();
  readonly servers: ScriptedServer[] = [];
  readonly said: string[] = [];
  nowMs = 0;
  /** Makes the next server fail to start. */
  startFault: string | undefined;
  readonly sessions: HttpSessions;
  readonly pulse = new Pulse(this.timers);

  /** Starts with no session. */
  constructor() {
    let ids = 0;
    const start = (hooks: ServerHooks) => {
      if (this.startFault !== undefined) throw new Error(this.startFault);
      const server = new ScriptedServer(hooks);
      this.servers.push(server);
      return server;
    };
    const monotonicMs = () => this.nowMs;
    const say = (line: string) => void this.said.push(line);
    const { pulse, timers } = this;
    const shared = { start, pulse, timers, say };
    this.sessions = new HttpSessions({
      pool: new ModernPool({ ...shared, monotonicMs, openLog: () => undefined }),
      newId: () => `s${++ids}`,
      start: (_id, { onEnd }) => new HttpSession({ ...shared, tap: undefined, onEnd }),
      monotonicMs,
      say,
    });
  }

  /** POSTs a body; the wire it is answered on. */
  async post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<ScriptedWire> {
    const wire = new ScriptedWire();
    const text = typeof body === "string" ? body : JSON.stringify(body);
    void this.sessions.post(encoder.encode(text), reader({ ...BOTH, ...headers }), wire);
    await turns();
    return wire;
  }

  /** Sends a GET; the wire it is answered on. */
  get(headers: Readonly<Record<string, string>>): ScriptedWire {
    const wire = new ScriptedWire();
    this.sessions.get(reader({ ...BOTH, ...headers }), wire);
    return wire;
  }

  /** Sends a DELETE; the wire it is answered on. */
  delete(headers: Readonly<Record<string, string>>): ScriptedWire {
    const wire = new ScriptedWire();
    this.sessions.delete(reader(headers), wire);
    return wire;
  }

  /** Opens a legacy session; its server and the header that names it. */
  async open(
    version = "2025-11-25",
  ): Promise<{ server: ScriptedServer; named: { "mcp-session-id": string } }> {
    const wire = await this.post({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
    const server = this.server();
    server.says({ jsonrpc: "2.0", id: 0, result: { protocolVersion: version } });
    return { server, named: { "mcp-session-id": wire.headers["mcp-session-id"] ?? "" } };
  }

  /** The server that was started last. */
  server(): ScriptedServer {
    const server = this.servers.at(-1);
    if (server === undefined) throw new Error("no server was started");
    return server;
  }

  /** Rings the clock of replies so often. */
  async ticks(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.timers.ring();
  }
}

/** Bytes of a text of characters up to U+00FF: `\x97` alone is not UTF-8. */
function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

function reader(headers: Readonly<Record<string, string>>): (name: string) => string | undefined {
  const all = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => all.get(name.toLowerCase());
}
