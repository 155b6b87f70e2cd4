/**
 * A mock oracle: the same answer to the same question, to try things without a key. Its answers are
 * never cached.
 *
 * @module
 */

import type { Answer, KnownAnswers, Oracle, OracleResponse } from "./oracle.ts";
import type { OracleRequest, Question } from "./question.ts";

/** Gives another answer than the default; undefined for the default. */
export type MockScript = (id: string, question: Question, request: OracleRequest) =>
  | Answer
  | undefined;

/** The confidence of a mock's answers. */
const CONFIDENCE = 0.6;

/**
 * Makes a mock.
 *
 * @param script Answers of its own, question by question.
 * @returns Yes at one half, choices uniform with the first option in front, scores in the middle.
 */
export function mockOracle(script: MockScript = () => undefined): KnownAnswers & Oracle {
  const find = (request: OracleRequest): OracleResponse => ({
    model: "mock",
    answers: Object.fromEntries(
      Object.entries(request.questions).map(([id, question]) => [
        id,
        script(id, question, request) ?? shrug(question),
      ]),
    ),
    usage: { input_tokens: 0, output_tokens: 0 },
  });
  return {
    find,
    ask: (request) => Promise.resolve({ response: find(request), source: "mock" }),
  };
}

function shrug(question: Question): Answer {
  if (question.type === "noul") return { type: "noul", noul: 0.5 };
  const isChoice = question.type === "choice";
  const options = isChoice
    ? Object.keys(question.criteria)
    : question.criteria.map((_, i) => String(i));
  const probabilities = Object.fromEntries(options.map((o) => [o, 1 / options.length]));
  const rest = { probabilities, confidence: CONFIDENCE };
  return isChoice
    ? { type: "choice", choice: options[0] ?? "", ...rest }
    : { type: "score", score: (options.length - 1) / 2, ...rest };
}
