/**
 * Reads results, and remembers what it read: replay meets the same answer many times.
 *
 * @module
 */

import { shown } from "./output.ts";
import type { ReadResult, ReadValue } from "./flow_state.ts";

/** Characters of results that are remembered. */
const MAX_REMEMBERED = 30_000_000;

/**
 * Makes a reader.
 *
 * @param parse What makes a value of text that may not be JSON.
 * @returns Reads a result; remembers the last ones.
 */
export function resultReader(parse: (text: string) => unknown): ReadResult {
  const known = new Map<string, ReadValue>();
  let size = 0;
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = parse(text);
    const read = { value, shown: shown(value) };
    size += text.length;
    if (size > MAX_REMEMBERED) {
      known.clear();
      size = text.length;
    }
    known.set(text, read);
    return read;
  };
}
