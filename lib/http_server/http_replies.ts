/**
 * Whole HTTP responses: refusals, and acceptance without a body.
 *
 * @module
 */

import type { Refusal } from "../mcp/http_rules.ts";
import { concat } from "../bytes/concat.ts";
import { errorResponse } from "../wire/rpc_error.ts";

/** A refusal: its status, and a JSON-RPC error that names the request when there is one. */
export function refused(
  refusal: Refusal,
  options: { readonly id?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const body = errorResponse(options.id ?? "null", refusal.code, refusal.message, refusal.data);
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
 * A refusal of a body that goes on: the connection is cut after it, since a server would
 * read a body to its end, be it endless, before it takes the next request.
 */
export function refusedAndCut(refusal: Refusal): Response {
  const line = errorResponse("null", refusal.code, refusal.message);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(line);
      setTimeout(() => controller.error(new Error("cut")), CUT_MS);
    },
  });
  const headers = { "content-type": "application/json", connection: "close" };
  return new Response(body, { status: refusal.status, headers });
}

/** Time for the refusal to arrive before the connection is cut. */
const CUT_MS = 50;

/**
 * Reads a request's body.
 *
 * One that is too long is read to its end and forgotten, so that its host gets to read why it
 * is refused, unless it is far too long or has no end.
 *
 * @param request The request.
 * @param limit Most bytes.
 * @returns The body; or whether its end was seen.
 */
export async function bodyWithin(
  request: Request,
  limit: number,
): Promise<Uint8Array | "too long" | "endless"> {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) <= limit) {
    return new Uint8Array(await request.arrayBuffer());
  }
  if (Number(length) > limit * FAR_TOO_LONG) return "endless";
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body ?? []) {
    bytes += part.length;
    if (bytes > limit * FAR_TOO_LONG) return "endless";
    if (bytes <= limit) parts.push(part);
    else parts.length = 0;
  }
  return bytes > limit ? "too long" : concat(parts);
}

/** A body is read on to so many times what it may have. */
const FAR_TOO_LONG = 4;
