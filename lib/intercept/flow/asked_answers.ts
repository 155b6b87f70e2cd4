/**
 * The oracle's answers of one session: those it has, and the one a decision
 * missed, which is then asked for.
 *
 * Deciding itself never waits: it takes an answer that is here, or hands back.
 *
 * @module
 */

import type { KnownAnswers, Oracle, OracleResponse } from "../../oracle/oracle.ts";
import { cacheKey, type OracleRequest } from "../../oracle/question.ts";
import { ORACLE_MS } from "./setting.ts";
import type { Later } from "../chain/interceptor.ts";
import { within } from "./within.ts";

/** What a decision's line says of the oracle. */
export interface OracleSaid {
  readonly key?: string;
  readonly oracle?: Readonly<Record<string, number>>;
  readonly predicates?: Readonly<Record<string, number>>;
}

/** Answers remembered at a time; a decision needs one. */
const REMEMBERED = 64;

/** Answers as a session gets them. */
export class AskedAnswers implements KnownAnswers {
  readonly #oracle: Oracle | undefined;
  readonly #later: Later;
  readonly #known = new Map<string, OracleResponse>();
  #left: number;
  #missed: OracleRequest | undefined;
  #used: { readonly key: string; readonly response: OracleResponse } | undefined;

  /**
   * Starts with none.
   *
   * @param oracle Who is asked; undefined for nobody.
   * @param questions How many requests may be made.
   * @param later Calls back once.
   */
  constructor(
    oracle: Oracle | undefined,
    questions: number,
    later: Later,
  ) {
    this.#oracle = oracle;
    this.#left = questions;
    this.#later = later;
  }

  find(request: OracleRequest): OracleResponse | undefined {
    const key = cacheKey(request);
    const response = this.#known.get(key);
    if (response === undefined) this.#missed = request;
    else this.#used = { key, response };
    return response;
  }

  /**
   * Asks what was missed last.
   *
   * @param ms How long there is.
   * @returns Undefined when the answer is here now; else why it is not, in a word.
   */
  async ask(ms: number): Promise<string | undefined> {
    const request = this.#missed;
    this.#missed = undefined;
    if (request === undefined) return "unasked";
    if (this.#oracle === undefined) return "no_key";
    if (this.#left <= 0) return "budget";
    this.#left--;
    const limit = Math.max(1, Math.min(ms, ORACLE_MS));
    const reply = await within(this.#oracle.ask(request), limit, this.#later);
    if (reply === undefined) return "timeout";
    if (!("response" in reply)) return reply.unavailable;
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(cacheKey(request), reply.response);
    return undefined;
  }

  /** What the answer that was used last says; said once. */
  said(): OracleSaid {
    const used = this.#used;
    this.#used = undefined;
    if (used === undefined) return {};
    const oracle: Record<string, number> = {};
    const predicates: Record<string, number> = {};
    for (const [id, answer] of Object.entries(used.response.answers)) {
      if (answer.type === "choice" && id === "next") Object.assign(oracle, answer.probabilities);
      else if (answer.type === "noul" && id.startsWith("predicate:")) {
        predicates[id.slice("predicate:".length)] = answer.noul;
      } else if (answer.type === "noul") oracle[`${id}?`] = answer.noul;
    }
    return { key: used.key, oracle, predicates };
  }
}
