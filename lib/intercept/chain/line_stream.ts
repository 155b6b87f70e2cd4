/**
 * A chain between two byte streams: one `TransformStream` for each direction, fed whole
 * chunks. Each takes its side's bytes in and gives out what goes to the other side, whenever
 * that is: an answer that was held, or a request of an interceptor.
 *
 * @module
 */

import { concat } from "../../bytes/concat.ts";
import { LineSplitter } from "../../bytes/line_splitter.ts";
import type { Chain } from "./chain.ts";

/** The two directions of a session. */
export interface ChainStreams {
  /** Takes the host's bytes, gives those for the server. */
  readonly fromHost: TransformStream<Uint8Array, Uint8Array>;
  /** Takes the server's bytes, gives those for the host. */
  readonly fromServer: TransformStream<Uint8Array, Uint8Array>;
}

/** Where the lines of a chain go. */
export interface ChainWays {
  readonly toServer: (line: Uint8Array) => void;
  readonly toHost: (line: Uint8Array) => void;
}

const NEWLINE = new Uint8Array([10]);

/**
 * Puts a chain between two streams.
 *
 * @param make Makes the chain over the ways its lines take.
 * @returns The chain, and the streams. A stream that ends lets go of what the chain holds.
 */
export function chainStreams(make: (ways: ChainWays) => Chain): ChainStreams & { chain: Chain } {
  const toServer = new LineGate();
  const toHost = new LineGate();
  const chain = make({ toServer: toServer.put, toHost: toHost.put });
  return {
    chain,
    fromHost: direction(chain, "client", toServer),
    fromServer: direction(chain, "server", toHost),
  };
}

function direction(
  chain: Chain,
  from: "client" | "server",
  gate: LineGate,
): TransformStream<Uint8Array, Uint8Array> {
  const lines = new LineSplitter();
  const take = from === "client"
    ? (line: Uint8Array) => chain.fromHost(line)
    : (line: Uint8Array) => chain.fromServer(line);
  return new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => gate.open(controller),
    transform(chunk) {
      gate.batch(() => lines.push(chunk, take));
    },
    async flush() {
      const rest = lines.end();
      if (rest !== undefined) {
        gate.last = rest;
        take(rest);
        await chain.judged();
      }
      // Nobody answers any more, or nobody waits: what is held goes out.
      await chain.close();
      gate.shut();
    },
  });
}

/** Lines on their way into one stream; those of one chunk leave in one. */
class LineGate {
  #controller: TransformStreamDefaultController<Uint8Array> | undefined;
  #batch: Uint8Array[] | undefined;
  /** The last line of its side, which came without a newline, and goes on without one. */
  last: Uint8Array | undefined;

  open(controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /** No line goes out any more. */
  shut(): void {
    this.#controller = undefined;
  }

  /** Takes one line, without its newline. */
  readonly put = (line: Uint8Array): void => {
    if (this.last !== undefined && isSame(line, this.last)) return this.#enqueue(line.slice());
    if (this.#batch !== undefined) this.#batch.push(line, NEWLINE);
    else this.#enqueue(concat([line, NEWLINE]));
  };

  /** Collects the lines that are put while `work` runs; copied, since a chunk is lent. */
  batch(work: () => void): void {
    const batch: Uint8Array[] = [];
    this.#batch = batch;
    try {
      work();
    } finally {
      this.#batch = undefined;
      if (batch.length > 0) this.#enqueue(concat(batch));
    }
  }

  #enqueue(bytes: Uint8Array): void {
    try {
      this.#controller?.enqueue(bytes);
    } catch {
      this.#controller = undefined; // Nobody reads any more.
    }
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
