/**
 * Puts what acts on a session between the host on our standard streams and the
 * server.
 *
 * @module
 */

import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import type { Runtime } from "../ports/runtime.ts";
import { activeEnds, LineSink } from "./active_ends.ts";
import type { ActiveJob } from "./active_job.ts";
import { ActiveMode, type LiveSession, type NewSession } from "./active_mode.ts";
import type { RelayEnds } from "../relay/relay.ts";

/** How long the end waits for a host to take what was held. */
const LAST_WORDS_MS = 2_000;

/** A session that is acted on, before its ends are known. */
export interface ActingSession {
  /** The session with what acts on it in between. */
  session(plain: RelayEnds): RelayEnds;
  /** Says what was done, once the session is over. */
  end(): Promise<void>;
}

/**
 * Opens what acts on one session.
 *
 * @param options What to do.
 * @param job What was read for it.
 * @param runtime The machine.
 * @param facts The session's names and its log.
 * @returns The session.
 */
export async function actOn(
  options: ProxyOptions,
  job: ActiveJob,
  runtime: Runtime,
  facts: Pick<NewSession, "id" | "hostSession" | "log">,
): Promise<ActingSession> {
  const mode = await ActiveMode.open(options, job, runtime);
  let toHost: LineSink | undefined;
  let toServer: LineSink | undefined;
  const live: LiveSession = mode.begin({
    ...facts,
    toHost: (line) => toHost?.put(line),
    toServer: (line) => toServer?.put(line),
  });
  return {
    session(plain) {
      const { server } = plain;
      const sinks = { toHost: new LineSink(plain.output), toServer: new LineSink(server.input) };
      ({ toHost, toServer } = sinks);
      const ends = activeEnds(live.active, {
        ...sinks,
        input: plain.input,
        output: server.output,
      });
      // A server that is gone answers no lookup: what is held need not wait for one.
      server.exit.then(() => live.active.close(), () => {});
      return {
        ...plain,
        tap: undefined, // Each line is recorded by the session itself, in its order.
        input: ends.input,
        output: ends.fromServer,
        unread: ends.unread,
        server: { ...server, output: ends.output, input: ends.fromHost },
      };
    },
    async end() {
      const limit = new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
      await Promise.race([live.active.close(), limit]);
      await Promise.race([toHost?.drained().catch(() => {}), limit]);
      await live.end();
    },
  };
}
