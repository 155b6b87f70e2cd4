/**
 * Interceptors between HTTP hosts and an HTTP upstream.
 *
 * Only POSTs that an interceptor may act on come here (calls, lists, and what opens a
 * session), and the GET streams of sessions. Everything else is forwarded as it is. A legacy session is known by its
 * id, a modern conversation by the host's `Hoist-Session` header; a modern request
 * without one is a session of its own.
 *
 * @module
 */

import { modernVersion } from "../mcp/era.ts";
import { carries } from "../mcp/upstream_rules.ts";
import { isMessageEvent } from "../wire/event_stream.ts";
import { isJson, spanText, valueAt } from "../json/json_spans.ts";
import { idKey, type Message, oneLine, readJsonRpc, writtenId } from "../wire/message.ts";
import { answered, type Arrived, InterceptedReply } from "./intercepted_reply.ts";
import type { ExchangePorts } from "./exchange_ports.ts";
import { type Entry, InterceptedSessions } from "./intercepted_sessions.ts";
import { blocksOf } from "../relay/response_body.ts";

/** Methods that an interceptor may act on. */
const INTERCEPTED = new Set([
  "tools/call",
  "tools/list",
  "initialize",
  "server/discover",
  "notifications/cancelled",
]);

/** The exchanges of one upstream. */
export class InterceptedExchanges {
  readonly #ports: ExchangePorts;
  readonly #sessions: InterceptedSessions;

