/**
 * Answers from the cache: alone, or in front of a live oracle.
 *
 * @module
 */

import { readResponse } from "./jev_codec.ts";
import type { AnswerStore, KnownAnswers, Oracle } from "./oracle.ts";
import { cacheKey } from "./question.ts";

/**
 * Answers from the cache alone.
 *
 * @param store The cache.
 * @returns The known answers; an entry that does not fit its request counts as missing.
 */
export function replayOracle(store: AnswerStore): KnownAnswers & Oracle {
  const known: KnownAnswers = {
    find: (request) => {
      const entry = store.find(cacheKey(request));
      return entry === undefined ? undefined : readResponse(request, entry.response);
    },
  };
  return {
    ...known,
    ask: (request) => {
      const response = known.find(request);
      return Promise.resolve(
        response === undefined ? { unavailable: "miss" } : { response, source: "cache" },
      );
    },
  };
}

/** Two clocks: the date, and one that never goes back. */
export interface Clocks {
  unixMs(): number;
  monotonicMs(): number;
}

/**
 * Asks the cache first, then the live oracle, and caches its answer.
 *
 * @param store The cache.
 * @param live The live oracle.
 * @param clocks For the entry's times.
 * @returns The oracle.
 */
export function cachedOracle(store: AnswerStore, live: Oracle, clocks: Clocks): Oracle {
  const known = replayOracle(store);
  let isKeeping = true;
  return {
    ask: async (request) => {
      const response = known.find(request);
      if (response !== undefined) return { response, source: "cache" };
      // An answer that cannot be cached would be paid for again.
      if (!isKeeping) return { unavailable: "cache_unwritable" };
      const [asked, began] = [clocks.unixMs(), clocks.monotonicMs()];
      const reply = await live.ask(request);
      if (!("response" in reply)) return reply;
      isKeeping = store.put({
        key: cacheKey(request),
        model: request.model,
        response: reply.response,
        asked_unix_ms: asked,
        ms: Math.round(clocks.monotonicMs() - began),
      });
      return reply;
    },
  };
}
