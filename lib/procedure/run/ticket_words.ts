/**
 * The words of a ticket, and which of them are new.
 *
 * @module
 */

import { wordsOf } from "../../flow/state/values.ts";

/**
 * The single words and two-word sequences of a ticket.
 *
 * @param ticket Its text.
 * @returns Words and pairs, lower case, without those that hold a digit.
 */
export function wordsAndPairs(ticket: string): Set<string> {
  const found = new Set<string>();
  let before: string | undefined;
  for (const [word] of ticket.toLowerCase().matchAll(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu)) {
    if (/\p{N}/u.test(word)) {
      before = undefined;
      continue;
    }
    found.add(word);
    if (before !== undefined) found.add(`${before} ${word}`);
    before = word;
  }
  return found;
}

/**
 * Counts what a ticket says that tickets of its kind do not.
 *
 * @param ticketWords Its words and pairs of words.
 * @param familiar Those that tickets of its kind have.
 * @param seen Texts that inputs and results hold, as lists: a word of theirs does not count, nor
 * does a pair with one. A list is taken apart once.
 * @returns How many are left.
 */
export function unfamiliarWords(
  ticketWords: ReadonlySet<string>,
  familiar: ReadonlySet<string>,
  seen: readonly (readonly string[])[],
): number {
  let left = [...ticketWords].filter((word) => !familiar.has(word));
  for (const texts of seen) {
    if (left.length === 0) break;
    const known = KNOWN.get(texts) ?? new Set(texts.flatMap(wordsOf));
    KNOWN.set(texts, known);
    left = left.filter((word) =>
      !word.split(" ").some((one) => known.has(one) || known.has(one.replace(/s$/, "")))
    );
  }
  return left.length;
}

const KNOWN = new WeakMap<readonly string[], ReadonlySet<string>>();
