/**
 * Reads confirm logs, and checks each line against the format in docs/formats.md.
 *
 * @module
 */

import { z } from "zod";
import type { ConfirmEntry } from "../../lib/guard/judge/confirm_log.ts";
import { SECOND_QUESTIONS } from "../../lib/guard/judge/confirm_question.ts";

const share = z.number().min(0).max(1);

const entry = z.strictObject({
  rule: z.string().exactOptional(),
  tool: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()),
  word_list: z.boolean().nullable(),
  p_yes: share.nullable(),
  p_second: share.nullable().exactOptional(),
  second: z.enum(SECOND_QUESTIONS).exactOptional(),
  second_shadow: z.literal(true).exactOptional(),
  fails: z.boolean(),
  enforced: z.boolean(),
  unknown: z.boolean(),
  key: z.string().nullable(),
  second_key: z.string().nullable().exactOptional(),
  ms: z.int().min(0),
  proposal_check: z.array(z.object({ argument: z.string(), value: z.string() })),
  error: z.string().exactOptional(),
  skipped: z.string().exactOptional(),
});

/**
 * Reads a confirm log.
 *
 * @param text The file's text, each line ended.
 * @returns Its judgements.
 */
export function readConfirmLog(text: string): ConfirmEntry[] {
  return text.split("\n").slice(0, -1).map((line) => entry.parse(JSON.parse(line)));
}
