/**
 * Pieces of bytes as one array.
 *
 * @module
 */

/**
 * Joins pieces of bytes.
 *
 * @param parts The pieces, in order; not changed.
 * @returns A new array of all their bytes.
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