  /** Starts with no session. */
  constructor(ports: ExchangePorts) {
    this.#ports = ports;
    this.#sessions = new InterceptedSessions(ports, {
      toServer: (entry, line) => void this.#send(entry, line),
      toHost: (entry, line) => this.#toHost(entry, line),
    });
  }

  /** The response to a POST; undefined when no interceptor acts on it, so that it is forwarded as it is. */
  post(body: Uint8Array, request: Request): Promise<Response> | undefined {
    if (!isJson(body)) return undefined;
    const line = oneLine(body);
    const { messages } = readJsonRpc(line);
    const { methods } = this.#ports.chains;
    if (!messages.some(({ method = "" }) => INTERCEPTED.has(method) || methods.has(method))) {
      return undefined;
    }
    const ids = messages.flatMap((m) => m.kind === "request" ? [writtenId(m) ?? "null"] : []);
    const entry = this.#sessions.find(messages, request, ids.map(idKey));
    const reply = new InterceptedReply(request, ids.map(idKey), {
      holds: (key) => entry.chain.holds(key),
      onGone: (waiting) => {
        ids.filter((id) => waiting.includes(idKey(id))).forEach((id) => {
          entry.replies.delete(idKey(id));
          if (messages.some((m) => modernVersion(m) !== undefined)) entry.chain.abandon(id);
        });
        this.#sessions.endOnce(entry);
      },
    });
    for (const id of ids) entry.replies.set(idKey(id), reply);
    entry.request = request;
    entry.current = { reply, body, line };
    this.#noteCancel(entry, messages);
    entry.chain.fromHost(line);
    // A notification that stayed here is taken.
    if (ids.length === 0 && entry.current !== undefined) reply.upstreamOver();
    entry.current = undefined;
    return reply.response;
  }

  /**
   * The response to a GET; undefined when it belongs to no session with a chain. The stream
   * may be one that broke off, with answers that calls of the session wait for.
   */
  get(request: Request): Promise<Response> | undefined {
    const session = request.headers.get("mcp-session-id");
    const entry = session === null ? undefined : this.#sessions.known(session);
    return entry && this.#get(entry, request);
  }

  /** A session has ended. */
  ended(session: string): void {
    this.#sessions.ended(session);
  }

  /** Ends all sessions. */
  close(): Promise<void> {
    return this.#sessions.close();
  }

  async #get(entry: Entry, request: Request): Promise<Response> {
    const response = await this.#ports.forward(request, undefined, entry.log);
    const { status, headers } = response;
    if (carries(status, headers.get("content-type")) !== "events") return response;
    const reply = new InterceptedReply(request, [], {
      holds: (key) => entry.chain.holds(key),
      onGone: (waiting) => waiting.forEach((key) => entry.replies.delete(key)),
    });
    reply.events({ status, headers: [...headers] });
    this.#events(entry, reply, response).then(() => reply.upstreamOver());
    return reply.response;
  }

  /** Sends what the session hands on of a host's POST, and hands it what comes back. */
  async #send(entry: Entry, line: Uint8Array): Promise<void> {
    const { current } = entry;
    const sent = readJsonRpc(line).messages;
    const keys = sent.flatMap((m) => m.kind === "request" ? [idKey(writtenId(m) ?? "null")] : []);
    const reply = current?.reply ?? entry.replies.get(keys[0] ?? "");
    // What an interceptor answers is cut out of a batch, and nothing else changes what a host sends.
    const isSame = current !== undefined && current.line.length === line.length;
    const body = isSame ? current.body : line.slice();
    entry.current = undefined;
    if (reply === undefined) return;
    const { request } = reply;
    const response = await this.#ports.forward(request, body, entry.log);
    const session = response.headers.get("mcp-session-id");
    if (session !== null && request.headers.get("mcp-session-id") === null) {
      this.#sessions.keep(session, entry);
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
        // Hosts may read what is no JSON in their own way.
        if (entry.chain.isStrict) return reply.pass(Response.json(null, { status: 502 }));
        return reply.pass(new Response(bytes ?? null, head));
      }
      reply.body(head);
      this.#fromServer(entry, reply, { line: oneLine(bytes), raw: bytes, id: undefined });
    }
    reply.upstreamOver();
    const left = keys.filter((key) => !entry.chain.holds(key));
    // A host of the legacy era fetches what a broken stream owes it: the calls wait on.
    if (reply.isResumable && request.headers.has("mcp-session-id")) this.#forget(entry, left);
    else this.#unanswered(entry, left);
  }

  /** Requests without an answer get none any more: the chain no longer waits for them. */
  #unanswered(entry: Entry, keys: readonly string[]): void {
    for (const key of keys) entry.chain.abandon(key);
    this.#forget(entry, keys);
  }

  async #events(entry: Entry, reply: InterceptedReply, response: Response): Promise<void> {
    try {
      for await (const block of blocksOf(response)) {
        const { raw, event } = block;
        if (event === undefined || !isMessageEvent(event)) reply.block(block);
        else this.#fromServer(entry, reply, { line: oneLine(event.data), raw, id: event.id });
      }
    } catch {
      // Cut off: the host sees its stream end, and may take it up again.
    }
  }

  /** Hands a message of the upstream to the session; what names no request goes to this reply. */
  #fromServer(entry: Entry, reply: InterceptedReply, message: Arrived): void {
    const { line, raw } = message;
    reply.arrives(message);
    for (const key of answered(line)) {
      // An answer that is fetched later, or that nobody waits for.
      if (entry.replies.has(key)) continue;
      entry.replies.set(key, reply);
      reply.expect(key);
    }
    entry.current = { reply, body: raw, line };
    entry.chain.fromServer(line);
    entry.current = undefined;
  }

  #toHost(entry: Entry, line: Uint8Array): void {
    const keys = answered(line);
    const reply = keys.map((key) => entry.replies.get(key)).find((r) => r !== undefined) ??
      entry.current?.reply;
    this.#forget(entry, keys);
    reply?.line(line);
  }

  #forget(entry: Entry, keys: readonly string[]): void {
    for (const key of keys) entry.replies.delete(key);
    this.#sessions.endOnce(entry);
  }

  /** A host that gives a legacy request up gets no answer to it. */
  #noteCancel(entry: Entry, messages: readonly Message[]): void {
    for (const { method, bytes, params } of messages) {
      const id = method === "notifications/cancelled"
        ? valueAt(bytes, params, "requestId")
        : undefined;
      if (id === undefined) continue;
      const key = idKey(spanText(bytes, id));
      entry.replies.get(key)?.giveUp(key);
    }
  }
}
