/**
 * Lays the calls of two sessions side by side.
 *
 * @module
 */

import { diffArrays } from "diff";
import type { SessionRow } from "./session_row.ts";

/** One line of the comparison. */
export type ComparedLine =
  | { readonly kind: "same" | "changed"; readonly a: SessionRow; readonly b: SessionRow }
  | { readonly kind: "onlyA"; readonly a: SessionRow }
  | { readonly kind: "onlyB"; readonly b: SessionRow };

/** Calls of a session that are compared. */
export const MAX_COMPARED = 1000;

/**
 * Compares calls: the same tool with the same arguments is the same call, wherever it stands; where
 * both sessions differ, calls of one tool are laid beside each other.
 *
 * @param a The calls of one session, in order.
 * @param b The calls of the other.
 * @returns The lines in order.
 */
export function compareSessions(
  a: readonly SessionRow[],
  b: readonly SessionRow[],
): ComparedLine[] {
  const parts = diffArrays(a.map(identity), b.map(identity));
  const lines: ComparedLine[] = [];
  let [atA, atB] = [0, 0];
  let gone: SessionRow[] = [];
  for (const { added, removed, count } of parts) {
    if (removed) {
      gone = a.slice(atA, atA += count);
      continue;
    }
    const came = b.slice(atB, atB += count);
    if (added) {
      lines.push(...beside(gone, came));
      gone = [];
      continue;
    }
    lines.push(...beside(gone, []));
    gone = [];
    for (const row of came) {
      const other = a[atA++];
      if (other !== undefined) lines.push({ kind: "same", a: other, b: row });
    }
  }
  return [...lines, ...beside(gone, [])];
}

/** Pairs calls of one tool in order; the others stand alone. */
function beside(gone: readonly SessionRow[], came: readonly SessionRow[]): ComparedLine[] {
  const lines: ComparedLine[] = [];
  let next = 0;
  for (const a of gone) {
    const found = came.findIndex((b, i) => i >= next && b.name === a.name);
    if (found < 0) {
      lines.push({ kind: "onlyA", a });
      continue;
    }
    for (const b of came.slice(next, found)) lines.push({ kind: "onlyB", b });
    const b = came[found];
    if (b !== undefined) lines.push({ kind: "changed", a, b });
    next = found + 1;
  }
  return [...lines, ...came.slice(next).map((b) => ({ kind: "onlyB" as const, b }))];
}

/** The start of the arguments tells calls apart; longer ones also by their length. */
function identity({ name, by, brief, inChars }: SessionRow): string {
  return JSON.stringify([name, by, brief, inChars]);
}
