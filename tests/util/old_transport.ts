/**
 * A server's side of HTTP+SSE of 2024-11-05: one stream, on which all answers go.
 *
 * @module
 */

/** The transport of one session. */
export class OldTransport {
  readonly #endpoint: string;
  #to: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** Names this endpoint. */
  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  /** What a GET is answered with. */
  stream(): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (to) => {
        this.#to = to;
        this.#event("endpoint", this.#endpoint);
      },
      cancel: () => void (this.#to = undefined),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  /** Says an answer on the stream; what the POST itself is answered with. */
  async say(answer: Response): Promise<Response> {
    const text = await answer.text();
    if (text !== "") this.#event("message", text);
    return new Response(null, { status: 202 });
  }

  /** Ends the stream. */
  close(): void {
    this.#to?.close();
    this.#to = undefined;
  }

  #event(type: string, data: string): void {
    this.#to?.enqueue(new TextEncoder().encode(`event: ${type}\ndata: ${data}\n\n`));
  }
}
