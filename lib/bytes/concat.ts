/**
 * Joins byte arrays.
 *
 * @module
 */

/**
 * Joins byte arrays.
 *
 * @param parts The arrays, in order; not changed.
 * @returns A new array with all their bytes.
 */
export function concat(parts: Iterable<Uint8Array>): Uint8Array<ArrayBuffer> {
  const list = [...parts];
  const all = new Uint8Array(list.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of list) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
