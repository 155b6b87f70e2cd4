/**
 * The owner's limits log: read only, never trusted to be whole.
 *
 * The last well-formed record decides. A suspension is in force until its time
 * is over; one without a reason is none. Torn lines are skipped.
 *
 * @module
 */

import { z } from "zod";
import type { Transaction } from "../state/transaction.ts";

const RECORD = z.union([
  z.looseObject({
    record_type: z.literal("limits_suspended"),
    at: z.string(),
    reason: z.string(),
    until: z.string(),
  }),
  z.looseObject({ record_type: z.literal("limits_restored"), at: z.string() }),
]);

/** Whether limits are suspended, and why. */
export type Suspension =
  | { readonly suspended: false }
  | { readonly suspended: true; readonly reason: string; readonly until: string };

/**
 * Reads the limits log.
 *
 * @param tx Where it is read.
 * @param unixMs Now.
 * @returns Whether a suspension is in force. Never throws.
 */
export function readSuspension(tx: Transaction, unixMs: number): Suspension {
  const path = tx.at("logbook", "limits.jsonl");
  const isReal = tx.isConfined(path) && tx.disk.kind(path) === "file";
  const bytes = isReal ? tx.disk.read(path) : undefined;
  if (bytes === undefined) return { suspended: false };
  const last = new TextDecoder().decode(bytes).split("\n").flatMap(parseLine).at(-1);
  if (last?.record_type !== "limits_suspended") return { suspended: false };
  const { reason, until } = last;
  const isInForce = unixMs < Date.parse(until) && reason.trim() !== "";
  return isInForce ? { suspended: true, reason, until } : { suspended: false };
}

function parseLine(line: string): z.infer<typeof RECORD>[] {
  try {
    const parsed = RECORD.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return []; // Torn.
  }
}
