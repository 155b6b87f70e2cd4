/**
 * Asks many requests, a few at a time.
 *
 * @module
 */

import { BudgetError, worstPrice } from "./budget.ts";
import type { KnownAnswers, Oracle, OracleResponse } from "./oracle.ts";
import { cacheKey, type OracleRequest } from "./question.ts";

/** Options for {@linkcode askAll}. */
export interface AskOptions {
  /** Cached or mocked answers. */
  readonly known: KnownAnswers;
  /** The live oracle for the others; absent, they stay without an answer. */
  readonly live?: Oracle;
  /** US dollars that the live oracle may cost. */
  readonly budget: number;
  /** Requests in flight. */
  readonly concurrency: number;
  /** Called with the number of live requests done. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** The outcome. */
export interface Asked {
  /** By cache key. */
  readonly responses: ReadonlyMap<string, OracleResponse>;
  /** Distinct requests. */
  readonly distinct: number;
  /** Requests that the live oracle answered, and the input tokens it counted. */
  readonly live: number;
  readonly tokens: number;
  /** Why requests have no answer, and how many. */
  readonly unavailable: ReadonlyMap<string, number>;
}

/**
 * Asks. Equal requests are asked once.
 *
 * @param requests The requests.
 * @param options The oracles and the budget.
 * @returns The answers there are.
 * @throws {BudgetError} Before anything is asked, when it could cost more than the budget.
 */
export async function askAll(
  requests: Iterable<OracleRequest>,
  options: AskOptions,
): Promise<Asked> {
  const { known, live, budget, concurrency, onProgress } = options;
  const responses = new Map<string, OracleResponse>();
  const open = new Map<string, OracleRequest>();
  for (const request of requests) {
    const key = cacheKey(request);
    if (responses.has(key) || open.has(key)) continue;
    const response = known.find(request);
    if (response === undefined) open.set(key, request);
    else responses.set(key, response);
  }
  const distinct = responses.size + open.size;
  const unavailable = new Map<string, number>();
  let [answered, tokens, done] = [0, 0, 0];
  if (live === undefined) {
    if (open.size > 0) unavailable.set("miss", open.size);
    return { responses, distinct, live: 0, tokens, unavailable };
  }
  const price = worstPrice(open.values());
  if (price > budget) throw new BudgetError(open.size, price, budget);
  const queue = [...open];
  const all = queue.length;
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [key, request] = next;
      const reply = await live.ask(request);
      if ("response" in reply) {
        answered++;
        tokens += reply.response.usage.input_tokens;
        responses.set(key, reply.response);
      } else unavailable.set(reply.unavailable, (unavailable.get(reply.unavailable) ?? 0) + 1);
      onProgress?.(++done, all);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, worker));
  return { responses, distinct, live: answered, tokens, unavailable };
}
