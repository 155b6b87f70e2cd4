/**
 * The response to one POST that is acted on: what the upstream's response was,
 * with the lines that come out of the session in it.
 *
 * A body waits until each of its requests has its answer; an event stream is
 * open from the start, and closes when the upstream's has and nothing is held.
 *
 * @module
 */

import {
  eventBytes,
  isMessageEvent,
  KEEP_ALIVE,
  messageEvent,
  type StreamEvent,
} from "../wire/event_stream.ts";
import { idKey, idText, readMessages } from "../wire/message.ts";
import { arrayOf } from "./reply.ts";

/** Status and headers of a response. */
export interface Head {
  readonly status: number;
  readonly headers: [string, string][];
}

const PLAIN: Head = { status: 200, headers: [["content-type", "application/json"]] };

/** An event that only says how soon to connect again. */
const DELAY = { data: new Uint8Array(), id: undefined, type: undefined };
/** The upstream's own keep-alive comments do not come through the reading of its events. */
const KEEP_ALIVE_MS = 15_000;

/** One response. */
export class ActedReply {
  /** The response, once it is known. */
  readonly response: Promise<Response>;
  /** The host's request. */
  readonly request: Request;
  /** Keys of the requests without an answer. */
  readonly #waiting: Set<string>;
  readonly #resolve: (response: Response) => void;
  readonly #onGone: (waiting: readonly string[]) => void;
  #head: Head | undefined;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isUpstreamOver = false;
  #isOver = false;
  #eventId: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #parts: Uint8Array[] = [];

  /**
   * Makes a reply that waits for answers.
   *
   * @param request The host's request.
   * @param keys The keys of the messages it answers.
   * @param onGone The host hung up while these waited.
   */
  constructor(
    request: Request,
    keys: readonly string[],
    onGone: (waiting: readonly string[]) => void,
  ) {
    this.request = request;
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#resolve = resolve;
    this.#waiting = new Set(keys);
    this.#onGone = onGone;
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
        this.#over();
        this.#onGone([...this.#waiting]);
      },
    });
    this.#timer = setInterval(() => this.#stream?.enqueue(KEEP_ALIVE), KEEP_ALIVE_MS);
    this.#resolve(new Response(body, { status, headers }));
  }

  /** An event of the upstream, whose message, if it is one, is looked at next. */
  event(event: StreamEvent): void {
    if (this.#isOver) return;
    const { id, retryMs } = event;
    if (!isMessageEvent(event)) return this.#stream?.enqueue(eventBytes(event));
    this.#eventId = id;
    if (retryMs !== undefined) this.#stream?.enqueue(eventBytes({ ...DELAY, retryMs }));
  }

  /** A line for the host. */
  line(line: Uint8Array): void {
    for (const message of readMessages(line).messages) {
      if (message.kind === "response") this.#waiting.delete(idKey(idText(message) ?? "null"));
    }
    if (this.#isOver) return;
    if (this.#stream !== undefined) {
      this.#stream.enqueue(messageEvent(line, this.#eventId));
      this.#eventId = undefined;
    } else this.#parts.push(line.slice());
    this.#settle();
  }

  /** The upstream's response has ended: nothing is waited for but what is held. */
  upstreamOver(isHeld: (key: string) => boolean): void {
    this.#isUpstreamOver = true;
    for (const key of this.#waiting) if (!isHeld(key)) this.#waiting.delete(key);
    this.#settle();
  }

  /** A request will get no answer: its host gave it up. */
  giveUp(key: string): void {
    this.#waiting.delete(key);
    this.#settle();
  }

  #over(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  #settle(): void {
    if (this.#isOver || this.#waiting.size > 0) return;
    if (this.#stream !== undefined) {
      if (!this.#isUpstreamOver) return;
      this.#over();
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

function messagesOf(line: Uint8Array): Uint8Array[] {
  return readMessages(line).messages.map(({ span }) => line.subarray(span.start, span.end));
}
