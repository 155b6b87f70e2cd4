/**
 * What the judge's answers mean for a write: pure, and the same live and offline.
 *
 * @module
 */

import { refusalStart } from "../check.ts";
import type { SecondQuestion } from "./confirm_question.ts";

/** How answers are judged. */
export interface JudgeRule {
  /** A write fails on a probability of yes below this. */
  readonly threshold: number;
  /** The second question, if it is asked; in shadow its answer is only logged. */
  readonly second?: { readonly wording: SecondQuestion; readonly isShadow: boolean };
}

/** Probabilities of yes; null where nobody answered. */
export interface JudgeAnswers {
  readonly first: number | null;
  readonly second: number | null;
}

/** What the answers say. */
export type JudgeVerdict = "passes" | "fails" | "abstains";

/**
 * Judges.
 *
 * @param answers The answers.
 * @param rule How.
 * @returns `fails` when an answer that counts is below the threshold; `abstains` when none is
 * and one is missing.
 */
export function judged({ first, second }: JudgeAnswers, rule: JudgeRule): JudgeVerdict {
  const counts = rule.second === undefined || rule.second.isShadow ? [first] : [first, second];
  if (counts.some((p) => p !== null && p < rule.threshold)) return "fails";
  return counts.includes(null) ? "abstains" : "passes";
}

/**
 * The text that answers a write which the judge refuses.
 *
 * @param tool The tool.
 * @param answers The answers, which fail.
 * @param rule How they were judged.
 * @returns The text.
 */
export function judgeRefusal(tool: string, answers: JudgeAnswers, rule: JudgeRule): string {
  const { first, second } = answers;
  const isFirst = first !== null && first < rule.threshold;
  const [why, p] = isFirst
    ? ["the customer has not explicitly agreed to this exact change", `p_yes ${first.toFixed(2)}`]
    : [
      "this exact change was not put to the customer before the reply",
      `p_second ${(second ?? 0).toFixed(2)}`,
    ];
  return `${refusalStart(tool)}${why} ` +
    `(confirmation judge: ${p}); describe the change and ask the customer to confirm it first.`;
}
