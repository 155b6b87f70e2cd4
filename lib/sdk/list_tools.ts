/**
 * Lists the tools of a server that a command line names.
 *
 * @module
 */

import { ChildTransport, connectTools, upstreamTransport } from "./tool_client.ts";
import { upstreamHeaders } from "../http_client/upstream_headers.ts";
import { upstreamNetwork } from "../http_client/upstream_network.ts";
import type { ListTools } from "../ports/list_tools.ts";

/** Timeout of one request. */
const TIMEOUT_MS = 60_000;

/** Connects, lists, and ends the session. */
export const listTools: ListTools = async ({ command, upstream }, runtime) => {
  const headers = upstreamHeaders(upstream, runtime);
  if (typeof headers === "string") throw new Error(headers);
  const child = upstream === undefined
    ? new ChildTransport({ command, tap: undefined, say: runtime.say })
    : undefined;
  try {
    const sdk = await import("@modelcontextprotocol/client");
    const url = upstream?.url ?? "";
    const network = upstreamNetwork(upstream, runtime);
    const transport = child ?? upstreamTransport(sdk, { url, headers, network, tap: undefined });
    const client = await connectTools(transport, { sdk, callTimeoutMs: TIMEOUT_MS });
    const tools = await client.tools();
    await client.close();
    return tools;
  } catch (error) {
    throw child?.fault() === undefined ? error : new Error(child.fault(), { cause: error });
  } finally {
    await child?.close();
    await child?.ended;
  }
};
