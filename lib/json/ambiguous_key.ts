/**
 * Finds keys that JSON parsers read differently: a key that an object has twice, and
 * keys of one object that differ only in case.
 *
 * Some parsers take the first of duplicates, some the last, and some match keys
 * without regard to case. Whoever judges such an object may judge another value than
 * the server reads.
 *
 * @module
 */

const STRING = /"(?:[^"\\]|\\.)*"/y;

/**
 * Finds an ambiguous key, at any depth.
 *
 * @param text Text of one JSON value.
 * @returns The key and the one it is taken for, which may be equal; undefined when there is none.
 */
export function ambiguousKey(text: string): readonly [key: string, other: string] | undefined {
  /** The keys of each open object, by their folded form; undefined for an open array. */
  const open: (Map<string, string> | undefined)[] = [];
  let isKeyNext = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      STRING.lastIndex = i;
      const written = STRING.exec(text)?.[0] ?? "";
      i += Math.max(written.length - 1, 0);
      const keys = open.at(-1);
      if (!isKeyNext || keys === undefined) continue;
      isKeyNext = false;
      const key: string = JSON.parse(written);
      const folded = key.toUpperCase().toLowerCase();
      const other = keys.get(folded);
      if (other !== undefined) return [key, other];
      keys.set(folded, key);
    } else if (char === "{" || char === "[") {
      open.push(char === "{" ? new Map() : undefined);
      isKeyNext = char === "{";
    } else if (char === "}" || char === "]") {
      open.pop();
      isKeyNext = false;
    } else if (char === ",") isKeyNext = open.at(-1) !== undefined;
  }
  return undefined;
}
