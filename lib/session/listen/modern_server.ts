/**
 * One server of the modern pool: its hosts are told apart by {@linkcode FanIn}.
 *
 * It asks the server whether it is modern and which arguments its tools want in
 * headers, and routes each message of the server to the host it is for.
 *
 * @module
 */

import { modernVersion, OWN_META } from "../../mcp/era.ts";
import { type Accepts, type HttpRefusal, statusOfError } from "../../mcp/http_rules.ts";
import { mcpName } from "../../mcp/request_headers.ts";
import { listedToolHeaders, type ParamHeader } from "../../mcp/tool_headers.ts";
import { type Message, oneLine, readMessage, writtenId } from "../../wire/message.ts";
import { claimedId, isReadable, withoutMark } from "../../wire/reading.ts";
import { cancelled, errorResponse, INTERNAL_ERROR, ownRequest } from "../../wire/rpc_error.ts";
import { FanIn } from "../fan_in.ts";
import type { Timers } from "../timers.ts";
import {
  type AskServer,
  discoverVersions,
  type DiscoveryRequest,
  errorCode,
  listPages,
} from "./discovery.ts";
import { HostReply } from "./host_reply.ts";
import { UNREADABLE } from "./http_session.ts";
import type { Pulse } from "./pulse.ts";
import type { ReplyWire } from "./reply_wire.ts";
import {
  type ClosableLog,
  EXIT_MS,
  type ServerChains,
  type ServerLink,
  type StartServer,
} from "./server_link.ts";

/** Ports and settings of the pool and its servers. */
export interface ModernPoolOptions {
  /** Starts a server. */
  readonly start: StartServer;
  /** Watches replies. */
  readonly pulse: Pulse;
  /** Timeouts of the proxy's own requests. */
  readonly timers: Timers;
  /** Tells the user. */
  readonly say: (line: string) => void;
  /** Opens the log of a server of the pool. */
  readonly openLog: () => ClosableLog | undefined;
  /** Makes the chains of interceptors of a server; undefined without any. */
  readonly chains?: ((ends: ServerChainEnds) => ServerChains) | undefined;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
}

/** Where the chains of a server send lines, and what they share with it. */
export interface ServerChainEnds {
  /** The server's log. */
  readonly log: () => ClosableLog | undefined;
  /** Sends a line to the server. */
  readonly toServer: (line: Uint8Array) => void;
  /** Sends an answer to the host whose request it answers. */
  readonly toHost: (answer: Message) => void;
  /** The number of the next request of the proxy. */
  readonly nextNumber: () => number;
}

/** A request's reply and its method. */
interface Asked {
  readonly reply: HostReply;
  readonly method: string;
}

/** How a request came. */
export interface AskedHow {
  /** What its host accepts. */
  readonly accepts: Accepts;
  /** The way back to its host. */
  readonly wire: ReplyWire;
  /** The name of its conversation, if its host gave one. */
  readonly conversation: string | undefined;
}

/** One server of the pool. */
export class ModernServer {
  /** Settles when it and its log have ended. */
  readonly over: Promise<void>;
  /** Whether it has said that it is modern. */
  isModern: boolean;
  /** Whether it was asked to end. */
  wasAsked = false;
  readonly #options: ModernPoolOptions;
  readonly #link: ServerLink;
  readonly #fanIn = new FanIn<Asked>();
  /** Takers of answers to the proxy's own requests, by id. */
  readonly #own = new Map<string, (answer: Message | undefined) => void>();
  readonly #params = new Map<string, readonly ParamHeader[]>();
  /** The revisions that servers of the pool named. */
  readonly #versions: string[];
  readonly #chains: ServerChains | undefined;
  #log: ClosableLog | undefined;
  #ownIds = 0;

