/**
 * A request to the oracle: one state, several typed questions, and the key of its cached answer.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { canonicalJson } from "../json/canonical_json.ts";
import type { JsonObject } from "../json/json.ts";

/** The default model. */
export const DEFAULT_MODEL = "jev-latest";
/** The mock's name in questions, so that its answers never mix with cached ones. */
export const MOCK_MODEL = "mock";

/** Yes or no, answered by the probability of yes. */
export interface NoulQuestion {
  readonly type: "noul";
  readonly instructions: string;
  readonly criteria?: { readonly true: string; readonly false: string };
}

/** One of a set of options, each with a description or null. */
export interface ChoiceQuestion {
  readonly type: "choice";
  readonly instructions: string;
  readonly criteria: Readonly<Record<string, string | null>>;
}

/** A position on levels, low to high. */
export interface ScoreQuestion {
  readonly type: "score";
  readonly instructions: string;
  readonly criteria: readonly string[];
}

/** A typed question. */
export type Question = NoulQuestion | ChoiceQuestion | ScoreQuestion;

/** One request: the questions are judged independently against the same state. */
export interface OracleRequest {
  readonly model: string;
  readonly state: JsonObject;
  readonly questions: Readonly<Record<string, Question>>;
}

/**
 * The key of a request: SHA-256 of its canonical JSON, so that key order does not matter and all
 * content does.
 *
 * @param request The request.
 * @returns 64 hex digits.
 */
export function cacheKey({ model, state, questions }: OracleRequest): string {
  return createHash("sha256").update(canonicalJson({ model, state, questions })).digest("hex");
}
