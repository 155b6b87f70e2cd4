/**
 * One server of the modern pool: a child process whose hosts are told apart by
 * {@linkcode FanIn}, and what it has said of itself.
 *
 * @module
 */

import { modernVersion, OWN_META } from "../mcp/era.ts";
import { type Accepts, type Refusal, statusOfError } from "../mcp/http_rules.ts";
import { mcpName } from "../mcp/request_headers.ts";
import { listedToolHeaders, type ParamHeader } from "../mcp/tool_headers.ts";
import { FanIn } from "../session/fan_in.ts";
import { elements, isJson, spanText, stringAt, valueAt } from "../json/json_spans.ts";
import { type Message, oneLine, readMessage, writtenId } from "../wire/message.ts";
import { cancelled, errorResponse, INTERNAL_ERROR, ownRequest } from "../wire/rpc_error.ts";
import { ChildLink, type ChildLinkOptions } from "../relay/child_link.ts";
import type { ActiveMode } from "../proxy/active_mode.ts";
import { Conversations } from "../proxy/conversations.ts";
import type { LogTap } from "../relay/log_tap.ts";
import type { Pulse } from "./pulse.ts";
import { Reply } from "./reply.ts";

/** What a pool is made of. */
export interface ModernPoolOptions
  extends Pick<ChildLinkOptions, "command" | "exitGraceMs" | "say"> {
  /** The clock of replies. */
  readonly pulse: Pulse;
  /** Opens the log of a server of the pool. */
  readonly openLog: () => OpenLog | undefined;
  /** Makes what acts on requests; undefined where nothing does. */
  readonly mode: ActiveMode | undefined;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
}

/** A log, and the names of its session and its file. */
export interface OpenLog {
  readonly tap: LogTap;
  readonly path: string;
  /** The session's id. */
  readonly session: string;
}

/** How long a server may take to say whether it is modern; one that installs itself takes long. */
const DISCOVER_MS = 30_000;
const LIST_MS = 5_000;
const MAX_PAGES = 50;
/** A request's reply and what it asked. */
interface Asked {
  readonly reply: Reply;
  readonly method: string;
}

/** How a request came. */
export interface AskedHow {
  /** What its host takes. */
  readonly accepts: Accepts;
  /** Aborted when its host leaves. */
  readonly signal: AbortSignal | undefined;
  /** What names its host, where something does. */
  readonly conversation: string | undefined;
}

/** One server of the pool. */
export class Member {
  /** Settles when it and its log have ended. */
  readonly over: Promise<void>;
  /** Whether it has said that it is modern. */
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
  readonly #acting: Conversations | undefined;
  #log: OpenLog | undefined;
  #ownIds = 0;

  /** Starts it. Throws when it cannot be started. */
  constructor(options: ModernPoolOptions, isModern: boolean, versions: string[]) {
    this.#options = options;
    this.#versions = versions;
    this.isModern = isModern;
    const { mode } = options;
    this.#acting = mode && new Conversations({
      mode,
      log: () => this.#log,
      toServer: (line) => this.#link.send(line.slice()),
      toHost: (answer) => this.#route(answer),
      nextNumber: () => ++this.#ownIds,
    });
    this.#link = new ChildLink({
      ...options,
      // What is acted on is recorded line by line, in its order.
      tap: this.#acting === undefined
        ? {
          client: (chunk) => this.#log?.tap.client(chunk),
          server: (chunk) => this.#log?.tap.server(chunk),
          end: (from) => this.#log?.tap.end(from),
        }
        : undefined,
      onLine: (line) => this.#onLine(line),
      room: () => undefined,
    });
    if (isModern) this.#log = options.openLog(); // One that cannot be started leaves none.
    this.over = this.#link.done.catch(() => 1).then((code) => this.#ended(code));
  }

  /** Whether a request waits for its answer. */
  get isActive(): boolean {
    return this.#fanIn.size > 0;
  }

  /** Finds out whether it is modern, and which arguments its tools want in headers. */
  async discover(): Promise<void> {
    if (!this.isModern) {
      const answer = await this.#ask("server/discover", {}, DISCOVER_MS);
      if (answer?.result === undefined && errorCode(answer) !== -32022) return;
      this.isModern = true;
      this.#log = this.#options.openLog();
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

  /** The arguments that a call mirrors in headers. */
  paramsOf(message: Message): readonly ParamHeader[] {
    return message.method === "tools/call" ? this.#params.get(mcpName(message) ?? "") ?? [] : [];
  }

  /** Sends a line. */
  send(line: Uint8Array): void {
    const sent = oneLine(line);
    if (this.#acting !== undefined) this.#log?.tap.clientLine(sent);
    this.#link.send(sent);
  }

  /** Sends a request; its response. */
  ask(message: Message, { accepts, signal, conversation }: AskedHow): Promise<Response> {
    const reply = new Reply({
      accepts,
      signal,
      onGone: () => {
        this.#acting?.drop(id);
        if (this.#fanIn.drop(id)) this.send(cancelled(id, "the host has closed the stream"));
      },
    });
    const { id, line } = this.#fanIn.take(message, { reply, method: message.method ?? "" });
    this.#options.pulse.watch(reply);
    if (this.#acting === undefined) this.send(line);
    else this.#acting.take(conversation, id, oneLine(line));
    return reply.response;
  }

  /** Closes its input. */
  close(): void {
    this.wasAsked = true;
    this.#link.close();
  }

  /** Ends it: we were asked to end. */
  stop(): void {
    this.wasAsked = true;
    this.#link.signal("SIGTERM");
  }

  #ask(method: string, params: Record<string, unknown>, ms: number): Promise<Message | undefined> {
    const id = this.#ownId();
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

  #ownId(): string {
    return `hoist-${++this.#ownIds}`;
  }

  #onLine(raw: Uint8Array): void {
    const message = isJson(raw) ? readMessage(oneLine(raw)) : undefined;
    if (message?.kind === "response" && this.#acting?.answer(message, message.bytes)) return;
    if (this.#acting !== undefined) this.#log?.tap.serverLine(oneLine(raw));
    if (message === undefined) return;
    if (message.method === "notifications/tools/list_changed") this.#acting?.toolsChanged();
    const id = message.kind === "response" ? writtenId(message) ?? "" : "";
    const own = this.#own.get(id);
    if (own !== undefined) return own({ ...message, bytes: message.bytes.slice() });
    this.#route(message);
  }

  /** Hands what the server says to the host it is for. */
  #route(message: Message): void {
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
    for (const { name, headers } of listedToolHeaders(answer)) {
      this.#params.set(name, headers.kind === "valid" ? headers.params : []);
    }
  }

  async #ended(code: number): Promise<void> {
    await this.#acting?.close();
    for (const done of [...this.#own.values()]) done(undefined);
    for (const { owner, id } of this.#fanIn.dropAll()) {
      const line = errorResponse(id, INTERNAL_ERROR, `the server has exited with status ${code}`);
      this.#log?.tap.proxy(line);
      owner.reply.finish(line);
    }
    await this.#log?.tap.close();
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
  return code === undefined ? undefined : Number(spanText(answer.bytes, code));
}
