/**
 * Makes the MCP server of `hoist-mcp-demo` from a list of tools, on the MCP SDK. The
 * caller connects it to a transport.
 *
 * @module
 */

import { Server } from "@modelcontextprotocol/sdk/server";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "../json/json.ts";
import { delayMs, type DemoAnswer, type DemoTool, MAX_DELAY_MS } from "./tools.ts";

/** What the server needs from its caller. */
export interface DemoPorts {
  /** The version that the server reports. */
  readonly version: string;
  /** Waits; returns early, without an error, when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const INSTRUCTIONS =
  "A demo: its tools answer at once and store nothing, so call them as often as you like.";

/**
 * Makes the demo's server.
 *
 * @param tools Its tools.
 * @param ports Its version and timer.
 * @returns The server, not connected yet.
 */
export function demoServer(tools: readonly DemoTool[], ports: DemoPorts): Server {
  const server = new Server(
    { name: "hoist-mcp-demo", version: ports.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    }
    const args = params.arguments ?? {};
    const delay = delayMs(args);
    if (delay !== undefined && delay > 0) await ports.wait(delay, signal);
    const { text, isError } = refusal(tool, args, delay) ?? tool.run(args);
    return { content: [{ text, type: "text" }], isError };
  });
  return server;
}

function refusal(
  tool: DemoTool,
  args: JsonObject,
  delay: number | undefined,
): DemoAnswer | undefined {
  const missing = tool.required.find((name) => typeof args[name] !== "string");
  if (missing !== undefined) return { text: `Error: "${missing}" must be a string`, isError: true };
  if (delay !== undefined) return undefined;
  return { text: `Error: "delay_ms" must be an integer from 0 to ${MAX_DELAY_MS}`, isError: true };
}

function listed({ name, description, properties, required, readOnlyHint }: DemoTool) {
  return {
    name,
    description,
    inputSchema: {
      type: "object" as const,
      properties: { ...properties },
      required: [...required],
    },
    ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }),
  };
}
