/**
 * The hai tools as an MCP server: one table of tools behind the SDK's low-level
 * server, which serves both protocol eras on both transports.
 *
 * The low-level server, since arguments must be judged by our own boundary: the
 * high-level one answers wrong arguments with text of its own.
 *
 * @module
 */

import { type CallToolResult, type McpServerFactory, Server } from "@modelcontextprotocol/server";
import type { HaiShell } from "../host/hai_shell.ts";
import { listTools } from "../hai/engine.ts";
import { INSTRUCTIONS } from "../hai/instructions.ts";
import { Refusal, type Reply } from "../hai/refusal.ts";
import { indentedJson } from "../hai/state_json.ts";
import { type ListedTool, listedTool } from "../hai/tool_listing.ts";
import { TOOLS } from "../hai/tools.ts";

/**
 * Makes the factory that the SDK calls for each connection or request.
 *
 * @param shell The control plane; all servers share it.
 * @param version The server's version.
 * @returns The factory.
 */
export function haiServerFactory(shell: HaiShell, version: string): McpServerFactory {
  let listed: ListedTool[] | undefined;
  return () => {
    const server = new Server({ name: "hai-mcp", title: "HAI control plane", version }, {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
    });
    server.setRequestHandler("tools/list", () => {
      listed ??= listTools().map(listedTool); // Costly, and not needed to start.
      return { tools: listed };
    });
    server.setRequestHandler("tools/call", async ({ params }) => {
      const { name, arguments: args = {} } = params;
      if (!TOOLS.has(name)) return toResult(unknownTool(name));
      return toResult(await shell.call(name, args));
    });
    return server;
  };
}

/** A reply as text for every client, and as data for those that read it. */
function toResult(reply: Reply): CallToolResult {
  return {
    content: [{ type: "text", text: indentedJson(reply) }],
    structuredContent: { ...reply },
    isError: reply.error === "internal_error" || reply.code === "unknown_tool",
  };
}

function unknownTool(name: string): Reply {
  return new Refusal("invalid_args", `There is no tool "${name.slice(0, 100)}"`, {
    code: "unknown_tool",
    field: "name",
    expected: "a name from tools/list",
    got: JSON.stringify(name.slice(0, 100)),
  }).toReply();
}
