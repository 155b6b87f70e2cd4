/**
 * A tiny MCP server over HTTP that answers each call with its text, for
 * measurements: one session, JSON bodies, no checks. Prints its URL.
 *
 * @module
 */

const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
  if (request.method !== "POST") {
    return new Response(null, { status: request.method === "GET" ? 405 : 200 });
  }
  const { id, method, params } = await request.json();
  if (id === undefined) return new Response(null, { status: 202 });
  const result = method === "initialize"
    ? {
      protocolVersion: "2025-06-18",
      capabilities: {},
      serverInfo: { name: "echo", version: "0" },
    }
    : { content: [{ type: "text", text: params?.arguments?.text ?? "" }] };
  return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": "only" } });
});
console.log(`http://127.0.0.1:${server.addr.port}/mcp`);
