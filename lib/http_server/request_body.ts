/**
 * Reads the bodies of requests, and refuses those that do not end.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import type { HttpRefusal } from "../mcp/http_rules.ts";
import { errorResponse } from "../wire/rpc_error.ts";

/**
 * Refuses a body that goes on, and cuts the connection: a server would read the body to its end
 * before it takes the next request.
 */
export function refusedAndCut(refusal: HttpRefusal): Response {
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
 * A body that is too long is read to its end and dropped, so that its host can read the refusal,
 * unless it is far too long or has no end.
 *
 * @param request The request.
 * @param limit Most bytes.
 * @returns The body; or why there is none: `endless` when its end was not read.
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

/** A body is read up to so many times the limit. */
const FAR_TOO_LONG = 4;
