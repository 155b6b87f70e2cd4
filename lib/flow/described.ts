/**
 * Whether the customer's words fit a record without naming its id: "the blue
 * bottle" fits the item whose name and colour say so.
 *
 * @module
 */

import type { DataRecord, Shown } from "./output.ts";
import type { Output } from "./session_state.ts";
import { type Words, wordsOf } from "./values.ts";

/** Words of a record that tell it from others: letters only, four or more. */
const textWords = new WeakMap<DataRecord, readonly string[]>();
const outputWords = new WeakMap<Shown, readonly string[]>();

/**
 * Whether a record is described: a word of its text fields was said, and not all
 * records of its list have that word.
 *
 * @param record The record.
 * @param output The output it stands in.
 * @param words What the customer said.
 * @returns True when the words fit.
 */
export function isDescribed(record: DataRecord, output: Output, words: Words): boolean {
  if (words.isEmpty) return false;
  const siblings = output.result.records.get(record.path) ?? [];
  return recordWords(record).some((word) =>
    words.hasWord(word) &&
    (siblings.length < 2 || siblings.some((other) => !recordWords(other).includes(word)))
  );
}

/**
 * How many of the records' words in an output the customer said.
 *
 * @param output The output.
 * @param words What the customer said.
 * @returns A count of distinct words.
 */
export function hits(output: Output, words: Words): number {
  let known = outputWords.get(output.result);
  if (known === undefined) {
    const all = new Set<string>();
    for (const [path, records] of output.result.records) {
      if (path === "$") continue;
      for (const record of records) for (const word of recordWords(record)) all.add(word);
    }
    known = [...all];
    outputWords.set(output.result, known);
  }
  return known.reduce((n, word) => n + (words.hasWord(word) ? 1 : 0), 0);
}

function recordWords(record: DataRecord): readonly string[] {
  const known = textWords.get(record);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const leaf of record.fields.values()) {
    if (typeof leaf.json !== "string" || leaf.text.length > 60 || /\d/.test(leaf.text)) continue;
    for (const word of wordsOf(leaf.text)) if (word.length >= 4) found.add(word);
  }
  const list = [...found];
  textWords.set(record, list);
  return list;
}
