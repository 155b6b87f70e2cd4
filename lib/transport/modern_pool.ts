/**
 * Modern requests of any number of hosts, served by one child process that
 * speaks the modern era: their ids are told apart by {@linkcode FanIn}.
 *
 * Whether the server is modern is found out at the first modern request, by
 * asking a server of the pool's own for `server/discover`. One that is not is
 * never asked again, and modern requests are refused as a legacy server refuses
 * them, so that a host of both eras falls back to `initialize`.
 *
 * @module
 */

import { modernVersion, OWN_META } from "../mcp/era.ts";
import { type Accepts, type HeaderReader, type Refusal, statusOfError } from "../mcp/http_rules.ts";
import { nameOf, requestFault } from "../mcp/request_headers.ts";
import { listedTools, type ParamHeader } from "../mcp/tool_headers.ts";
import { FanIn } from "../relay/fan_in.ts";
import { elements, isJson, stringAt, textAt, valueAt } from "../wire/json_spans.ts";
import { idText, type Message, oneLine, readMessage } from "../wire/message.ts";
import { cancelled, errorResponse, INTERNAL_ERROR, ownRequest } from "../wire/rpc_error.ts";
import { ChildLink, type ChildLinkOptions } from "./child_link.ts";
import { accepted, refused } from "./http_replies.ts";
import type { LogTap } from "./log_tap.ts";
import type { Pulse } from "./pulse.ts";
import { Reply } from "./reply.ts";

/** What a pool is made of. */
export interface ModernPoolOptions
  extends Pick<ChildLinkOptions, "command" | "exitGraceMs" | "say"> {
  /** The clock of replies. */
  readonly pulse: Pulse;
  /** Opens the log of a server of the pool. */
  readonly openLog: () => LogTap | undefined;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
}

/** How long a server may take to say whether it is modern; one that installs itself takes long. */
const DISCOVER_MS = 30_000;
const LIST_MS = 5_000;
const MAX_PAGES = 50;
/** The wait before a server that ended at once is started again grows from and to this. */
const RESTART_MS = 500;
const MAX_RESTART_MS = 30_000;
/** A server that lived this long had started well. */
const STEADY_MS = 10_000;

