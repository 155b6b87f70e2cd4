/**
 * The response to one POST that interceptors act on: what the upstream's response was,
 * with the lines that come out of the session in it.
 *
 * A body waits until each of its requests has its answer; an event stream is
 * open from the start, and closes when the upstream's has and nothing is held.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import type { EventBlock } from "../wire/event_blocks.ts";
import { eventBytes, messageEvent } from "../wire/event_stream.ts";
import { isJson } from "../json/json_spans.ts";
import { idKey, readJsonRpc, writtenId } from "../wire/message.ts";
import { arrayOf } from "../session/listen/host_reply.ts";

/** Status and headers of a response. */
export interface Head {
  readonly status: number;
  readonly headers: [string, string][];
}

const PLAIN: Head = { status: 200, headers: [["content-type", "application/json"]] };

/** A message of the upstream, and how it came. */
export interface Arrived {
  readonly line: Uint8Array;
  /** The body or the event it came in. */
  readonly raw: Uint8Array;
  /** The event's id. */
  readonly id: string | undefined;
}

/** What a reply asks of its surroundings. */
export interface ReplyPorts {
  /** The host hung up while these waited. */
  readonly onGone: (waiting: readonly string[]) => void;
  /** Whether the answer with this key will still come. */
  readonly holds: (key: string) => boolean;
}

/** One response. */
export class InterceptedReply {
  /** The response, once it is known. */
  readonly response: Promise<Response>;
  /** The host's request. */
  readonly request: Request;
  readonly #ports: ReplyPorts;
  /** Keys of the requests without an answer. */
  readonly #waiting: Set<string>;
  readonly #resolve: (response: Response) => void;
  #head: Head | undefined;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isUpstreamOver = false;
  #isOver = false;
  /** The message that is looked at now, and the answers that may come out later. */
  #now: Arrived | undefined;
  readonly #later = new Map<string, Arrived>();
  /** The id of the last event that went on without it. */
  #owedId: string | undefined;
  #hasIds = false;
  #parts: Uint8Array[] = [];

  /**
   * Makes a reply that waits for answers.
   *
   * @param request The host's request.
   * @param keys The keys of the messages it answers.
   * @param ports Who is told, and who is asked.
   */
  constructor(request: Request, keys: readonly string[], ports: ReplyPorts) {
    this.request = request;
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#resolve = resolve;
    this.#waiting = new Set(keys);
    this.#ports = ports;
  }

  /** Whether the host can take the stream up again after it broke off. */
  get isResumable(): boolean {
    return this.#hasIds;
  }

  /** The upstream's response is handed on as it is. */
  pass(response: Response): void {
    this.#isOver = true;
    this.#resolve(response);
  }

  /** The upstream answers with a body. */
  body(head: Head): void {
    this.#head = head;
  }

  /** The upstream answers with an event stream. */
  events({ status, headers }: Head): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#stream = controller),
      cancel: () => {
        this.#isOver = true;
        this.#ports.onGone([...this.#waiting]);
      },
    });
    this.#resolve(new Response(body, { status, headers }));
  }

  /** A piece of the upstream's stream that carries no message. */
  block({ raw, event, isWhole }: EventBlock): void {
    const id = event?.id;
    this.#hasIds ||= id !== undefined;
    const isHolding = this.#isHolding();
    if (event !== undefined && id !== undefined && isHolding) {
      this.#owedId = id;
      if (event.data.length > 0) this.#enqueue(eventBytes({ ...event, id: undefined }));
      // What is no whole event would run into the one that is held.
    } else if (isWhole || !isHolding) this.#enqueue(raw);
  }

  /** A message of the upstream, which is looked at next. What comes out of that as it was goes on as it came. */
  arrives(message: Arrived): void {
    this.#hasIds ||= message.id !== undefined;
    this.#now = message;
    for (const key of answered(message.line)) this.#later.set(key, message);
  }

  /** An answer will come that was not waited for. */
  expect(key: string): void {
    this.#waiting.add(key);
  }

  /** A line for the host. */
  line(line: Uint8Array): void {
    const keys = answered(line);
    const arrived = keys.map((key) => this.#later.get(key)).find((a) => a !== undefined) ??
      (this.#now !== undefined && isSame(this.#now.line, line) ? this.#now : undefined);
    for (const key of keys) {
      this.#waiting.delete(key);
      this.#later.delete(key);
    }
    if (this.#isOver) return;
    if (this.#stream !== undefined) this.#enqueue(this.#event(line, arrived));
    else this.#parts.push(arrived === undefined ? line.slice() : restored(line, arrived));
    this.#settle();
  }

  /** The upstream's response has ended: nothing is waited for but what is held. */
  upstreamOver(): void {
    this.#isUpstreamOver = true;
    for (const key of this.#waiting) if (!this.#ports.holds(key)) this.#waiting.delete(key);
    this.#settle();
  }

  /** A request will get no answer: its host gave it up. */
  giveUp(key: string): void {
    this.#waiting.delete(key);
    this.#settle();
  }

  /**
   * The event of a line. While an answer is held no event has an id: the host would take the
   * stream up behind it.
   */
  #event(line: Uint8Array, arrived: Arrived | undefined): Uint8Array {
    const last = arrived?.id ?? this.#owedId;
    const isHolding = this.#isHolding();
    const id = isHolding ? undefined : this.#owedId ?? last;
    this.#owedId = isHolding ? last : undefined;
    if (arrived !== undefined && arrived.id === id && isSame(arrived.line, line)) {
      return arrived.raw;
    }
    return messageEvent(line, id);
  }

  #isHolding(): boolean {
    for (const key of this.#waiting) if (this.#ports.holds(key)) return true;
    return false;
  }

  #enqueue(bytes: Uint8Array): void {
    if (!this.#isOver) this.#stream?.enqueue(bytes);
  }

  #settle(): void {
    if (this.#isOver || this.#waiting.size > 0) return;
    if (this.#stream !== undefined) {
      if (!this.#isUpstreamOver) return;
      this.#isOver = true;
      return this.#stream.close();
    }
    this.#isOver = true;
    const { status, headers } = this.#head ?? PLAIN;
    const [first] = this.#parts;
    if (first === undefined) return this.#resolve(new Response(null, { status: 202 }));
    const body = this.#parts.length === 1 ? first : arrayOf(this.#parts.flatMap(messagesOf));
    this.#resolve(new Response(body as Uint8Array<ArrayBuffer>, { status, headers }));
  }
}

/** The keys of the responses in a line. */
export function answered(line: Uint8Array): string[] {
  if (!isJson(line)) return [];
  return readJsonRpc(line).messages.flatMap((message) =>
    message.kind === "response" ? [idKey(writtenId(message) ?? "null")] : []
  );
}

/** A body of JSON with the ends of lines it came with, but for what was put into it. */
function restored(line: Uint8Array, { line: was, raw }: Arrived): Uint8Array {
  if (raw === was) return line.slice();
  let start = 0;
  while (start < was.length && start < line.length && was[start] === line[start]) start++;
  if (start === was.length && start === line.length) return raw;
  let end = 0;
  const most = Math.min(was.length, line.length) - start;
  while (end < most && was.at(-1 - end) === line.at(-1 - end)) end++;
  return concat([
    raw.subarray(0, start),
    line.subarray(start, line.length - end),
    raw.subarray(raw.length - end),
  ]);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || (a.length === b.length && a.every((byte, i) => byte === b[i]));
}

function messagesOf(line: Uint8Array): Uint8Array[] {
  return readJsonRpc(line).messages.map(({ span }) => line.subarray(span.start, span.end));
}
