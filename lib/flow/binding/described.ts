/**
 * Whether the customer's words fit a record without naming its id: "the blue
 * bottle" fits the item whose name and colour say so.
 *
 * @module
 */

import type { DataRecord, Leaf, Shown } from "../state/output.ts";
import type { Output } from "../state/flow_state.ts";
import { type Words, wordsOf } from "../state/values.ts";

/** Words of a record that tell it from others: letters only, four or more. */
const textWords = new WeakMap<DataRecord, readonly string[]>();
const outputWords = new WeakMap<
  Shown,
  {
    readonly shallow: readonly string[];
    readonly deep: readonly string[];
    readonly values: readonly string[];
  }
>();

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

/** How well an output fits what the customer said: distinct words, by where they stand. */
export interface Hits {
  /** In fields of records themselves: names. */
  readonly shallow: number;
  /** In nested fields: options and details. */
  readonly deep: number;
  /** Dates, codes and numbers, whole. */
  readonly values: number;
}

/**
 * How many of the records' words in an output the customer said.
 *
 * @param output The output.
 * @param words What the customer said.
 * @returns Counts of distinct words.
 */
export function hits(output: Output, words: Words): Hits {
  let known = outputWords.get(output.result);
  if (known === undefined) {
    const shallow = new Set<string>();
    const deep = new Set<string>();
    const values = new Set<string>();
    for (const records of output.result.records.values()) {
      for (const record of records) {
        for (const [field, leaf] of record.fields) {
          for (const word of leafWords(leaf)) (field.includes(".") ? deep : shallow).add(word);
          if (isCode(leaf)) values.add(leaf.text);
        }
      }
    }
    known = { shallow: [...shallow], deep: [...deep], values: [...values].slice(0, 60) };
    outputWords.set(output.result, known);
  }
  const count = (list: readonly string[]) =>
    list.reduce((n, w) => n + (words.hasWord(w) ? 1 : 0), 0);
  return {
    shallow: count(known.shallow),
    deep: count(known.deep),
    values: known.values.reduce((n, value) => n + (words.mentions(value) ? 1 : 0), 0),
  };
}

/** A date, or a code in capitals such as an airport's. */
function isCode({ json, text }: Leaf): boolean {
  return typeof json === "string" && (/^[A-Z]{3}$/.test(text) || /^\d{4}-\d\d-\d\d$/.test(text));
}

function recordWords(record: DataRecord): readonly string[] {
  const known = textWords.get(record);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const leaf of record.fields.values()) for (const word of leafWords(leaf)) found.add(word);
  const list = [...found];
  textWords.set(record, list);
  return list;
}

function leafWords({ json, text }: Leaf): string[] {
  if (typeof json !== "string" || text.length > 60 || /\d/.test(text)) return [];
  return wordsOf(text).filter((word) => word.length >= 4);
}
