/**
 * The hai tools as an MCP server: one table of tools behind the SDK's low-level
 * server, which serves both protocol eras on both transports.
 *
 * The low-level server, since arguments must be judged by our own boundary: the
 * high-level one answers wrong arguments with text of its own.
 *
 * @module
 */

import {
  type CallToolResult,
  isInputRequiredResult,
  type McpServerFactory,
  Server,
} from "@modelcontextprotocol/server";
import { INSTRUCTIONS } from "../engine/instructions.ts";
import type { ToolReply } from "../state/refusal.ts";
import { indentedJson } from "../state/state_json.ts";
import type { HaiBackend } from "./hai_backend.ts";
import { RequestForms } from "./request_form.ts";

/**
 * Makes the factory that the SDK calls for each connection or request.
 *
 * @param load Gives the backend that all servers share; called often.
 * @param version The server's version.
 * @returns The factory.
 */
export function haiServerFactory(
  load: () => Promise<HaiBackend>,
  version: string,
): McpServerFactory {
  const forms = new RequestForms();
  return () => {
    const server = new Server({ name: "hai-mcp", title: "HAI control plane", version }, {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
    });
    server.oninitialized = () => {
      load().catch(() => {}); // Ahead of the first call, which reports what is wrong.
    };
    server.setRequestHandler("tools/list", async () => ({ tools: [...(await load()).list()] }));
    server.setRequestHandler("tools/call", async ({ params }, ctx) => {
      const { name, arguments: args = {} } = params;
      const backend = await load();
      const gated = {
        args,
        call: () => backend.call(name, args),
        request: (challengeId: string) => backend.request(challengeId),
      };
      const outcome = await forms.call(gated, server, ctx);
      return isInputRequiredResult(outcome) ? outcome : toResult(outcome);
    });
    return server;
  };
}

/** A reply as text for every client, and as data for those that read it. */
function toResult(reply: ToolReply): CallToolResult {
  return {
    content: [{ type: "text", text: indentedJson(reply) }],
    structuredContent: { ...reply },
    isError: reply.error === "internal_error" || reply.code === "unknown_tool",
  };
}
