/**
 * Finds the record that a ticket wants in place of another: equal in all short texts
 * but those that the ticket changes ("the same lamp, but black").
 *
 * @module
 */

import type { DataRecord, Leaf } from "../../flow/state/output.ts";
import { wordsOf } from "../../flow/state/values.ts";

/** The longest text that is compared; longer ones are prose. */
const MAX_TEXT = 40;

/**
 * Finds the value that replaces another.
 *
 * @param old The value to replace.
 * @param leaves All values of the same list.
 * @param mayBe Those that may replace it.
 * @param ticket The ticket.
 * @returns The one value that fits; undefined when none or several fit.
 */
export function replacementOf(
  old: Leaf,
  leaves: readonly Leaf[],
  mayBe: readonly Leaf[],
  ticket: TicketText,
): Leaf | undefined {
  const { record } = old;
  if (record === undefined) return undefined;
  const records = leaves.flatMap((leaf) => leaf.record ?? []);
  const wanted = new Map<string, string>();
  for (const [field, { json, text }] of record.fields) {
    if (typeof json !== "string" || text === old.text || text.length > MAX_TEXT) continue;
    const others = ticket.named(records.flatMap((one) => one.fields.get(field)?.text ?? []))
      .filter((value) => value !== text);
    if (others.length > 1) return undefined;
    wanted.set(field, others[0] ?? text);
  }
  const fits = ({ fields }: DataRecord) =>
    [...wanted].every(([field, text]) => fields.get(field)?.text === text);
  const found = mayBe.filter((leaf) =>
    leaf.json !== old.json && leaf.record !== undefined && fits(leaf.record)
  );
  return found.length === 1 ? found[0] : undefined;
}

/** A ticket prepared for {@linkcode TicketText.named}. */
export class TicketText {
  readonly #words: string;
  readonly #exact: ReadonlySet<string>;

  /** Takes the ticket's text. */
  constructor(ticket: string) {
    this.#words = ` ${wordsOf(ticket).join(" ")} `;
    this.#exact = new Set(ticket.match(/[\p{L}\p{N}]+/gu) ?? []);
  }

  /** The values that the ticket names, each once; a value inside a longer named one does not count. */
  named(values: readonly string[]): string[] {
    let rest = this.#words;
    // A size such as "M" counts in its own spelling alone.
    return [...new Set(values)].sort((a, b) => b.length - a.length).filter((value) => {
      const plain = wordsOf(value).join(" ");
      if (plain.length < 3 && !/\s/.test(value)) return this.#exact.has(value);
      if (plain === "" || !rest.includes(` ${plain} `)) return false;
      rest = rest.replaceAll(` ${plain} `, "  ");
      return true;
    });
  }
}
