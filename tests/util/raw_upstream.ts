/**
 * An HTTP server in the test's own process that answers with bytes as they are,
 * for what no HTTP library would send.
 *
 * @module
 */

/** A running server. */
export class RawUpstream implements AsyncDisposable {
  /** Each request's head, as it came. */
  readonly heads: string[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections = new Set<Deno.Conn>();
  readonly #serving: Promise<void>;

  /** Starts it: `answer` gives the bytes (one character a byte); then the connection is closed. */
  constructor(answer: () => string | Uint8Array) {
    this.#serving = this.#serve(answer);
  }

  /** Its endpoint. */
  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}/mcp`;
  }

  async #serve(answer: () => string | Uint8Array): Promise<void> {
    const open: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#connections.add(connection);
      open.push(this.#answer(connection, answer));
    }
    await Promise.all(open);
  }

  async #answer(connection: Deno.Conn, answer: () => string | Uint8Array): Promise<void> {
    const buffer = new Uint8Array(65_536);
    let text = "";
    try {
      while (!isWhole(text)) {
        const count = await connection.read(buffer);
        if (count === null) return;
        text += String.fromCharCode(...buffer.subarray(0, count));
      }
      this.heads.push(text.split("\r\n\r\n")[0] ?? "");
      const bytes = answer();
      const sent = typeof bytes === "string"
        ? Uint8Array.from(bytes, (c) => c.charCodeAt(0))
        : bytes;
      for (let rest = sent; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
    } catch {
      // The other end is gone.
    } finally {
      this.#connections.delete(connection);
      connection.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#serving;
  }
}

function isWhole(text: string): boolean {
  const [head = "", ...body] = text.split("\r\n\r\n");
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return body.length > 0 && body.join("\r\n\r\n").length >= length;
}
