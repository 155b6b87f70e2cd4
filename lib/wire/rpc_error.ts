/**
 * Writes the JSON-RPC messages of the proxy itself. Ids keep their spelling.
 *
 * @module
 */

const encoder = new TextEncoder();

/** Code for a fault of the proxy or the network. */
export const INTERNAL_ERROR = -32603;

/**
 * Writes an error response.
 *
 * @param id The request's id as it was written; `null` when it has none.
 * @param code The error's code.
 * @param message Says which action failed, and why.
 * @param data Details for the caller's program.
 * @returns The response's bytes, one line without a newline.
 */
export function errorResponse(
  id: string,
  code: number,
  message: string,
  data?: unknown,
): Uint8Array {
  const error = JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) });
  return encoder.encode(`{"jsonrpc":"2.0","id":${id},"error":${error}}`);
}

/** Writes a request of the proxy. */
export function ownRequest(id: string, method: string, params: unknown): Uint8Array {
  return encoder.encode(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
}

/** Writes the cancellation of a request; `id` is the id as it was written. */
export function cancelled(id: string, reason: string): Uint8Array {
  return encoder.encode(
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":${
      JSON.stringify(reason)
    }}}`,
  );
}
