/**
 * The way back to a host over `Deno.serve`: makes a `Response` of what the core
 * answers, and reports a host that hangs up.
 *
 * @module
 */

import type {
  EventSink,
  ReplyHeaders,
  ReplyWire,
  WholeReply,
  WireListener,
} from "../session/listen/reply_wire.ts";

/** A stream that its reader does not empty holds this much before it counts as full. */
const FULL_BYTES = 1_048_576;
/** The status for a host that has left: nobody reads it. */
const HOST_LEFT = 499;

/** The response to one request. */
export class ResponseWire implements ReplyWire {
  /** The response, once it is known. */
  readonly response: Promise<Response>;
  readonly #resolve: (response: Response) => void;
  #listener: WireListener | undefined;

  /** Waits for an answer; `left` is aborted when the host leaves before it. */
  constructor(left?: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#resolve = resolve;
    left?.addEventListener("abort", () => {
      resolve(new Response(null, { status: HOST_LEFT }));
      this.#listener?.left();
    });
  }

  whole(reply: WholeReply): void {
    this.#resolve(responseOf(reply));
  }

  events(headers: ReplyHeaders): EventSink {
    let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (stream = controller),
      pull: () => this.#listener?.emptied(),
      cancel: () => this.#listener?.left(),
    }, new ByteLengthQueuingStrategy({ highWaterMark: FULL_BYTES }));
    this.#resolve(new Response(body, { headers }));
    return {
      get isFull() {
        return (stream?.desiredSize ?? 1) <= 0;
      },
      write: (bytes) => stream?.enqueue(bytes),
      close: () => stream?.close(),
    };
  }

  listen(listener: WireListener): void {
    this.#listener = listener;
  }
}

/** A whole response. */
export function responseOf({ status, headers, body }: WholeReply): Response {
  return new Response(body as Uint8Array<ArrayBuffer> | null, { status, headers });
}
