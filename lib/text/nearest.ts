/**
 * Finds the name that a typing error most likely meant.
 *
 * @module
 */

/**
 * Finds the nearest name: the only name with that prefix, else the name with the
 * smallest edit distance (optimal string alignment).
 *
 * @param given The mistyped name.
 * @param names The valid names.
 * @returns The nearest name; undefined when none is near or two are equally near.
 */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const begun = names.filter((name) => given.length >= 3 && name.startsWith(given));
  if (begun.length === 1) return begun[0];
  const limit = Math.max(1, Math.floor(given.length / 3));
  const ranked = names.map((name) => ({ name, distance: distance(given, name) }))
    .filter((candidate) => candidate.distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  const [first, second] = ranked;
  return first?.distance === second?.distance ? undefined : first?.name;
}

/**
 * Writes the error message for an unknown command.
 *
 * @param given The text that was typed.
 * @param names The valid commands.
 * @returns One sentence without a full stop, with a suggestion where there is one.
 */
export function unknownCommand(given: string, names: readonly string[]): string {
  const meant = nearest(given, names);
  return `Unknown command "${given}"${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(
        at(rows, i - 1, j) + 1,
        (row[j - 1] ?? 0) + 1,
        at(rows, i - 1, j - 1) + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, at(rows, i - 2, j - 2) + 1);
      }
      row.push(least);
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

function at(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