  /** Starts it. Throws when it cannot be started. */
  constructor(options: ModernPoolOptions, isModern: boolean, versions: string[]) {
    this.#options = options;
    this.#versions = versions;
    this.isModern = isModern;
    this.#chains = options.chains?.({
      log: () => this.#log,
      toServer: (line) => this.#link.send(line.slice()),
      toHost: (answer) => this.#route(answer),
      nextNumber: () => ++this.#ownIds,
    });
    this.#link = options.start({
      // Chains record each line themselves, in their own order.
      tap: this.#chains === undefined
        ? {
          client: (chunk) => this.#log?.client(chunk),
          server: (chunk) => this.#log?.server(chunk),
          end: (from) => this.#log?.end(from),
        }
        : undefined,
      onLine: (line) => this.#onLine(line),
      onEnd: () => this.#outputEnded(),
      room: () => undefined,
    });
    if (isModern) this.#log = options.openLog(); // A server that cannot start leaves no log.
    this.over = this.#link.done.catch(() => 1).then((code) => this.#ended(code));
  }

  /** Whether a request waits for its answer. */
  get isActive(): boolean {
    return this.#fanIn.size > 0;
  }

  /** Asks whether the server is modern, and which arguments its tools want in headers. */
  async discover(): Promise<void> {
    const ask: AskServer = (request) => this.#request(request);
    if (!this.isModern) {
      const versions = await discoverVersions(ask);
      if (versions === undefined) return;
      this.isModern = true;
      this.#log = this.#options.openLog();
      this.#versions.push(...versions);
    }
    await listPages(ask, (page) => this.#learn(page));
  }

  /** Refuses a revision that the server has not named. */
  versionFault(message: Message): Omit<HttpRefusal, "status"> | undefined {
    const requested = modernVersion(message) ?? "";
    const supported = this.#versions;
    if (supported.length === 0 || supported.includes(requested)) return undefined;
    return {
      code: -32022,
      message: "Unsupported protocol version",
      data: { supported, requested },
    };
  }

  /** The arguments that a call repeats in headers. */
  paramsOf(message: Message): readonly ParamHeader[] {
    return message.method === "tools/call" ? this.#params.get(mcpName(message) ?? "") ?? [] : [];
  }

  /** Sends a line. */
  send(line: Uint8Array): void {
    const sent = oneLine(line);
    if (this.#chains !== undefined) this.#log?.clientLine(sent);
    this.#link.send(sent);
  }

  /** Sends a host's request; its answer goes to the wire. */
  ask(message: Message, { accepts, wire, conversation }: AskedHow): void {
    const reply = new HostReply(wire, {
      accepts,
      onGone: () => {
        this.#chains?.drop(id);
        if (this.#fanIn.drop(id)) this.send(cancelled(id, "the host has closed the stream"));
      },
    });
    const { id, line } = this.#fanIn.take(message, { reply, method: message.method ?? "" });
    this.#options.pulse.watch(reply);
    if (this.#chains === undefined) this.send(line);
    else this.#chains.take(conversation, id, oneLine(line));
  }

  /** Closes its input. */
  close(): void {
    this.wasAsked = true;
    this.#link.close();
  }

  /** Ends it because the proxy was asked to end. */
  stop(): void {
    this.wasAsked = true;
    this.#link.terminate();
  }

  /** Sends a request of the proxy; undefined when no answer comes in time. */
  #request({ method, params, timeoutMs }: DiscoveryRequest): Promise<Message | undefined> {
    const id = `hoist-${++this.#ownIds}`;
    const key = JSON.stringify(id);
    return new Promise((resolve) => {
      const done = (answer: Message | undefined) => {
        cancel();
        this.#own.delete(key);
        resolve(answer);
      };
      const cancel = this.#options.timers.later(timeoutMs, () => done(undefined));
      this.#own.set(key, done);
      this.send(ownRequest(id, method, { ...params, _meta: OWN_META }));
    });
  }

  #onLine(raw: Uint8Array): void {
    const message = isReadable(raw) ? readMessage(oneLine(withoutMark(raw))) : undefined;
    if (message?.kind === "response" && this.#chains?.answer(message, message.bytes)) return;
    if (this.#chains !== undefined) this.#log?.serverLine(oneLine(raw));
    if (message === undefined) return this.#onUnreadable(raw);
    if (message.method === "notifications/tools/list_changed") this.#chains?.toolsChanged();
    const id = message.kind === "response" ? writtenId(message) ?? "" : "";
    const own = this.#own.get(id);
    if (own !== undefined) return own({ ...message, bytes: message.bytes.slice() });
    this.#route(message);
  }

  /** A line that no host could read: the request it claims to answer gets an error. */
  #onUnreadable(raw: Uint8Array): void {
    const id = claimedId(raw);
    const routed = id === undefined ? undefined : this.#fanIn.route(
      readMessage(errorResponse(id, INTERNAL_ERROR, "the server's answer is not JSON")),
    );
    if (routed === undefined) {
      if (raw.length > 0) this.#options.say(UNREADABLE);
      return;
    }
    this.#log?.proxy(routed.line);
    routed.owner.reply.finish(routed.line);
  }

  /** Sends a message of the server to the host it is for. */
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
    await this.#chains?.close();
    for (const done of [...this.#own.values()]) done(undefined);
    this.#failAll(`the server has exited with status ${code}`);
    await this.#log?.close();
  }

  /** The server can answer no more, though it may live on. */
  #outputEnded(): void {
    this.#options.timers.later(EXIT_MS, async () => {
      await this.#chains?.close();
      this.#failAll("the server has closed its output");
    });
  }

  #failAll(why: string): void {
    for (const { owner, id } of this.#fanIn.dropAll()) {
      const line = errorResponse(id, INTERNAL_ERROR, why);
      this.#log?.proxy(line);
      owner.reply.finish(line);
    }
  }
}
