/**
 * Serves hai over Streamable HTTP at `/mcp`: who may connect is decided before
 * a body is read.
 *
 * Without a token only loopback is bound, and then only requests that name a
 * loopback host, and no foreign web page as origin, are served.
 *
 * @module
 */

import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import { isSameSecret } from "../state/hashes.ts";

/** Where and for whom to serve. */
interface HaiHttpOptions {
  /** Host to bind. */
  readonly host: string;
  /** Port to bind; 0 takes a free one. */
  readonly port: number;
  /** Bearer token; undefined for none. */
  readonly token: string | undefined;
  /** Ends the server. */
  readonly signal?: AbortSignal;
  /** Hears the address once it is bound. */
  readonly onListen?: (url: string) => void;
  /** Hears of faults that no client is told. */
  readonly onFault?: (error: Error) => void;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1", "[::1]"]);

/**
 * Whether a host may be bound.
 *
 * @param host The host as configured.
 * @param token The token; undefined for none.
 * @returns Why not; undefined when it may.
 */
export function checkBind(host: string, token: string | undefined): string | undefined {
  const name = host.trim().toLowerCase();
  if (name === "") return "Cannot bind: the host is empty";
  if (LOOPBACK.has(name) || token !== undefined) return undefined;
  return `Cannot bind "${host}": other hosts than loopback need HAI_HTTP_TOKEN`;
}

/**
 * Serves until the signal.
 *
 * @param factory Makes the servers.
 * @param options Where and for whom.
 */
export async function serveHaiOnHttp(
  factory: McpServerFactory,
  options: HaiHttpOptions,
): Promise<void> {
  const { host, port, signal, onListen, onFault } = options;
  const hostname = host.trim().toLowerCase().replace(/^\[|\]$/g, "");
  const handler = createMcpHandler(factory, onFault === undefined ? {} : { onerror: onFault });
  const server = Deno.serve({
    hostname,
    port,
    ...(signal === undefined ? {} : { signal }),
    onListen: (address) => {
      const shown = address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname;
      onListen?.(`http://${shown}:${address.port}/mcp`);
    },
    onError: (error) => {
      onFault?.(error instanceof Error ? error : new Error("a request failed"));
      return Response.json({ error: "internal_error" }, { status: 500 });
    },
  }, async (request) => rule(request, options) ?? await handler.fetch(request));
  await server.finished;
  await handler.close();
}

/**
 * Rules on a request by its head.
 *
 * @param request The request; its body is not read.
 * @param options For whom is served.
 * @returns The refusal; undefined when the request may be served.
 */
export function rule(
  request: Request,
  { token, host }: Pick<HaiHttpOptions, "token" | "host">,
): Response | undefined {
  if (token !== undefined && !isAuthorized(request.headers.get("authorization"), token)) {
    return refuse(401, "unauthorized");
  }
  const isLocal = LOOPBACK.has(host.trim().toLowerCase());
  const asked = hostOf(`http://${request.headers.get("host") ?? new URL(request.url).host}`);
  if (isLocal && !LOOPBACK.has(asked)) return refuse(403, "forbidden_host");
  const origin = request.headers.get("origin");
  if (origin !== null) {
    const from = hostOf(origin);
    if (from !== asked && !(isLocal && LOOPBACK.has(from))) return refuse(403, "forbidden_origin");
  }
  return new URL(request.url).pathname === "/mcp" ? undefined : refuse(404, "not_found");
}

function isAuthorized(header: string | null, token: string): boolean {
  if (header === null || !header.startsWith("Bearer ")) return false;
  return isSameSecret(header.slice("Bearer ".length).trim(), token);
}

/** Name in a URL, lower case, without its port; empty when it is none. */
function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return "";
  }
}

function refuse(status: number, error: string): Response {
  return Response.json({ error }, { status });
}
