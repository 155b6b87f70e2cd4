/**
 * What acts on exchanges between HTTP hosts and an HTTP upstream.
 *
 * Only POSTs with something to act on come here: calls, lists, and what opens a
 * session. Everything else is forwarded as it is. A legacy session is known by its
 * id, a modern conversation by the host's `Hoist-Session` header; a modern request
 * without one is a session of its own.
 *
 * @module
 */

import type { Host } from "../host/host.ts";
import { modernVersion } from "../mcp/era.ts";
import { carries } from "../mcp/upstream_rules.ts";
import { isMessageEvent } from "../wire/event_stream.ts";
import { isJson, textAt, valueAt } from "../wire/json_spans.ts";
import { idKey, idText, type Message, oneLine, readMessages } from "../wire/message.ts";
import { ActedReply } from "./acted_reply.ts";
import type { ActiveMode, LiveSession } from "./active_mode.ts";
import type { LogTap } from "./log_tap.ts";
import type { OpenLog } from "./modern_member.ts";
import { OwnExchanges } from "./own_exchanges.ts";
import { eventsOf } from "./response_body.ts";
import { type Headers as LinkHeaders, UpstreamLink } from "./upstream_link.ts";
import { ModernTools } from "./upstream_tools.ts";

/** What acting goes through. */
export interface HttpActingPorts {
  readonly mode: ActiveMode;
  readonly host: Host;
  /** The endpoint, and the user's headers for it. */
  readonly link: { readonly url: string; readonly headers: LinkHeaders };
  /** Sends a host's request on, and shapes what comes for the host; its response or a refusal. */
  readonly forward: (
    request: Request,
    body: Uint8Array,
    log: LogTap | undefined,
  ) => Promise<Response>;
  /** The log of it is not needed any more. */
  readonly release: (log: LogTap) => void;
  /** The log a request belongs to, kept open until it is released. */
  readonly log: (headers: Headers, isOpening: boolean) => OpenLog | undefined;
}

/** A session that is acted on. */
interface Entry {
  readonly live: LiveSession;
  readonly log: LogTap | undefined;
  /** Requests of the host that wait for their answer, by key. */
  readonly replies: Map<string, ActedReply>;
  /** Whose POST is handed to the session at this moment. */
  current:
    | { readonly reply: ActedReply; readonly body: Uint8Array; readonly line: Uint8Array }
    | undefined;
  /** The host's last request. */
  request: Request;
}

/** Methods that something may act on. */
const ACTED = new Set([
  "tools/call",
  "tools/list",
  "initialize",
  "server/discover",
  "notifications/cancelled",
]);
/** Sessions that are remembered; the one used least lately is forgotten for one more. */
const MAX_KEPT = 1024;

/** Acts on exchanges. */
export class HttpActing {
  readonly #ports: HttpActingPorts;
  readonly #link: UpstreamLink;
  readonly #tools: ModernTools;
  readonly #kept = new Map<string, Entry>();
  readonly #once = new Set<Entry>();
  #ownIds = 0;

