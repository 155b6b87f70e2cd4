/**
 * The confirm log, `<session>.confirm.jsonl`: one line per judgement of the judge or of a rule
 * that asks a model.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";
import type { SecondQuestion } from "./confirm_question.ts";
import type { OtherChoice } from "./proposal_check.ts";

/** One judgement, as a line of the log holds it; docs/formats.md explains each field. */
export interface ConfirmEntry {
  readonly rule?: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly word_list: boolean | null;
  readonly p_yes: number | null;
  readonly p_second?: number | null;
  readonly second?: SecondQuestion;
  readonly second_shadow?: true;
  readonly fails: boolean;
  readonly enforced: boolean;
  readonly unknown: boolean;
  readonly key: string | null;
  readonly second_key?: string | null;
  readonly ms: number;
  readonly proposal_check: readonly OtherChoice[];
  readonly error?: string;
  readonly skipped?: string;
}

/**
 * Formats a line of the log.
 *
 * @param judgement The judgement.
 * @returns The line with its newline; keys are sorted.
 */
export function confirmLine(judgement: ConfirmEntry): string {
  const sorted = Object.entries(judgement).sort(([a], [b]) => a < b ? -1 : 1);
  return JSON.stringify(Object.fromEntries(sorted)) + "\n";
}
