/**
 * Serves hai on stdin and stdout until stdin ends, and answers what came before
 * the end: the SDK alone would drop requests still in the works.
 *
 * @module
 */

import { stdin, stdout } from "node:process";
import { PassThrough } from "node:stream";
import type { JSONRPCMessage, McpServerFactory, Transport } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** One line may be this long; the SDK ends the connection past it. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Serves until the client closes stdin.
 *
 * @param factory Makes the server.
 * @param onFault Hears of faults that no client is told.
 */
export async function serveHaiOnStdio(
  factory: McpServerFactory,
  onFault: (error: Error) => void,
): Promise<void> {
  const input = new PassThrough();
  const inner = new StdioServerTransport(input, stdout, { maxBufferSize: MAX_LINE_BYTES });
  const transport = drainingTransport(inner, stdin, input);
  const handle = serveStdio(factory, { transport: transport.face, onerror: onFault });
  await transport.closed;
  await handle.close();
}

interface Draining {
  readonly face: Transport;
  readonly closed: Promise<void>;
}

/** Lets the end of `source` reach the SDK only when every request is answered. */
function drainingTransport(
  inner: StdioServerTransport,
  source: NodeJS.ReadableStream,
  input: PassThrough,
): Draining {
  const open = new Set<string | number>();
  const asked = new Set<string | number>();
  let isEnded = false;
  const endWhenIdle = () => {
    if (isEnded && open.size === 0) input.end();
  };
  // Nobody answers our own requests any more: a call that waits for one goes on without.
  const giveUp = (id: string | number) => {
    asked.delete(id);
    face.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32000, message: "The host has left" } });
  };
  source.pipe(input, { end: false });
  for (const event of ["end", "close", "error"]) {
    source.on(event, () => {
      isEnded = true;
      // Lines already in the pipe are parsed first.
      setTimeout(() => {
        asked.forEach(giveUp);
        endWhenIdle();
      }, 0);
    });
  }
  const closed = Promise.withResolvers<void>();
  const face: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    async send(message) {
      try {
        await inner.send(message);
      } finally {
        if (isResponse(message)) open.delete(message.id);
        else if (isRequest(message)) {
          if (isEnded) giveUp(message.id);
          else asked.add(message.id);
        }
        endWhenIdle();
      }
    },
  };
  inner.onmessage = (message) => {
    if ("method" in message && "id" in message) open.add(message.id);
    else if ("method" in message) open.delete(cancelledId(message));
    else if (isResponse(message)) asked.delete(message.id);
    face.onmessage?.(message);
  };
  inner.onerror = (error) => face.onerror?.(error);
  inner.onclose = () => {
    closed.resolve();
    face.onclose?.();
  };
  return { face, closed: closed.promise };
}

function isResponse(message: JSONRPCMessage): message is JSONRPCMessage & { id: string | number } {
  return !("method" in message) && "id" in message && message.id !== undefined;
}

function isRequest(message: JSONRPCMessage): message is JSONRPCMessage & { id: string | number } {
  return "method" in message && "id" in message;
}

/** A cancelled request is never answered. */
function cancelledId(message: JSONRPCMessage): string | number {
  const params = "params" in message ? message.params : undefined;
  const id = params !== undefined && "requestId" in params ? params.requestId : undefined;
  return typeof id === "string" || typeof id === "number" ? id : "";
}
