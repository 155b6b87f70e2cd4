/**
 * Differences of two texts, line by line, for a person to read.
 *
 * @module
 */

import { diffArrays } from "diff";

/** Texts with more differences are shown whole, old then new: the work grows with their square. */
const MAX_DIFFERENCES = 2000;

/**
 * Compares two texts.
 *
 * @param before The old text.
 * @param after The new text.
 * @returns Lines starting with `- `, `+ ` or two blanks.
 */
export function lineDiff(before: string, after: string): string[] {
  const old = splitLines(before);
  const now = splitLines(after);
  const parts = diffArrays(old, now, { maxEditLength: MAX_DIFFERENCES }) ?? [
    { added: false, removed: true, value: old },
    { added: true, removed: false, value: now },
  ];
  return parts.flatMap(({ added, removed, value }) =>
    value.map((line) => `${removed ? "- " : added ? "+ " : "  "}${line}`)
  );
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
