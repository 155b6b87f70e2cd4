/**
 * JSON-RPC messages the proxy makes itself, with ids as they were written.
 *
 * @module
 */

const encoder = new TextEncoder();

/** The proxy's own fault, or the network's. */
export const INTERNAL_ERROR = -32603;

/**
 * An error response.
 *
 * @param id The request's id as it was written; `null` when there is none.
 * @param code The error's code.
 * @param message What could not be done.
 * @param data More, for the caller's program.
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

/** A request the proxy makes. */
export function ownRequest(id: string, method: string, params: unknown): Uint8Array {
  return encoder.encode(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
}

/** A cancellation of the request with that id, as it was written. */
export function cancelled(id: string, reason: string): Uint8Array {
  return encoder.encode(
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":${
      JSON.stringify(reason)
    }}}`,
  );
}
