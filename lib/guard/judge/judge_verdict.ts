/**
 * Turns the model's answers into the judge's verdict, the same live and offline.
 *
 * @module
 */

import { refusalStart } from "../check.ts";
import type { SecondQuestion } from "./confirm_question.ts";

/** The settings of the judge. */
export interface JudgeRule {
  /** A write fails when a probability of yes is below this. */
  readonly threshold: number;
  /** The second question, if it is asked; in shadow mode its answer is only logged. */
  readonly second?: { readonly wording: SecondQuestion; readonly isShadow: boolean };
}

/** The probabilities of yes; null for a question without an answer. */
export interface JudgeAnswers {
  readonly first: number | null;
  readonly second: number | null;
}

/** The judge's verdict on a write. */
export type JudgeVerdict = "passes" | "fails" | "abstains";

/**
 * Judges a write.
 *
 * @param answers The answers.
 * @param rule The settings.
 * @returns `fails` when an answer that counts is below the threshold; else `abstains` when one is
 * missing, else `passes`.
 */
export function judged({ first, second }: JudgeAnswers, rule: JudgeRule): JudgeVerdict {
  const counts = rule.second === undefined || rule.second.isShadow ? [first] : [first, second];
  if (counts.some((p) => p !== null && p < rule.threshold)) return "fails";
  return counts.includes(null) ? "abstains" : "passes";
}

/**
 * Words the answer to a write that the judge refuses.
 *
 * @param tool The tool.
 * @param answers The answers, at least one below the threshold.
 * @param rule The settings.
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
