/**
 * A relay between two stream pairs, for programs that embed Hoist. Every byte is
 * forwarded unchanged and with back-pressure; observers see whole lines. Only with
 * interceptors is a line parsed, or the chain's code loaded.
 *
 * @module
 */

import { LineSplitter } from "../bytes/line_splitter.ts";
import { type ByteSink, type ByteSource, pump, type Tap } from "./pump.ts";
import type { StreamInterceptorFactory } from "./stream_interceptor.ts";

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
   * the bytes. An unfinished last line comes when its stream ends. It sees the lines as their
   * sender sent them, whatever an interceptor does.
   */
  readonly onLine?: (from: "client" | "server", line: Uint8Array) => void;
  /**
   * Make the interceptors of the session, nearest to the host first. Without any, no byte is
   * parsed.
   *
   * @default {[]}
   */
  readonly interceptors?: readonly StreamInterceptorFactory[];
  /**
   * Takes a line for the user, such as the fault of an interceptor.
   *
   * @default {console.error}
   */
  readonly say?: (line: string) => void;
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
 * @example Refuse a tool
 * ```ts
 * import { PASS, refuseCall, relayStreams, type StreamInterceptorFactory } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const noDeletes: StreamInterceptorFactory = () => ({
 *   name: "no-deletes",
 *   mayRefuse: true,
 *   onMessage: (crossing) =>
 *     crossing.kind === "request" && crossing.call?.tool === "delete_order"
 *       ? refuseCall("Refused: orders are never deleted.")
 *       : PASS,
 * });
 *
 * const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_order"}}';
 * const [toHost, toServer] = [new TransformStream(), new TransformStream()];
 * const done = relayStreams(
 *   { readable: ReadableStream.from([new TextEncoder().encode(`${call}\n`)]), writable: toHost.writable },
 *   { readable: toServer.readable, writable: toServer.writable }, // A server that echoes.
 *   { interceptors: [noDeletes] },
 * );
 *
 * const { result } = await new Response(toHost.readable).json();
 * await done;
 * assertEquals(result.content[0].text, "Refused: orders are never deleted.");
 * ```
 *
 * @param host The agent's application.
 * @param server The MCP server.
 * @param options An observer, and interceptors.
 * @returns Settles when both directions have ended. Rejects if an interceptor cannot be made;
 *   then nothing was read.
 */
export async function relayStreams(
  host: StreamPair,
  server: StreamPair,
  options: RelayOptions = {},
): Promise<void> {
  const [fromHost, fromServer] = [lineTap("client", options), lineTap("server", options)];
  const { interceptors = [], say = console.error } = options;
  if (interceptors.length === 0) {
    await Promise.all([
      forward(host.readable, server.writable, fromHost),
      forward(server.readable, host.writable, fromServer),
    ]);
    return;
  }
  const { streamChain } = await import("./stream_chain.ts");
  const streams = streamChain(interceptors, say);
  // A message that waits for its verdict goes out before its side ends, and so does its answer.
  const judged = ({ tap, end }: LineTap): LineTap => ({
    tap,
    async end() {
      await end();
      await streams.chain.judged();
      await streams.chain.answered();
    },
  });
  await Promise.all([
    forward(host.readable, streams.fromHost.writable, judged(fromHost)),
    forward(streams.fromHost.readable, server.writable, UNSEEN),
    forward(server.readable, streams.fromServer.writable, judged(fromServer)),
    forward(streams.fromServer.readable, host.writable, UNSEEN),
  ]);
}

interface LineTap {
  readonly tap: Tap | undefined;
  /** The stream has ended; what it goes to is closed afterwards. */
  end(): void | Promise<void>;
}

/** Observes nothing. */
const UNSEEN: LineTap = { tap: undefined, end: () => {} };

function lineTap(from: "client" | "server", { onLine }: RelayOptions): LineTap {
  if (onLine === undefined) return UNSEEN;
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
  await end();
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
