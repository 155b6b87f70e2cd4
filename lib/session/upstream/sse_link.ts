/**
 * An upstream of the first HTTP transport (MCP 2024-11-05, HTTP+SSE), asked as one of Streamable
 * HTTP: a GET stream carries all that the server says, and its first event names where to POST.
 *
 * The answers on that stream are handed to the POST that waits for them; what is left goes to
 * the GET stream of the session. When the stream ends, so has the session: the next POST is
 * answered with 404, as Streamable HTTP says it.
 *
 * @module
 */

import { carries } from "../../mcp/upstream_rules.ts";
import { isMessageEvent, type StreamEvent } from "../../wire/event_stream.ts";
import { idKey, readJsonRpc, writtenId } from "../../wire/message.ts";
import { claimedId, isReadable, withoutMark } from "../../wire/reading.ts";
import type { Timers } from "../timers.ts";
import { EventQueue } from "./event_queue.ts";
import {
  type HeaderList,
  isSuccessStatus,
  type SendLimits,
  type UpstreamLink,
  type UpstreamResponse,
} from "./link.ts";

/** What an old transport works with. */
export interface SsePorts {
  /** Where the stream is opened. */
  readonly url: string;
  /** A link to an address of the same origin. */
  linkTo(url: string): UpstreamLink;
  readonly timers: Timers;
}

/** An open stream. */
interface Session {
  readonly name: string;
  readonly endpoint: UpstreamLink;
  readonly abort: AbortController;
  /** Who waits for an answer, by the key of its id. */
  readonly waiting: Map<string, EventQueue>;
  /** What nobody waits for. */
  readonly others: EventQueue;
  /** Whether a session of a host has begun on it. */
  isUsed: boolean;
  isOver: boolean;
}

/** How long a server may take to name its endpoint. */
const ENDPOINT_MS = 10_000;

/** The link. */
export class SseLink implements UpstreamLink {
  readonly #ports: SsePorts;
  #session: Session | undefined;
  #names = 0;

  /** Opens nothing yet: a session begins with `initialize`. */
  constructor(ports: SsePorts) {
    this.#ports = ports;
  }

  async post(body: Uint8Array, headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    const { messages } = readJsonRpc(body);
    const isFirst = messages[0]?.method === "initialize";
    // Whoever looked for the stream has opened it: some servers have room for one alone.
    const isOpen = this.#session?.isUsed === false && !this.#session.isOver;
    if (isFirst && !isOpen) await this.open(headers);
    const session = this.#session;
    if (session === undefined || session.isOver) return bare(404);
    session.isUsed = true;
    const queue = new EventQueue();
    const keys = messages.flatMap((message) => {
      const id = message.kind === "request" ? writtenId(message) : undefined;
      return id === undefined ? [] : [idKey(id)];
    });
    const forget = () => keys.forEach((key) => session.waiting.delete(key));
    for (const key of keys) session.waiting.set(key, queue);
    limits.signal?.addEventListener("abort", () => {
      forget();
      queue.end();
    }, { once: true });
    let response: UpstreamResponse;
    try {
      response = await session.endpoint.post(body, withoutSession(headers), limits);
    } catch (error) {
      forget();
      throw error;
    }
    if (!isSuccessStatus(response) || keys.length === 0) {
      forget();
      return isFirst ? { ...response, session: session.name } : response;
    }
    await response.discard();
    return {
      ...eventsResponse(queue, () => keys.some((key) => session.waiting.has(key))),
      session: session.name,
    };
  }

  get(_headers: HeaderList, { signal }: SendLimits): Promise<UpstreamResponse> {
    const session = this.#session;
    if (session === undefined || session.isOver) return Promise.resolve(bare(405));
    const { others } = session;
    signal?.addEventListener("abort", () => others.pause(), { once: true });
    return Promise.resolve(eventsResponse(others, () => true));
  }

  delete(): Promise<UpstreamResponse> {
    this.#close();
    return Promise.resolve(bare(204));
  }

