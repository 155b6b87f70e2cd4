/**
 * A chain between two byte streams. Each direction takes its side's chunks and gives out what
 * goes to the other side: the lines of a chunk together, and at any other time an answer that
 * was held, or a request of an interceptor.
 *
 * Lines that cross unchanged stay where they are in the chunk: a chunk of whole lines on which
 * nobody acts is given out as it came, without a copy.
 *
 * @module
 */

import { concat } from "../../bytes/concat.ts";
import { LineSplitter } from "../../bytes/line_splitter.ts";
import type { Chain } from "./chain.ts";

/** One direction of a session. */
export interface ChainWay {
  /**
   * Takes a chunk of its side.
   *
   * @param chunk The bytes.
   * @returns What goes on at once, valid as long as the chunk is; empty if nothing does.
   */
  feed(chunk: Uint8Array): Uint8Array;
  /** Its side has ended: what the chain holds goes out. Settles when nothing comes any more. */
  end(): Promise<void>;
  /** Sets who takes bytes that go out between chunks; they are the taker's own. */
  onLate(take: (bytes: Uint8Array) => void): void;
}

/** The two directions of a session, without streams. */
export interface ChainWays {
  /** Takes the host's bytes, gives those for the server. */
  readonly fromHost: ChainWay;
  /** Takes the server's bytes, gives those for the host. */
  readonly fromServer: ChainWay;
}

/** The two directions of a session, as streams. */
export interface ChainStreams {
  /** Takes the host's bytes, gives those for the server. */
  readonly fromHost: TransformStream<Uint8Array, Uint8Array>;
  /** Takes the server's bytes, gives those for the host. */
  readonly fromServer: TransformStream<Uint8Array, Uint8Array>;
}

/** Where the lines of a chain go. */
export interface LineWays {
  readonly toServer: (line: Uint8Array) => void;
  readonly toHost: (line: Uint8Array) => void;
  readonly toHostNote: (line: Uint8Array) => void;
}

const NEWLINE = new Uint8Array([10]);
const NOTHING = new Uint8Array();

/**
 * Puts a chain between two ends.
 *
 * @param make Makes the chain over the ways its lines take.
 * @returns The chain, and its directions. One that ends lets go of what the chain holds.
 */
export function chainWays(make: (ways: LineWays) => Chain): ChainWays & { readonly chain: Chain } {
  const toServer = new LineGate();
  const toHost = new LineGate();
  const chain = make({ toServer: toServer.put, toHost: toHost.put, toHostNote: toHost.put });
  return {
    chain,
    fromHost: way(chain, (line) => chain.fromHost(line), toServer),
    fromServer: way(chain, (line) => chain.fromServer(line), toHost),
  };
}

/** Puts a chain between two streams, as {@linkcode chainWays} does. */
export function chainStreams(
  make: (ways: LineWays) => Chain,
): ChainStreams & { readonly chain: Chain } {
  const { chain, fromHost, fromServer } = chainWays(make);
  return { chain, fromHost: streamOf(fromHost), fromServer: streamOf(fromServer) };
}

function way(chain: Chain, take: (line: Uint8Array) => void, gate: LineGate): ChainWay {
  const lines = new LineSplitter();
  return {
    feed: (chunk) => gate.collect(chunk, () => lines.push(chunk, take)),
    async end() {
      const rest = lines.end();
      if (rest !== undefined) {
        gate.last = rest;
        take(rest);
        await chain.judged();
      }
      // Nobody answers any more, or nobody waits: what is held goes out.
      await chain.close();
      gate.late = undefined;
    },
    onLate: (take) => gate.late = take,
  };
}

function streamOf(way: ChainWay): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      way.onLate((bytes) => {
        try {
          controller.enqueue(bytes);
        } catch {
          // Nobody reads any more.
        }
      });
    },
    transform(chunk, controller) {
      const bytes = way.feed(chunk);
      if (bytes.length > 0) controller.enqueue(bytes.slice()); // A chunk is lent.
    },
    flush: () => way.end(),
  });
}

/** Lines on their way out of one direction; those of one chunk leave together. */
class LineGate {
  /** Takes what goes out between chunks; undefined when no line goes out any more. */
  late: ((bytes: Uint8Array) => void) | undefined;
  /** The last line of its side, which came without a newline, and goes on without one. */
  last: Uint8Array | undefined;
  #chunk: Uint8Array | undefined;
  readonly #parts: Uint8Array[] = [];
  /** A run of whole lines of the chunk, each with its newline, as places in its buffer. */
  #runStart = 0;
  #runEnd = 0;

  /** Takes one line, without its newline. */
  readonly put = (line: Uint8Array): void => {
    if (this.last !== undefined && isSame(line, this.last)) return this.late?.(line.slice());
    const chunk = this.#chunk;
    if (chunk === undefined) return this.late?.(concat([line, NEWLINE]));
    if (line.buffer !== chunk.buffer) {
      this.#endRun(chunk);
      this.#parts.push(line, NEWLINE);
      return;
    }
    if (line.byteOffset !== this.#runEnd) {
      this.#endRun(chunk);
      this.#runStart = line.byteOffset;
    }
    this.#runEnd = line.byteOffset + line.length + 1;
  };

  /** Collects the lines that are put while `work` takes those of a chunk. */
  collect(chunk: Uint8Array, work: () => void): Uint8Array {
    this.#chunk = chunk;
    this.#runStart = this.#runEnd = chunk.byteOffset;
    this.#parts.length = 0;
    try {
      work();
    } finally {
      this.#chunk = undefined;
    }
    this.#endRun(chunk);
    return this.#parts.length > 1 ? concat(this.#parts) : this.#parts[0] ?? NOTHING;
  }

  #endRun(chunk: Uint8Array): void {
    const start = this.#runStart - chunk.byteOffset;
    const end = this.#runEnd - chunk.byteOffset;
    if (end > start) this.#parts.push(chunk.subarray(start, end));
    this.#runStart = this.#runEnd = -1;
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
