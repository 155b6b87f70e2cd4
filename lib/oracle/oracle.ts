/**
 * Who answers: the ports between what asks, what remembers and what is asked.
 *
 * An oracle never throws. Whatever keeps it from answering comes back as one word.
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

/** The response, or in one word why there is none. */
export type OracleReply =
  | { readonly response: OracleResponse; readonly source: "live" | "cache" | "mock" }
  | { readonly unavailable: string };

/** Answers, sooner or later. */
export interface Oracle {
  /** Asks; never throws. */
  ask(request: OracleRequest): Promise<OracleReply>;
}

/** Answers that are there already, for work that cannot wait: replay decides with these. */
export interface KnownAnswers {
  /** The answer; undefined when it is not known. */
  find(request: OracleRequest): OracleResponse | undefined;
}

/** A remembered answer. It holds no text of the request. */
export interface AnswerEntry {
  /** The request's key. */
  readonly key: string;
  /** The model as it was asked for; the response says which version answered. */
  readonly model: string;
  /** As received; whoever takes it checks it against the request. */
  readonly response: unknown;
  readonly asked_unix_ms: number;
  readonly ms: number;
}

/** Remembers answers. */
export interface AnswerStore {
  /** The entry of a key; undefined when there is none or it cannot be read. */
  find(key: string): AnswerEntry | undefined;
  /** Keeps an entry, whole or not at all; false when it could not. */
  put(entry: AnswerEntry): boolean;
}
