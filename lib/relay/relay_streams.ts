/**
 * A relay between two stream pairs, for programs that embed Hoist. Every byte is
 * forwarded unchanged and with back-pressure; observers see whole lines.
 *
 * @module
 */

import { LineSplitter } from "../bytes/line_splitter.ts";
import { type ByteSink, type ByteSource, pump, type Tap } from "./pump.ts";

/** One end of a relay: a host, or a server. */
export interface StreamPair {
  /** The bytes that this end sends. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Takes the bytes for this end. */
  readonly writable: WritableStream<Uint8Array>;
}

/** Options for {@linkcode relayStreams}. */
export interface RelayOptions {
  /**
   * Called with each line while it is forwarded, without its newline. It must not keep or change
   * the bytes. An unfinished last line comes when its stream ends.
   */
  readonly onLine?: (from: "client" | "server", line: Uint8Array) => void;
}

/**
 * Forwards bytes between a host and a server until both have ended.
 *
 * When one end stops sending, the writable of the other is closed. When one end stops reading,
 * the other is read on and its bytes are dropped.
 *
 * @example Relay a session and see its lines
 * ```ts
 * import { relayStreams } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const [toHost, toServer] = [new TransformStream(), new TransformStream()];
 * const seen: string[] = [];
 * const done = relayStreams(
 *   { readable: ReadableStream.from([new TextEncoder().encode("a request\n")]), writable: toHost.writable },
 *   { readable: ReadableStream.from([new TextEncoder().encode("an answer\n")]), writable: toServer.writable },
 *   { onLine: (from, line) => void seen.push(`${from}: ${new TextDecoder().decode(line)}`) },
 * );
 *
 * const [answers, requests] = await Promise.all([
 *   new Response(toHost.readable).text(),
 *   new Response(toServer.readable).text(),
 * ]);
 * await done;
 * assertEquals([requests, answers], ["a request\n", "an answer\n"]);
 * assertEquals(seen.sort(), ["client: a request", "server: an answer"]);
 * ```
 *
 * @param host The agent's application.
 * @param server The MCP server.
 * @param options An observer.
 * @returns Settles when both directions have ended.
 */
export async function relayStreams(
  host: StreamPair,
  server: StreamPair,
  options: RelayOptions = {},
): Promise<void> {
  await Promise.all([
    forward(host.readable, server.writable, lineTap("client", options)),
    forward(server.readable, host.writable, lineTap("server", options)),
  ]);
}

interface LineTap {
  readonly tap: Tap | undefined;
  end(): void;
}

function lineTap(from: "client" | "server", { onLine }: RelayOptions): LineTap {
  if (onLine === undefined) return { tap: undefined, end: () => {} };
  const splitter = new LineSplitter();
  const give = (line: Uint8Array) => onLine(from, line);
  return {
    tap: (chunk) => splitter.push(chunk, give),
    end() {
      const rest = splitter.end();
      if (rest !== undefined) give(rest);
    },
  };
}

async function forward(
  readable: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
  { tap, end }: LineTap,
): Promise<void> {
  const source = sourceOf(readable.getReader());
  const writer = writable.getWriter();
  const options = { tap, traffic: { chunks: 0, writing: false } };
  if (await pump(source, { write: (bytes) => writer.write(bytes) }, options) === "sinkGone") {
    await pump(source, DROP, options);
  }
  end();
  await writer.close().catch(() => {}); // Its reader is gone already.
}

/** Drops bytes. */
const DROP: ByteSink = { write: () => Promise.resolve() };

function sourceOf(reader: ReadableStreamDefaultReader<Uint8Array>): ByteSource {
  return {
    async read() {
      try {
        return (await reader.read()).value ?? null;
      } catch {
        return null; // A broken stream has ended.
      }
    },
  };
}
