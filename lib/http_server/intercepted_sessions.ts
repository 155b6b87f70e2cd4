/**
 * The sessions of HTTP hosts toward an HTTP upstream that have a chain of interceptors: which
 * one a request belongs to, and when each begins and ends.
 *
 * A legacy session is known by its id, a modern conversation by the host's `Hoist-Session`
 * header; a modern request without one is a session of its own.
 *
 * @module
 */

import { modernVersion } from "../mcp/era.ts";
import type { Message } from "../wire/message.ts";
import type { InterceptedReply } from "./intercepted_reply.ts";
import type { Chain } from "../intercept/chain/chain.ts";
import type { ExchangePorts } from "./exchange_ports.ts";
import type { LogTap } from "../relay/log_tap.ts";
import { OwnExchanges } from "../http_client/own_exchanges.ts";
import { HttpLink } from "../http_client/http_link.ts";
import { ModernEra } from "../session/upstream/modern_era.ts";

/** A session with a chain. */
export interface Entry {
  readonly chain: Chain;
  readonly log: LogTap | undefined;
  /** Requests of the host that wait for their answer, by key. */
  readonly replies: Map<string, InterceptedReply>;
  /** Whose POST is handed to the session at this moment. */
  current:
    | { readonly reply: InterceptedReply; readonly body: Uint8Array; readonly line: Uint8Array }
    | undefined;
  /** The host's last request. */
  request: Request;
}

/** Where the lines of a session go. */
export interface EntryPorts {
  readonly toServer: (entry: Entry, line: Uint8Array) => void;
  readonly toHost: (entry: Entry, line: Uint8Array) => void;
}

/** Sessions that are remembered; the one used least lately is forgotten for one more. */
const MAX_KEPT = 1024;

/** The sessions of one upstream. */
export class InterceptedSessions {
  readonly #ports: ExchangePorts;
  readonly #lines: EntryPorts;
  readonly #link: HttpLink;
  readonly #tools: ModernEra;
  readonly #kept = new Map<string, Entry>();
  readonly #once = new Set<Entry>();
  #ownIds = 0;

  /** Starts with none. */
  constructor(ports: ExchangePorts, lines: EntryPorts) {
    this.#ports = ports;
    this.#lines = lines;
    this.#link = new HttpLink(ports.link);
    this.#tools = new ModernEra({
      link: this.#link,
      tap: undefined,
      ownId: () => `hoist-${++this.#ownIds}`,
      say: ports.runtime.say,
    });
  }

  /** The session with a session id, if there is one. */
  known(session: string): Entry | undefined {
    return this.#kept.get(session);
  }

  /** The session a request belongs to; one that begins with it where there is none. */
  find(messages: readonly Message[], request: Request, keys: readonly string[]): Entry {
    const session = request.headers.get("mcp-session-id");
    const isModern = messages.some((message) => modernVersion(message) !== undefined);
    const conversation = request.headers.get("hoist-session");
    const name = session ?? (isModern && conversation !== null ? `host ${conversation}` : null);
    const known = name === null ? undefined : this.#kept.get(name);
    // Two requests of one id at once are two hosts.
    if (known !== undefined && !keys.some((key) => known.replies.has(key))) {
      this.keep(name ?? "", known);
      return known;
    }
    const isOpening = messages[0]?.method === "initialize" && session === null;
    const entry = this.#begin(request, { isOpening, conversation });
    if (name !== null && known === undefined) this.keep(name, entry);
    return entry;
  }

  /** Remembers a session under a name. */
  keep(name: string, entry: Entry): void {
    this.#once.delete(entry);
    this.#kept.delete(name);
    this.#kept.set(name, entry);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.ended(oldest);
  }

  /** A session has ended. */
  ended(session: string): void {
    const entry = this.#kept.get(session);
    this.#kept.delete(session);
    if (entry !== undefined) void this.#end(entry);
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    await Promise.all([...this.#kept.values(), ...this.#once].map((entry) => this.#end(entry)));
  }

  /** Ends a session of one request that has its answers. */
  endOnce(entry: Entry): void {
    if (entry.replies.size === 0 && this.#once.delete(entry)) void this.#end(entry);
  }

  #begin(
    request: Request,
    { isOpening, conversation }: { isOpening: boolean; conversation: string | null },
  ): Entry {
    const log = this.#ports.log(request.headers, isOpening);
    const own = new OwnExchanges({
      link: this.#link,
      tools: this.#tools,
      chain: () => entry.chain,
      headers: () => entry.request.headers,
    });
    const entry: Entry = {
      chain: this.#ports.chains.begin({
        id: log?.session ?? conversation ?? "",
        hostSession: conversation ?? undefined,
        log,
        toServer: (line) => this.#lines.toServer(entry, line),
        toServerOwn: (line) => void own.send(line),
        toHost: (line) => this.#lines.toHost(entry, line),
        nextNumber: (last) => this.#ownIds = Math.max(this.#ownIds, last) + 1,
      }),
      log: log?.tap,
      replies: new Map(),
      current: undefined,
      request,
    };
    this.#once.add(entry);
    return entry;
  }

  async #end({ chain, log }: Entry): Promise<void> {
    await chain.close();
    await chain.end();
    if (log !== undefined) this.#ports.release(log);
  }
}
