/**
 * The proposal check: values of a write whose record the customer chose another of,
 * found without a model.
 *
 * A record is an element of a list, or an entry of a map, that a result showed. A text
 * names a record when it holds, as words, a value that no other record of its list has,
 * or the number in its id. What the customer's reply names is the choice; when it names
 * nothing, the one record that the agent's proposal names is. It is logged and refuses
 * nothing.
 *
 * @module
 */

import { isObject } from "../../json/json.ts";
import { splitAppendix } from "../appendix.ts";
import type { ProposedWrite } from "./confirm_question.ts";
import { parsed } from "../facts.ts";

/** A value of a write whose record was not the one chosen. */
export interface OtherChoice {
  /** The argument that holds it. */
  readonly argument: string;
  readonly value: string;
}

/** The values of a record: texts, and numbers as texts. */
type ListRecord = ReadonlySet<string>;

/** Characters of results that are looked through, newest first; a longer one is left out. */
const MAX_LENGTH = 2_000_000;
/** Longer lists are no choice that somebody was given; comparing them would take long. */
const MAX_RECORDS = 500;
/** Digits that make a number out of an id: shorter ones stand in prices and times too. */
const MIN_DIGITS = 4;

/** Collects a session's results and checks its writes. */
export class ProposalCheck {
  readonly #results: string[] = [];
  #length = 0;

  /** A call succeeded. What a flow appended to its answer counts too. */
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
   * @param write The write and what was said before it.
   * @returns The values whose record was not chosen.
   */
  otherChoices(write: ProposedWrite): OtherChoice[] {
    const values = Object.entries(write.arguments).flatMap(([argument, given]) =>
      texts(given).filter((value) => /\d/.test(value)).map((value) => ({ argument, value }))
    );
    if (values.length === 0) return [];
    const lists = this.#results.toReversed().map((text) => listsOf(parsed(text)));
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

/** Whether the choice among the records of a list does not include the value's. */
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

/** A value as words, and the number in it where it is an id. */
function spellings(value: string): string[] {
  const [, number = ""] = /^\D+(\d+)\D*$/.exec(value) ?? [];
  return number.length < MIN_DIGITS ? [plain(value)] : [plain(value), number];
}

/** Lower-case words with single spaces between. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}.]+|\.(?!\d)/gu, " ").trim();
}

/** Every list of records in a value; the values of a record do not include those of lists inside it. */
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

/** A map keyed by ids: every value is an object. */
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
