/**
 * What somebody who mistyped a name may have meant.
 *
 * @module
 */

/**
 * The name that is nearest to a mistyped one: by letters left out, added, changed or
 * swapped (the optimal string alignment distance), or the only one that begins so.
 *
 * @param given The mistyped name.
 * @param names The names there are.
 * @returns The nearest; undefined when none is near, or several are as near.
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
 * What to tell somebody who named a command that is none.
 *
 * @param given What they typed.
 * @param names The commands there are.
 * @returns A sentence without a full stop; it names what they may have meant.
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
