/**
 * Opens the oracle of a proxy: the cache, and who is asked behind it.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import type { KnownAnswers, Oracle } from "../oracle/oracle.ts";
import type { OracleJob } from "../ports/oracle_door.ts";

/** Who answers, now or when asked. */
export interface SessionOracle {
  /** The cache alone, or a mock. */
  readonly known: KnownAnswers & Oracle;
  /** Who is asked what is not known; absent where nobody is. */
  readonly live?: Oracle;
  /** Why nobody is asked. */
  readonly nobody?: string;
}

/**
 * Opens it.
 *
 * @param job Which.
 * @param runtime The machine.
 * @param totalMs How long one request may take with its retries, in milliseconds.
 * @returns Who answers.
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