  /**
   * Opens the stream, in place of one before.
   *
   * @param headers Headers to ask with.
   * @throws {Error} When there is none, or it does not begin as such a stream does.
   */
  async open(headers: HeaderList): Promise<void> {
    this.#close();
    const { url, linkTo, timers } = this.#ports;
    const abort = new AbortController();
    let isLate = false;
    const stop = timers.later(ENDPOINT_MS, () => {
      isLate = true;
      abort.abort();
    });
    try {
      const { signal } = abort;
      const response = await linkTo(url).get(withoutSession(headers), { signal });
      if (carries(response.status, response.contentType) !== "events") {
        await response.discard();
        throw new Error(
          `the upstream opens no event stream of the old transport: HTTP ${response.status}`,
        );
      }
      const events = response.events()[Symbol.asyncIterator]();
      const first = await firstOf(events);
      if (first?.type !== "endpoint") {
        throw new Error("the upstream's event stream does not begin with an endpoint");
      }
      const session: Session = {
        name: `sse-${++this.#names}`,
        endpoint: linkTo(this.#endpoint(first)),
        abort,
        waiting: new Map(),
        others: new EventQueue(),
        isUsed: false,
        isOver: false,
      };
      this.#session = session;
      void read(session, events);
    } catch (error) {
      abort.abort();
      throw isLate ? new Error("the upstream's event stream names no endpoint in time") : error;
    } finally {
      stop();
    }
  }

  /** The address that an event names. A credential goes to the upstream's own origin alone. */
  #endpoint({ data }: StreamEvent): string {
    const { url } = this.#ports;
    const text = new TextDecoder().decode(data).trim();
    const endpoint = URL.canParse(text, url) ? new URL(text, url) : undefined;
    if (endpoint === undefined || endpoint.origin !== new URL(url).origin) {
      throw new Error("the upstream names an endpoint of another origin; not followed");
    }
    return endpoint.href;
  }

  #close(): void {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    session.isOver = true;
    session.abort.abort();
  }
}

/** Hands each message of a stream to who waits for it, to the end of the stream. */
async function read(session: Session, events: AsyncIterator<StreamEvent>): Promise<void> {
  try {
    for (;;) {
      const { value, done } = await events.next();
      if (done === true) break;
      if (!isMessageEvent(value)) continue;
      // There is no resuming: an id would promise it.
      const event = { ...value, id: undefined, retryMs: undefined };
      await queueFor(session, value.data).push(event);
    }
  } catch {
    // Cut off: it has ended.
  }
  session.isOver = true;
  for (const queue of [...session.waiting.values(), session.others]) queue.end();
}

function queueFor({ waiting, others }: Session, data: Uint8Array): EventQueue {
  const ids = isReadable(data)
    ? readJsonRpc(withoutMark(data)).messages.flatMap((message) =>
      message.kind === "response" ? writtenId(message) ?? [] : []
    )
    : [claimedId(data) ?? ""];
  let found: EventQueue | undefined;
  for (const key of ids.map(idKey)) {
    found ??= waiting.get(key);
    waiting.delete(key);
  }
  return found ?? others;
}

async function firstOf(events: AsyncIterator<StreamEvent>): Promise<StreamEvent | undefined> {
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) return undefined;
    if (value.data.length > 0) return value;
  }
}

/** The old transport has no headers of its own. */
function withoutSession(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => !name.startsWith("mcp-"));
}

function eventsResponse(queue: EventQueue, isWaiting: () => boolean): UpstreamResponse {
  return {
    ...bare(200),
    contentType: "text/event-stream",
    events: () => queue.read(isWaiting),
    discard: () => Promise.resolve(queue.pause()),
  };
}

function bare(status: number): UpstreamResponse {
  return {
    status,
    contentType: null,
    session: undefined,
    body: () => Promise.resolve(undefined),
    async *events() {},
    discard: () => Promise.resolve(),
  };
}
