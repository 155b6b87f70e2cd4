/**
 * Whole HTTP responses: refusals, and acceptance without a body.
 *
 * @module
 */

import type { Refusal } from "../mcp/http_rules.ts";
import { errorResponse } from "../wire/rpc_error.ts";

/** A refusal: its status, and a JSON-RPC error that names the request when there is one. */
export function refused(
  refusal: Refusal,
  options: { readonly id?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const body = errorResponse(options.id ?? "null", refusal.code, refusal.message);
  return new Response(body as Uint8Array<ArrayBuffer>, {
    status: refusal.status,
    headers: { "content-type": "application/json", ...options.headers },
  });
}

/** A method that the endpoint, or the era, does not have. */
export function methodNotAllowed(allow = "GET, POST, DELETE"): Response {
  return refused({ status: 405, code: -32000, message: "Method not allowed" }, {
    headers: { allow },
  });
}

/** A notification or response was taken. */
export function accepted(): Response {
  return new Response(null, { status: 202 });
}

/**
 * Reads a request's body.
 *
 * @param request The request.
 * @param limit Most bytes.
 * @returns The body; undefined when it is longer, which is found out before it is all read.
 */
export async function bodyWithin(
  request: Request,
  limit: number,
): Promise<Uint8Array | undefined> {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > limit) return undefined;
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body ?? []) {
    bytes += part.length;
    if (bytes > limit) return undefined;
    parts.push(part);
  }
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}
