/**
 * Asks a model the yes-or-no questions of one session, those of the confirmation judge and of
 * rules, within one budget.
 *
 * @module
 */

import type { KnownAnswers, Oracle } from "../../oracle/oracle.ts";
import type { OracleRequest } from "../../oracle/question.ts";

/** Options for {@linkcode Asker}. */
export interface AskerOptions {
  /** The model's name in questions. */
  readonly model: string;
  /** Cached answers. */
  readonly known: KnownAnswers;
  /** The model asked when the cache has no answer; absent, such questions stay unanswered. */
  readonly live?: Oracle;
  /**
   * The reason logged when no model is asked, in one word.
   *
   * @default {"miss"}
   */
  readonly nobody?: string;
  /** The most questions asked live in the session. */
  readonly maxQuestions: number;
}

/** The reason when the budget is used up. */
const SPENT = "the session's question budget is spent";

/** The probability of yes, or the reason there is none. */
export type YesOrReason = { readonly p: number } | { readonly why: string };

/** Asks the questions of one session within its budget. */
export class Asker {
  readonly #options: AskerOptions;
  #asked = 0;

  /** Starts with the whole budget. */
  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /** The model's name in questions. */
  get model(): string {
    return this.#options.model;
  }

  /** Asks a request that holds one question. Never throws. */
  async ask(request: OracleRequest): Promise<YesOrReason> {
    const { known, live, nobody = "miss", maxQuestions } = this.#options;
    const response = known.find(request);
    if (response !== undefined) return yesOf(response.answers);
    if (live === undefined) return { why: nobody };
    if (this.#asked >= maxQuestions) return { why: SPENT };
    this.#asked++;
    const reply = await live.ask(request);
    return "response" in reply ? yesOf(reply.response.answers) : { why: reply.unavailable };
  }
}

function yesOf(answers: Readonly<Record<string, { readonly type: string }>>): YesOrReason {
  const [answer] = Object.values(answers);
  return answer !== undefined && "noul" in answer && typeof answer.noul === "number"
    ? { p: answer.noul }
    : { why: "bad_answer" };
}

/** The fields of a confirm log line for questions without an answer. */
export function withoutAnswer(
  answers: readonly (YesOrReason | undefined)[],
): { readonly error?: string; readonly skipped?: string } {
  const whys = new Set(answers.flatMap((a) => a !== undefined && "why" in a ? [a.why] : []));
  const isSpent = whys.delete(SPENT);
  return {
    ...(whys.size === 0 ? {} : { error: [...whys].join(", ") }),
    ...(isSpent ? { skipped: SPENT } : {}),
  };
}
