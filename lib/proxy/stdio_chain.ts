/**
 * Puts a chain of interceptors between the host on our standard streams and the server.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import type { Chains, NewSession } from "../intercept/kinds/chains.ts";
import { type ChainWay, chainWays } from "../intercept/chain/line_stream.ts";
import type { ByteSource } from "../relay/pump.ts";
import type { RelayEnds } from "../relay/relay.ts";

/** How long the end waits for what is held. */
const LAST_WORDS_MS = 2_000;

/** A relay with a chain in it. */
export interface ChainedRelay {
  readonly relay: RelayEnds;
  /** Says what was done, once the session is over. */
  end(): Promise<void>;
}

/**
 * Puts a chain into a relay.
 *
 * @param chains Makes the chain.
 * @param plain The relay; its tap is not used: the chain records each line, in its order.
 * @param session The session's names and its log.
 * @returns The relay.
 */
export function chained(
  chains: Chains,
  plain: RelayEnds,
  session: Pick<NewSession, "id" | "hostSession" | "log">,
): ChainedRelay {
  const ways = chainWays((ways) => chains.begin({ ...session, ...ways }));
  const { server } = plain;
  // A server that is gone answers no lookup: what is held need not wait for one.
  server.exit.then(() => ways.chain.close(), () => {});
  return {
    relay: {
      ...plain,
      tap: undefined,
      input: new ChainedSource(plain.input, ways.fromHost),
      server: { ...server, output: new ChainedSource(server.output, ways.fromServer) },
    },
    async end() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const limit = new Promise<void>((resolve) => timer = setTimeout(resolve, LAST_WORDS_MS));
      await Promise.race([ways.chain.close(), limit]);
      clearTimeout(timer);
      await ways.chain.end();
    },
  };
}

/** Whoever waits for the next bytes of a source. */
interface Waiter {
  readonly give: (bytes: Uint8Array | null) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * A source whose bytes go through one direction of a chain.
 *
 * A chunk is fed in the turn of the event loop in which it came. Web streams would add two
 * hops a chunk, which cost more than all that is done with its lines.
 */
class ChainedSource implements ByteSource {
  readonly #source: ByteSource;
  readonly #way: ChainWay;
  /** Bytes that came between chunks. */
  #late: Uint8Array[] = [];
  /** A chunk that came while nobody waited; null for the end. */
  #chunk: Uint8Array | null | undefined;
  #waiter: Waiter | undefined;
  #isReading = false;
  #hasEnded = false;
  #isOver = false;

  constructor(source: ByteSource, way: ChainWay) {
    this.#source = source;
    this.#way = way;
    way.onLate((bytes) => {
      this.#late.push(bytes);
      this.#goOn();
    });
  }

  read(): Promise<Uint8Array | null> {
    return new Promise((give, fail) => {
      this.#waiter = { give, fail };
      this.#goOn();
    });
  }

  /** Gives whoever waits what there is, or reads on. */
  #goOn(): void {
    if (this.#waiter === undefined) return;
    if (this.#late.length > 0) return this.#give(concat(this.#late.splice(0)));
    if (this.#isOver) return this.#give(null);
    const chunk = this.#chunk;
    this.#chunk = undefined;
    if (chunk !== undefined) return this.#feed(chunk);
    if (this.#isReading || this.#hasEnded) return;
    this.#isReading = true;
    const came = (chunk: Uint8Array | null) => {
      this.#isReading = false;
      this.#chunk = chunk;
      this.#goOn();
    };
    this.#source.read().then(came, () => came(null));
  }

  #feed(chunk: Uint8Array | null): void {
    const waiter = this.#waiter;
    try {
      // Bytes that are all kept give an empty chunk: the relay still learns that something moved.
      if (chunk !== null) return this.#give(this.#way.feed(chunk));
    } catch (error) {
      this.#waiter = undefined;
      return waiter?.fail(error);
    }
    this.#hasEnded = true;
    this.#way.end().then(() => {
      this.#isOver = true;
      this.#goOn();
    }, (error) => waiter?.fail(error));
  }

  #give(bytes: Uint8Array | null): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.give(bytes);
  }
}
