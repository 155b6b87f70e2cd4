/**
 * Differences of two texts, line by line, for a person to read.
 *
 * @module
 */

/** Above this many pairs of lines the texts are shown whole, old then new. */
const MAX_PAIRS = 4_000_000;

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
  if (old.length * now.length > MAX_PAIRS) {
    return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)];
  }
  const common = commonLengths(old, now);
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(`  ${old[i]}`);
      i++;
      j++;
    } else if (
      j >= now.length || (i < old.length && at(common, i + 1, j) >= at(common, i, j + 1))
    ) {
      lines.push(`- ${old[i++]}`);
    } else {
      lines.push(`+ ${now[j++]}`);
    }
  }
  return lines;
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Length of the longest common part of what follows each pair of places. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const table = Array.from(
    { length: old.length + 1 },
    () => new Array<number>(now.length + 1).fill(0),
  );
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const row = table[i];
      if (row === undefined) continue;
      row[j] = old[i] === now[j]
        ? at(table, i + 1, j + 1) + 1
        : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}

function at(table: readonly (readonly number[])[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}
