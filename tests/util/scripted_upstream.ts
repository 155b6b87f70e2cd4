/**
 * A Streamable HTTP server in the test's own process that does what a test says
 * and keeps what it was sent.
 *
 * @module
 */

// deno-lint-ignore no-explicit-any
type Json = any;

/** A request as it came. */
export interface Seen {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Json;
  readonly text: string;
}

/** What a test says: undefined leaves it to the default. */
export type Script = (
  seen: Seen,
  upstream: ScriptedUpstream,
) => Response | undefined | Promise<Response | undefined>;

/** A running server. */
export class ScriptedUpstream implements AsyncDisposable {
  /** All requests so far. */
  readonly seen: Seen[] = [];
  /** Sessions that are open. */
  readonly sessions = new Set<string>();
  /** Whether it gives session ids. */
  hasSessions = true;
  /** The version it agrees to. */
  version = "2025-06-18";
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #end = new AbortController();

  /** Starts it on a free port. */
  constructor(script: Script = () => undefined) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {}, signal: this.#end.signal },
      async (request) => {
        const text = await request.text();
        let body: Json;
        try {
          body = JSON.parse(text);
        } catch {
          body = undefined;
        }
        const seen = { method: request.method, headers: request.headers, body, text };
        this.seen.push(seen);
        return await script(seen, this) ?? this.#default(seen);
      },
    );
  }

  /** Its endpoint. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/mcp`;
  }

  /** The requests with a method of MCP, or another method of HTTP. */
  of(method: string): Seen[] {
    return this.seen.filter((s) => s.body?.method === method || s.method === method);
  }

  #default({ method, headers, body }: Seen): Response {
    const session = headers.get("mcp-session-id");
    if (method === "DELETE") {
      this.sessions.delete(session ?? "");
      return new Response(null, { status: 200 });
    }
    if (method === "GET") return new Response(null, { status: 405 });
    if (body?.method === "initialize") {
      const id = crypto.randomUUID();
      if (this.hasSessions) this.sessions.add(id);
      return Response.json(
        {
          jsonrpc: "2.0",
          id: body.id,
          result: { protocolVersion: this.version, capabilities: {}, serverInfo: { name: "up" } },
        },
        { headers: this.hasSessions ? { "mcp-session-id": id } : {} },
      );
    }
    if (
      this.hasSessions && body?.params?._meta === undefined && !this.sessions.has(session ?? "")
    ) {
      return new Response("no session", { status: session === null ? 400 : 404 });
    }
    if (body?.id === undefined || body.method === undefined) {
      return new Response(null, { status: 202 });
    }
    return Response.json(answer(body.id, body.params?.arguments?.text ?? "ok"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(); // A script may hold a request for ever.
    await this.#server.finished;
  }
}

/** A tool's answer. */
export function answer(id: Json, text: string): Json {
  return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } };
}

/** An event stream that gives these texts, each in a chunk of its own, and ends. */
export function stream(...chunks: readonly (string | Uint8Array)[]): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const chunk of chunks) {
        controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
