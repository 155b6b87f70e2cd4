/**
 * Opens the oracle of a session: the cache, and the live client behind it.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import type { KnownAnswers, Oracle } from "../oracle/oracle.ts";
import type { OracleJob } from "../ports/oracle_door.ts";

/** The oracle of a session. */
export interface SessionOracle {
  /** The cache alone, or a mock. */
  readonly known: KnownAnswers & Oracle;
  /** Answers what the cache does not know; absent without a live oracle. */
  readonly live?: Oracle;
  /** Why there is no live oracle. */
  readonly nobody?: string;
}

/**
 * Opens it.
 *
 * @param job The kind of oracle and its settings.
 * @param runtime The machine.
 * @param totalMs How long one request may take with its retries, in milliseconds.
 * @returns The oracle.
 */
export async function openSessionOracle(
  job: OracleJob,
  runtime: Runtime,
  totalMs: number,
): Promise<SessionOracle> {
  if (job.kind === "mock") return { known: (await import("../oracle/mock.ts")).mockOracle() };
  const { cachedOracle, replayOracle } = await import("../oracle/replay.ts");
  const { answerCache } = await import("./answer_cache.ts");
  const store = answerCache(job.cacheDir);
  const known = replayOracle(store);
  if (job.kind === "replay") return { known };
  if (job.key === undefined) return { known, nobody: "no_key" };
  const { jevOracle } = await import("./jev_client.ts");
  const live = await jevOracle({
    key: job.key,
    baseUrl: job.baseUrl,
    totalMs,
    monotonicMs: runtime.monotonicMs,
    say: runtime.say,
  });
  return { known, live: cachedOracle(store, live, runtime) };
}
