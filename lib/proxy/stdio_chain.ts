/**
 * Puts a chain of interceptors between the host on our standard streams and the server.
 *
 * @module
 */

import type { Chains, NewSession } from "../intercept/kinds/chains.ts";
import { chainStreams } from "../intercept/chain/line_stream.ts";
import type { ByteSource } from "../relay/pump.ts";
import type { RelayEnds } from "../relay/relay.ts";

/** How long the end waits for what is held. */
const LAST_WORDS_MS = 2_000;
const NOTHING = new Uint8Array();

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
  const streams = chainStreams((ways) => chains.begin({ ...session, ...ways }));
  const { server } = plain;
  // A server that is gone answers no lookup: what is held need not wait for one.
  server.exit.then(() => streams.chain.close(), () => {});
  return {
    relay: {
      ...plain,
      tap: undefined,
      input: through(plain.input, streams.fromHost),
      server: { ...server, output: through(server.output, streams.fromServer) },
    },
    async end() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const limit = new Promise<void>((resolve) => timer = setTimeout(resolve, LAST_WORDS_MS));
      await Promise.race([streams.chain.close(), limit]);
      clearTimeout(timer);
      await streams.chain.end();
    },
  };
}

/** A source whose bytes go through a stream first. */
function through(
  source: ByteSource,
  { readable, writable }: TransformStream<Uint8Array, Uint8Array>,
): ByteSource {
  const reader = readable.getReader();
  const writer = writable.getWriter();
  let coming: ReturnType<typeof reader.read> | undefined;
  let feeding: Promise<undefined> | undefined;
  let hasCome = false;
  const feed = async (): Promise<undefined> => {
    const chunk = await source.read();
    await (chunk === null ? writer.close() : writer.write(chunk));
  };
  return {
    async read() {
      for (;;) {
        coming ??= reader.read();
        feeding ??= feed();
        const come = await Promise.race([coming, feeding]);
        if (come !== undefined) {
          coming = undefined;
          hasCome = true;
          return come.done ? null : come.value;
        }
        feeding = undefined;
        // All of a chunk was kept: the relay still learns that something moved.
        if (!hasCome) return NOTHING;
        hasCome = false;
      }
    },
  };
}
