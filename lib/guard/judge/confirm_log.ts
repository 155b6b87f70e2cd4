/**
 * The confirm log, `<session>.confirm.jsonl`: one line a judgement, of the judge or of a rule
 * that asks.
 *
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../json/json.ts";
import { SECOND_QUESTIONS } from "./confirm_question.ts";

const share = z.number().min(0).max(1);

const entry = z.object({
  rule: z.string().exactOptional(),
  tool: z.string().min(1),
  arguments: z.custom<JsonObject>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be an object",
  ),
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

/** One judgement, as the log has it. */
export type ConfirmEntry = z.infer<typeof entry>;

/**
 * Spells a line.
 *
 * @param judgement The judgement.
 * @returns The line with its newline; keys are sorted.
 */
export function confirmLine(judgement: ConfirmEntry): string {
  const sorted = Object.entries(judgement).sort(([a], [b]) => a < b ? -1 : 1);
  return JSON.stringify(Object.fromEntries(sorted)) + "\n";
}

/**
 * Reads a confirm log.
 *
 * @param text The file's text.
 * @param path Its name, for messages.
 * @returns Its judgements. A last line that a crash cut off is left out.
 * @throws {SyntaxError} When another line is not one; names the line.
 */
export function readConfirmLog(text: string, path: string): ConfirmEntry[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const entries = lines.map((line, i) => readLine(line, `Cannot read "${path}": line ${i + 1}`));
  if (last === "") return entries;
  try {
    entries.push(readLine(last, ""));
  } catch {
    // Cut off: a crash loses what was in flight.
  }
  return entries;
}

function readLine(line: string, where: string): ConfirmEntry {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new SyntaxError(`${where} is not JSON: ${line.slice(0, 80)}`, { cause });
  }
  const parsed = entry.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new SyntaxError(`${where}: $.${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
}
