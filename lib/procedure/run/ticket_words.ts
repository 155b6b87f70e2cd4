/**
 * Splits tickets into words, and counts the words that are unusual for their kind.
 *
 * @module
 */

import { wordsOf } from "../../flow/state/values.ts";

/**
 * Splits a ticket into single words and pairs of neighbouring words.
 *
 * @param ticket The ticket's text.
 * @returns The words and pairs, lower case, without those that contain a digit.
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
 * Counts the words of a ticket that are unusual for its kind.
 *
 * @param ticketWords The ticket's words and pairs of words.
 * @param familiar The words and pairs common in tickets of its kind.
 * @param seen Lists of texts from inputs and results. Their words, and pairs with one, do not
 * count. Each list is split into words once.
 * @returns The number of unusual words and pairs.
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
