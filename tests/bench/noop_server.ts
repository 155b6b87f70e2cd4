/**
 * A server with one tool that does nothing, on the SDK that hai-mcp uses.
 *
 * @module
 */

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "noop", version: "1" });
  server.registerTool(
    "noop",
    {
      description: "Does nothing.",
      inputSchema: z.object({ text: z.string() }),
      outputSchema: z.object({ ok: z.boolean() }),
    },
    () => ({ content: [{ type: "text", text: '{"ok":true}' }], structuredContent: { ok: true } }),
  );
  return server;
});
