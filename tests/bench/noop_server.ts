/**
 * A server whose tools do nothing, on the SDK that hai-mcp uses: `noop` by the
 * high-level server, which checks schemas; with `low` as argument by the
 * low-level one, which checks nothing and is what hai-mcp stands on.
 *
 * @module
 */

import { McpServer, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const INFO = { name: "noop", version: "1" };
const REPLY = {
  content: [{ type: "text" as const, text: '{"ok":true}' }],
  structuredContent: { ok: true },
};

function highLevel(): McpServer {
  const server = new McpServer(INFO);
  const inputSchema = z.object({ text: z.string() });
  const outputSchema = z.object({ ok: z.boolean() });
  const tool = { description: "Does nothing.", inputSchema, outputSchema };
  server.registerTool("noop", tool, () => REPLY);
  return server;
}

function lowLevel(): Server {
  const server = new Server(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "noop", inputSchema: { type: "object" as const } }],
  }));
  server.setRequestHandler("tools/call", () => REPLY);
  return server;
}

serveStdio(Deno.args[0] === "low" ? lowLevel : highLevel);
