/**
 * Runs MCP servers of the SDK over Streamable HTTP, one per session. Requires the session id and
 * the protocol version on every request after `initialize`, and refuses requests from pages of other
 * sites, as `hoist-mcp --listen` does.
 *
 * Loads the SDK, so import it only when a server is wanted.
 *
 * @module
 */

import { admit, loopback } from "../mcp/http_rules.ts";
import type { Server } from "@modelcontextprotocol/sdk/server";
// @ts-types="@modelcontextprotocol/sdk/server/webStandardStreamableHttp"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";

type Transport = WebStandardStreamableHTTPServerTransport;

const PATH = "/mcp";

/**
 * Serves until the process is asked to end.
 *
 * @param make Makes the server of a session.
 * @param address Where to listen.
 * @param print Given the endpoint's URL.
 */
export async function serveHttp(
  make: () => Server,
  address: { readonly hostname: string; readonly port: number },
  print: (text: string) => void,
): Promise<void> {
  const sessions = new Map<string, Transport>();
  const server = Deno.serve({ ...address, onListen() {} }, (request) => {
    const header = (name: string) => request.headers.get(name) ?? undefined;
    const { hostname, port } = server.addr;
    const refusal = admit(header, loopback([address.hostname, hostname], port));
    return refusal === undefined
      ? answer(request, sessions, make)
      : refuse(refusal.status, refusal.message);
  });
  print(`http://${address.hostname}:${server.addr.port}${PATH}`);
  await new Promise<void>((resolve) => {
    Deno.addSignalListener("SIGINT", resolve);
    if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", resolve);
  });
  await Promise.all([...sessions.values()].map((transport) => transport.close()));
  await server.shutdown();
}

async function answer(
  request: Request,
  sessions: Map<string, Transport>,
  make: () => Server,
): Promise<Response> {
  if (new URL(request.url).pathname !== PATH) return refuse(404, "Not Found");
  const id = request.headers.get("mcp-session-id");
  if (id !== null) {
    const transport = sessions.get(id);
    if (transport === undefined) return refuse(404, "Session not found");
    if (request.headers.get("mcp-protocol-version") === null) {
      return refuse(400, "Bad Request: the MCP-Protocol-Version header is missing");
    }
    return await transport.handleRequest(request);
  }
  const isOpening = request.method === "POST" &&
    /"method"\s*:\s*"initialize"/.test(await request.clone().text());
  if (!isOpening) return refuse(400, "Bad Request: the Mcp-Session-Id header is missing");
  const transport: Transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (name) => void sessions.set(name, transport),
    onsessionclosed: (name) => void sessions.delete(name),
  });
  await make().connect(transport);
  return await transport.handleRequest(request);
}

function refuse(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }, { status });
}