  /** Starts with no session. */
  constructor(ports: HttpActingPorts) {
    this.#ports = ports;
    this.#link = new UpstreamLink(ports.link);
    this.#tools = new ModernTools({
      link: this.#link,
      tap: undefined,
      ownId: () => `hoist-${++this.#ownIds}`,
      say: ports.host.say,
    });
  }

  /** The response to a POST; undefined when nothing acts on it, so that it is forwarded as it is. */
  post(body: Uint8Array, request: Request): Promise<Response> | undefined {
    if (!isJson(body)) return undefined;
    const line = oneLine(body);
    const { messages } = readMessages(line);
    if (!messages.some(({ method }) => method !== undefined && ACTED.has(method))) return undefined;
    const ids = messages.flatMap((m) => m.kind === "request" ? [idText(m) ?? "null"] : []);
    const entry = this.#find(messages, request, ids.map(idKey));
    const reply = new ActedReply(request, ids.map(idKey), (waiting) => {
      ids.filter((id) => waiting.includes(idKey(id))).forEach((id) => {
        entry.replies.delete(idKey(id));
        if (messages.some((m) => modernVersion(m) !== undefined)) entry.live.active.abandon(id);
      });
      this.#endOnce(entry);
    });
    for (const id of ids) entry.replies.set(idKey(id), reply);
    entry.request = request;
    entry.current = { reply, body, line };
    this.#noteCancel(entry, messages);
    entry.live.active.fromHost(line);
    // A notification that stayed here is taken.
    if (ids.length === 0 && entry.current !== undefined) reply.upstreamOver(() => false);
    entry.current = undefined;
    return reply.response;
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

  #find(messages: readonly Message[], request: Request, keys: readonly string[]): Entry {
    const session = request.headers.get("mcp-session-id");
    const isModern = messages.some((message) => modernVersion(message) !== undefined);
    const conversation = request.headers.get("hoist-session");
    const name = session ?? (isModern && conversation !== null ? `host ${conversation}` : null);
    const known = name === null ? undefined : this.#kept.get(name);
    // Two requests of one id at once are two hosts.
    if (known !== undefined && !keys.some((key) => known.replies.has(key))) {
      this.#keep(name ?? "", known);
      return known;
    }
    const isOpening = messages[0]?.method === "initialize" && session === null;
    const entry = this.#begin(request, { isOpening, conversation });
    if (name !== null && known === undefined) this.#keep(name, entry);
    return entry;
  }

  #keep(name: string, entry: Entry): void {
    this.#once.delete(entry);
    this.#kept.delete(name);
    this.#kept.set(name, entry);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.ended(oldest);
  }

  #begin(
    request: Request,
    { isOpening, conversation }: { isOpening: boolean; conversation: string | null },
  ): Entry {
    const log = this.#ports.log(request.headers, isOpening);
    const own = new OwnExchanges({
      link: this.#link,
      tools: this.#tools,
      active: () => entry.live.active,
      headers: () => entry.request.headers,
    });
    const entry: Entry = {
      live: this.#ports.mode.begin({
        id: log?.session ?? conversation ?? "",
        hostSession: conversation ?? undefined,
        log,
        toServer: (line) => void this.#send(entry, line),
        toServerOwn: (line) => void own.send(line),
        toHost: (line) => this.#toHost(entry, line),
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

  /** Sends what the session hands on of a host's POST, and hands it what comes back. */
  async #send(entry: Entry, line: Uint8Array): Promise<void> {
    const { current } = entry;
    const sent = readMessages(line).messages;
    const keys = sent.flatMap((m) => m.kind === "request" ? [idKey(idText(m) ?? "null")] : []);
    const reply = current?.reply ?? entry.replies.get(keys[0] ?? "");
    const isSame = current !== undefined && current.line.length === line.length;
    const body = isSame ? current.body : line.slice();
    entry.current = undefined;
    if (reply === undefined) return;
    const { request } = reply;
    const response = await this.#ports.forward(request, body, entry.log);
    const session = response.headers.get("mcp-session-id");
    if (session !== null && request.headers.get("mcp-session-id") === null) {
      this.#keep(session, entry);
    }
    const what = carries(response.status, response.headers.get("content-type"));
    const headers = [...response.headers].filter(([name]) => name !== "content-length");
    const head = { status: response.status, headers };
    if (what === "nothing" || keys.length === 0) {
      this.#unanswered(entry, keys);
      return reply.pass(response);
    }
    if (what === "events") {
      reply.events(head);
      await this.#events(entry, reply, response);
    } else {
      const bytes = await response.arrayBuffer().then((b) => new Uint8Array(b), () => undefined);
      if (bytes === undefined || !isJson(bytes)) {
        this.#unanswered(entry, keys);
        return reply.pass(new Response(bytes ?? null, head));
      }
      reply.body(head);
      this.#fromServer(entry, reply, bytes);
    }
    reply.upstreamOver((key) => entry.live.active.holds(key));
    this.#unanswered(entry, keys.filter((key) => !entry.live.active.holds(key)));
  }

  /** What has no answer by now gets none: nothing waits for it. */
  #unanswered(entry: Entry, keys: readonly string[]): void {
    for (const key of keys) entry.live.active.abandon(key);
    this.#forget(entry, keys);
  }

  async #events(entry: Entry, reply: ActedReply, response: Response): Promise<void> {
    try {
      for await (const event of eventsOf(response)) {
        reply.event(event);
        if (isMessageEvent(event)) this.#fromServer(entry, reply, event.data);
      }
    } catch {
      // Cut off: the host sees its stream end, and may take it up again.
    }
  }

  /** Hands a message of the upstream to the session; what names no request goes to this reply. */
  #fromServer(entry: Entry, reply: ActedReply, bytes: Uint8Array): void {
    const line = oneLine(bytes);
    entry.current = { reply, body: bytes, line };
    entry.live.active.fromServer(line);
    entry.current = undefined;
  }

  #toHost(entry: Entry, line: Uint8Array): void {
    const messages = isJson(line) ? readMessages(line).messages : [];
    const keys = messages.flatMap((m) => m.kind === "response" ? [idKey(idText(m) ?? "null")] : []);
    const reply = keys.map((key) => entry.replies.get(key)).find((r) => r !== undefined) ??
      entry.current?.reply;
    this.#forget(entry, keys);
    reply?.line(line);
  }

  #forget(entry: Entry, keys: readonly string[]): void {
    for (const key of keys) entry.replies.delete(key);
    this.#endOnce(entry);
  }

  /** A host that gives a legacy request up gets no answer to it. */
  #noteCancel(entry: Entry, messages: readonly Message[]): void {
    for (const { method, bytes, params } of messages) {
      const id = method === "notifications/cancelled"
        ? valueAt(bytes, params, "requestId")
        : undefined;
      if (id === undefined) continue;
      const key = idKey(textAt(bytes, id));
      entry.replies.get(key)?.giveUp(key);
    }
  }

  #endOnce(entry: Entry): void {
    if (entry.replies.size === 0 && this.#once.delete(entry)) void this.#end(entry);
  }

  async #end({ live, log }: Entry): Promise<void> {
    await live.active.close();
    await live.end();
    if (log !== undefined) this.#ports.release(log);
  }
}
