/**
 * Runs an MCP server of the SDK on this process's own stdin and stdout.
 *
 * Loads the SDK, so import it only when a server is wanted.
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
 * @returns Resolves at the end of stdin. Answers may still be pending: let the event loop finish
 * before the process ends.
 */
export async function serveStdio(server: Server): Promise<void> {
  const isOver = new Promise<void>((resolve) => process.stdin.once("end", () => resolve()));
  await server.connect(new StdioServerTransport());
  await isOver;
}
