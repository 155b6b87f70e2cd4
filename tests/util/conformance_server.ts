/**
 * The conformance fixture as a program.
 *
 * Usage: `deno run -A conformance_server.ts stdio|http [PORT]`. Over HTTP it
 * serves both eras: legacy sessions with an event store, modern requests beside
 * them, on 127.0.0.1 only; it prints its URL.
 *
 * @module
 */

import {
  createMcpHandler,
  type EventStore,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  type ServerNotifier,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { conformanceServer } from "./conformance_features.ts";

/** Keeps every event, and gives those of one stream again. */
class EventsInMemory implements EventStore {
  readonly #events: { id: string; stream: string; message: unknown }[] = [];

  storeEvent(stream: string, message: unknown): Promise<string> {
    const id = `${stream}_${this.#events.length}`;
    this.#events.push({ id, stream, message });
    return Promise.resolve(id);
  }

  async replayEventsAfter(
    last: string,
    { send }: Parameters<EventStore["replayEventsAfter"]>[1],
  ): Promise<string> {
    const at = this.#events.findIndex(({ id }) => id === last);
    const stream = this.#events[at]?.stream ?? "";
    for (const event of this.#events.slice(at + 1)) {
      if (event.stream !== stream) continue;
      await send(event.id, event.message as Parameters<typeof send>[1]);
    }
    return stream;
  }
}

async function overStdio(): Promise<void> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  let notifier: ServerNotifier | undefined;
  serveStdio(() => {
    const server = conformanceServer(() => notifier);
    notifier = {
      toolsChanged: () => server.sendToolListChanged(),
      promptsChanged: () => server.sendPromptListChanged(),
      resourcesChanged: () => server.sendResourceListChanged(),
      resourceUpdated: (uri) => void server.server.sendResourceUpdated({ uri }),
    };
    return server;
  });
}

function overHttp(port: number): void {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const modern = createMcpHandler(() => conformanceServer(() => modern.notify), {
    legacy: "reject",
  });
  const legacy = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known !== undefined) return await known.handleRequest(request);
    if (id !== null) return new Response("Session not found", { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore: new EventsInMemory(),
      retryInterval: 500,
      onsessioninitialized: (name) => void sessions.set(name, transport),
      onsessionclosed: (name) => void sessions.delete(name),
    });
    await conformanceServer(() => undefined).connect(transport);
    return await transport.handleRequest(request);
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (request) => {
    const refused = hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (refused !== undefined) return refused;
    const hasSession = request.headers.has("mcp-session-id");
    const isLegacy = hasSession || await isLegacyRequest(request.clone());
    return isLegacy ? await legacy(request) : await modern.fetch(request);
  });
  console.log(`http://127.0.0.1:${server.addr.port}/mcp`);
}

if (import.meta.main) {
  if (Deno.args[0] === "http") overHttp(Number(Deno.args[1] ?? 0));
  else await overStdio();
}
