/**
 * The proposal check finds values of a write that belong to another record than the
 * one the customer chose. It needs no model, and is only logged.
 *
 * A record is an element of a list, or an entry of a map, in a result. A text names a
 * record when it contains, as words, a value that no other record of the list has, or
 * the number in its id. The choice is every record that the customer's reply names;
 * when it names none, the one record that the agent's proposal names.
 *
 * @module
 */

import { isObject } from "../../json/json.ts";
import { splitAppendix } from "../appendix.ts";
import type { ProposedWrite } from "./confirm_question.ts";
import { parsedOrText } from "../facts.ts";

/** A value of a write that belongs to a record which was not chosen. */
export interface OtherChoice {
  /** The argument that holds the value. */
  readonly argument: string;
  readonly value: string;
}

/** The values of a record, numbers as texts. */
type ListRecord = ReadonlySet<string>;

/** The most characters of results kept, newest first. A longer result is skipped. */
const MAX_LENGTH = 2_000_000;
/** A longer list is not a choice offered to a customer, and slow to compare. */
const MAX_RECORDS = 500;
/** The fewest digits of a number in an id. Prices and times have shorter ones. */
const MIN_DIGITS = 4;

/** Collects a session's results and checks its writes. */
export class ProposalCheck {
  readonly #results: string[] = [];
  #length = 0;

  /** Adds the answer of a successful call, and the lookups that a flow appended to it. */
  answered(content: string): void {
    const { own, appended } = splitAppendix(content);
    for (const text of [own, ...appended.map((lookup) => lookup.content)]) {
      if (text.length > MAX_LENGTH || !/^\s*[[{]/.test(text)) continue;
      this.#results.push(text);
      this.#length += text.length;
    }
    while (this.#length > MAX_LENGTH) this.#length -= this.#results.shift()?.length ?? 0;
  }

  /**
   * Checks a write.
   *
   * @param write The write, and the messages before it.
   * @returns The values that belong to a record which was not chosen.
   */
  otherChoices(write: ProposedWrite): OtherChoice[] {
    const values = Object.entries(write.arguments).flatMap(([argument, given]) =>
      texts(given).filter((value) => /\d/.test(value)).map((value) => ({ argument, value }))
    );
    if (values.length === 0) return [];
    const lists = this.#results.toReversed().map((text) => listsOf(parsedOrText(text)));
    const passed = values.map(({ value }) => value);
    return values.filter(({ value }) => {
      const list = lists.flatMap((found) => found).find((records) =>
        records.length > 1 && records.length <= MAX_RECORDS &&
        records.some((record) => record.has(value))
      );
      return list !== undefined && isOther(value, list, { write, passed });
    });
  }
}

/** Whether another record of the list than the value's was chosen. */
function isOther(
  value: string,
  list: readonly ListRecord[],
  { write, passed }: { readonly write: ProposedWrite; readonly passed: readonly string[] },
): boolean {
  const inReply = named(write.reply, list);
  const inProposal = inReply.length > 0 ? [] : named(write.proposal, list);
  const choice = inReply.length > 0 ? inReply : inProposal.length === 1 ? inProposal : [];
  if (choice.some((record) => record.has(value))) return false;
  return choice.some((record) => !passed.some((other) => record.has(other)));
}

function named(text: string, list: readonly ListRecord[]): ListRecord[] {
  const words = ` ${plain(text)} `;
  return list.filter((record) =>
    [...record].some((value) =>
      !list.some((other) => other !== record && other.has(value)) &&
      spellings(value).some((spelling) => spelling !== "" && words.includes(` ${spelling} `))
    )
  );
}

/** The value as words, and the number in it when it is an id. */
function spellings(value: string): string[] {
  const [, number = ""] = /^\D+(\d+)\D*$/.exec(value) ?? [];
  return number.length < MIN_DIGITS ? [plain(value)] : [plain(value), number];
}

/** Lower-case words with single spaces between. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}.]+|\.(?!\d)/gu, " ").trim();
}

/** Every list of records in a value. A record's values exclude those of lists inside it. */
function listsOf(value: unknown): ListRecord[][] {
  const lists: ListRecord[][] = [];
  const rest: unknown[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const entries: [string | undefined, unknown][] = Array.isArray(next)
      ? next.map((item) => [undefined, item])
      : Object.entries(next);
    if (Array.isArray(next) || isMap(next)) {
      lists.push(entries.map(([key, item]) => recordOf(key, item)));
    }
    for (const [, item] of entries) rest.push(item);
  }
  return lists;
}

/** Whether an object is a map from ids to records. */
function isMap(value: object): boolean {
  const entries = Object.entries(value);
  return entries.length > 1 && entries.every(([key, item]) => /\d/.test(key) && isObject(item));
}

function recordOf(key: string | undefined, item: unknown): ListRecord {
  const values = new Set(key === undefined ? [] : [key]);
  const rest: unknown[] = [item];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string") values.add(next);
    else if (typeof next === "number") values.add(String(next));
    else if (isObject(next) && !isMap(next)) rest.push(...Object.values(next));
  }
  return values;
}

function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return isObject(value) ? Object.values(value).flatMap(texts) : [];
}
