/**
 * The inbox: parked thoughts, one Markdown file each. Parking starts nothing.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { hex } from "../state/ids.ts";
import type { Transaction } from "../state/transaction.ts";

/**
 * Parks a thought.
 *
 * @param ctx The call.
 * @param thought Its text, not blank.
 * @param tags Its tags.
 * @returns The file.
 */
export function parkThought(
  ctx: CallContext,
  thought: string,
  tags: readonly string[],
): string {
  const { pid, random } = ctx.world;
  const path = ctx.tx.at("inbox", `park_${ctx.stamp}_${pid}_${hex(random(4))}.md`);
  const shown = tags.map((tag) => tag.trim()).filter((tag) => tag !== "").join(", ") || "(none)";
  const lines = ["# Parked thought", `- created: ${ctx.local}`, `- tags: ${shown}`, ""];
  ctx.tx.putText("home", path, `${[...lines, thought.trim()].join("\n")}\n`, ctx.tx.home);
  return path;
}

/** Names of the inbox files, oldest first. */
export function inboxNames(tx: Transaction): readonly string[] {
  return tx.list(tx.at("inbox")).filter((name) => name.endsWith(".md"));
}
