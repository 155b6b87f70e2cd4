/**
 * The worst-case cost of asking, known before anything is asked.
 *
 * @module
 */

import type { OracleRequest } from "./question.ts";

/** Dollars an input token; output is free. */
const TOKEN_PRICE = 0.042 / 1e6;
/** Tokens of a request besides its text. */
const OVERHEAD = 260;
/** The model's limit of tokens per request. */
const MAX_TOKENS = 64_000;
/** Tries of one request: each could be charged. */
export const MAX_TRIES = 3;

/**
 * The most that requests can cost: no token is shorter than a byte, and every
 * try may be charged.
 *
 * @param requests The requests.
 * @returns US dollars.
 */
export function worstPrice(requests: Iterable<OracleRequest>): number {
  const encoder = new TextEncoder();
  let tokens = 0;
  for (const { state, questions } of requests) {
    const bytes = encoder.encode(JSON.stringify({ state, questions })).length;
    tokens += Math.min(MAX_TOKENS, bytes + OVERHEAD);
  }
  return priceOf(tokens * MAX_TRIES);
}

/** What input tokens cost, in US dollars. */
export function priceOf(tokens: number): number {
  return tokens * TOKEN_PRICE;
}

/** Asking could cost more than the budget; nothing was asked. */
export class BudgetError extends Error {
  override readonly name = "BudgetError";

  /** Says how many questions, what they could cost, and what is allowed. */
  constructor(questions: number, price: number, budget: number) {
    super(
      `Cannot ask: ${questions} questions are not in the cache and could cost up to ` +
        `$${price.toFixed(4)}, the budget is $${budget} (--oracle-budget); nothing was asked`,
    );
  }
}
