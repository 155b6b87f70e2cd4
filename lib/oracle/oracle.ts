/**
 * The oracle's ports: asking, cached answers, and the store behind them.
 *
 * An oracle never throws. The reason for a missing answer comes back as one word.
 *
 * @module
 */

import type { OracleRequest } from "./question.ts";

/** The probability of yes. */
export interface NoulAnswer {
  readonly type: "noul";
  readonly noul: number;
}

/** The likeliest option and the probability of each. */
export interface ChoiceAnswer {
  readonly type: "choice";
  readonly choice: string;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly confidence: number;
}

/** The expected level and the probability of each. */
export interface ScoreAnswer {
  readonly type: "score";
  readonly score: number;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly confidence: number;
}

/** A typed answer. */
export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer;

/** What was answered, by which version of the model. */
export interface OracleResponse {
  readonly model: string;
  readonly answers: Readonly<Record<string, Answer>>;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

/** The response, or one word with the reason why there is none. */
export type OracleReply =
  | { readonly response: OracleResponse; readonly source: "live" | "cache" | "mock" }
  | { readonly unavailable: string };

/** Answers asynchronously. */
export interface Oracle {
  /** Asks; never throws. */
  ask(request: OracleRequest): Promise<OracleReply>;
}

/** Answers that are known already, without waiting: replay decides with these. */
export interface KnownAnswers {
  /** The answer; undefined when it is not known. */
  find(request: OracleRequest): OracleResponse | undefined;
}

/** A cached answer. It holds no text of the request. */
export interface AnswerEntry {
  /** The request's key. */
  readonly key: string;
  /** The requested model; the response names the version that answered. */
  readonly model: string;
  /** As received; the reader checks it against the request. */
  readonly response: unknown;
  readonly asked_unix_ms: number;
  readonly ms: number;
}

/** Stores answers. */
export interface AnswerStore {
  /** The entry of a key; undefined when there is none or it cannot be read. */
  find(key: string): AnswerEntry | undefined;
  /** Stores an entry atomically; false when it could not. */
  put(entry: AnswerEntry): boolean;
}
