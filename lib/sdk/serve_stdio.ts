/**
 * Runs an MCP server of the SDK on this process's own stdin and stdout.
 *
 * Loads the SDK: import it once it is known that a server is wanted.
 *
 * @module
 */

import process from "node:process";
import type { Server } from "@modelcontextprotocol/sdk/server";
// @ts-types="@modelcontextprotocol/sdk/server/stdio"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

/**
 * Serves until stdin ends.
 *
 * @param server The server, not connected yet.
 * @returns Resolves at the end of stdin. Answers may still be on their way: whoever ends the
 * process should let the event loop run dry.
 */
export async function serveStdio(server: Server): Promise<void> {
  const isOver = new Promise<void>((resolve) => process.stdin.once("end", () => resolve()));
  await server.connect(new StdioServerTransport());
  await isOver;
}