/** A request's reply and what it asked. */
interface Asked {
  readonly reply: Reply;
  readonly method: string;
}

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
   * @param accepts What its host takes.
   * @returns The response.
   */
  async post(message: Message, header: HeaderReader, accepts: Accepts): Promise<Response> {
    const id = idText(message) ?? "null";
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
    return await member.ask(message, accepts);
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
      const message = error instanceof Error ? error.message : String(error);
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

/** One server of the pool. */
class Member {
  readonly over: Promise<void>;
  isModern: boolean;
  /** Whether it was asked to end. */
  wasAsked = false;
  readonly #options: ModernPoolOptions;
  readonly #link: ChildLink;
  readonly #fanIn = new FanIn<Asked>();
  readonly #own = new Map<string, (answer: Message | undefined) => void>();
  readonly #params = new Map<string, readonly ParamHeader[]>();
  /** The revisions the server named, shared by all of the pool. */
  readonly #versions: string[];
  #tap: LogTap | undefined;
  #ownIds = 0;

  constructor(options: ModernPoolOptions, isModern: boolean, versions: string[]) {
    this.#options = options;
    this.#versions = versions;
    this.isModern = isModern;
    if (isModern) this.#tap = options.openLog();
    this.#link = new ChildLink({
      ...options,
      tap: {
        client: (chunk) => this.#tap?.client(chunk),
        server: (chunk) => this.#tap?.server(chunk),
        end: (from) => this.#tap?.end(from),
      },
      onLine: (line) => this.#onLine(line),
      room: () => undefined,
    });
    this.over = this.#link.done.catch(() => 1).then((code) => this.#ended(code));
  }

  get isActive(): boolean {
    return this.#fanIn.size > 0;
  }

  /** Finds out whether it is modern, and which arguments its tools want in headers. */
  async discover(): Promise<void> {
    if (!this.isModern) {
      const answer = await this.#ask("server/discover", {}, DISCOVER_MS);
      if (answer?.result === undefined && errorCode(answer) !== -32022) return;
      this.isModern = true;
      this.#tap = this.#options.openLog();
      this.#versions.push(...versionsOf(answer));
    }
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await this.#ask("tools/list", params, LIST_MS);
      if (answer?.result === undefined) return;
      this.#learn(answer);
      cursor = stringAt(answer.bytes, valueAt(answer.bytes, answer.result, "nextCursor"));
      if (cursor === undefined) return;
    }
  }

  /** A revision the server has not named: it may not look at more than the first request's. */
  versionFault(message: Message): Omit<Refusal, "status"> | undefined {
    const requested = modernVersion(message) ?? "";
    const supported = this.#versions;
    if (supported.length === 0 || supported.includes(requested)) return undefined;
    return {
      code: -32022,
      message: "Unsupported protocol version",
      data: { supported, requested },
    };
  }

  paramsOf(message: Message): readonly ParamHeader[] {
    return message.method === "tools/call" ? this.#params.get(nameOf(message) ?? "") ?? [] : [];
  }

  send(line: Uint8Array): void {
    this.#link.send(oneLine(line));
  }

  ask(message: Message, accepts: Accepts): Promise<Response> {
    const reply = new Reply({
      accepts,
      onGone: () => {
        if (this.#fanIn.drop(id)) this.send(cancelled(id, "the host has closed the stream"));
      },
    });
    const { id, line } = this.#fanIn.take(message, { reply, method: message.method ?? "" });
    this.#options.pulse.watch(reply);
    this.send(line);
    return reply.response;
  }

  close(): void {
    this.wasAsked = true;
    this.#link.close();
  }

  stop(): void {
    this.wasAsked = true;
    this.#link.signal("SIGTERM");
  }

  #ask(method: string, params: Record<string, unknown>, ms: number): Promise<Message | undefined> {
    const id = `hoist-${++this.#ownIds}`;
    return new Promise((resolve) => {
      const done = (answer: Message | undefined) => {
        clearTimeout(timer);
        this.#own.delete(JSON.stringify(id));
        resolve(answer);
      };
      const timer = setTimeout(() => done(undefined), ms);
      this.#own.set(JSON.stringify(id), done);
      this.send(ownRequest(id, method, { ...params, _meta: OWN_META }));
    });
  }

  #onLine(raw: Uint8Array): void {
    if (!isJson(raw)) return;
    const message = readMessage(oneLine(raw));
    const id = message.kind === "response" ? idText(message) ?? "" : "";
    const own = this.#own.get(id);
    if (own !== undefined) return own({ ...message, bytes: message.bytes.slice() });
    const routed = this.#fanIn.route(message);
    if (routed === undefined) return;
    const { owner: { reply, method }, line, isLast } = routed;
    if (method === "tools/list" && message.kind === "response") this.#learn(message);
    if (!isLast) return reply.push(line);
    if (message.kind === "notification") {
      reply.push(line);
      return reply.end();
    }
    reply.finish(line, { status: statusOfError(errorCode(message) ?? 0) });
  }

  #learn(answer: Message): void {
    for (const { name, headers } of listedTools(answer)) {
      this.#params.set(name, headers.kind === "valid" ? headers.params : []);
    }
  }

  async #ended(code: number): Promise<void> {
    for (const done of [...this.#own.values()]) done(undefined);
    for (const { owner, id } of this.#fanIn.dropAll()) {
      const line = errorResponse(id, INTERNAL_ERROR, `the server has exited with status ${code}`);
      this.#tap?.proxy(line);
      owner.reply.finish(line);
    }
    await this.#tap?.close();
  }
}

function versionsOf(answer: Message | undefined): string[] {
  if (answer === undefined) return [];
  const { bytes } = answer;
  const list = valueAt(bytes, answer.result, "supportedVersions") ??
    valueAt(bytes, answer.error, "data", "supported");
  return list === undefined
    ? []
    : elements(bytes, list).flatMap((item) => stringAt(bytes, item) ?? []);
}

function errorCode(answer: Message | undefined): number | undefined {
  if (answer?.error === undefined) return undefined;
  const code = valueAt(answer.bytes, answer.error, "code");
  return code === undefined ? undefined : Number(textAt(answer.bytes, code));
}
