/**
 * The state of a run: the ticket, the inputs, the calls and their answers.
 *
 * @module
 */

import { callKey } from "../../flow/state/call_key.ts";
import type { DataRecord, Leaf, Shown } from "../../flow/state/output.ts";
import { shown } from "../../flow/state/output.ts";
import type { Output, ReadResult } from "../../flow/state/flow_state.ts";
import { looksLikeId, Words, wordsOf } from "../../flow/state/values.ts";
import type { JsonObject } from "../../json/json.ts";
import { replacementOf, TicketText } from "./replacement.ts";
import { unfamiliarWords, wordsAndPairs } from "./ticket_words.ts";

/** An input's value. */
export type InputValue = string | number | boolean;

/** The ticket and the inputs of a run. */
export interface RunInput {
  /** The customer's text; empty when there is no ticket. */
  readonly ticket: string;
  readonly inputs: Readonly<Record<string, InputValue>>;
}

/** The latest answer of one tool. */
export interface LastAnswer {
  readonly error: boolean;
  readonly value: unknown;
  /** Undefined after an error. */
  readonly output: Output | undefined;
}

/** The state of one run. */
export class RunState {
  readonly ticket: string;
  readonly inputs: Readonly<Record<string, InputValue>>;
  /** The ticket's words, and the inputs'. */
  readonly words = new Words();
  /** The ticket's words and pairs of words, lower case, for features. */
  readonly ticketWords: ReadonlySet<string>;
  /** Successful answers, oldest first; of equal calls only the latest. */
  #outputs: Output[] = [];
  /** The texts of the writes made, as written in their leaves. */
  readonly madeWrites: string[] = [];
  readonly last = new Map<string, LastAnswer>();
  #ticketText: TicketText | undefined;
  readonly #read: ReadResult;
  readonly #readKeys = new Set<string>();
  readonly #writeKeys = new Set<string>();
  readonly #passed = new Map<string, Set<string>>();
  /** Whether an answer holds a value that the ticket gives. */
  readonly #givenIn = new WeakMap<Output, boolean>();
  /** What each reference finds, cached until the next answer: learning asks the same ones often. */
  readonly #found = new Map<string, readonly Leaf[]>();

  /** Starts without a call. */
  constructor({ ticket, inputs }: RunInput, read: ReadResult) {
    this.ticket = ticket;
    this.inputs = inputs;
    this.#read = read;
    this.words.add(ticket);
    for (const value of Object.values(inputs)) this.words.add(String(value));
    this.ticketWords = wordsAndPairs(ticket);
  }

  /** Successful answers, oldest first; of equal calls only the latest. */
  get outputs(): readonly Output[] {
    return this.#outputs;
  }

  /** Adds an answered call; `answer` is undefined for a write that a dry run skips. */
  answered(
    call: {
      readonly tool: string;
      readonly arguments: JsonObject;
      readonly isRead: boolean;
      readonly text: string;
    },
    answer: { readonly error: boolean; readonly content: string } | undefined,
  ): void {
    const { tool, arguments: args, isRead, text } = call;
    this.#found.clear();
    const key = callKey(tool, args);
    for (const [name, value] of Object.entries(args)) {
      const passed = this.#passed.get(`${tool} ${name}`) ?? new Set();
      this.#passed.set(`${tool} ${name}`, passed.add(JSON.stringify(value)));
    }
    if (isRead) this.#readKeys.add(key);
    else {
      this.#writeKeys.add(key);
      this.#readKeys.clear(); // A failed write may have changed something too.
      if (answer?.error !== true) this.madeWrites.push(text);
    }
    if (answer === undefined) return;
    if (answer.error) {
      this.last.set(tool, { error: true, value: answer.content, output: undefined });
      return;
    }
    const { value, shown: result } = this.#read(answer.content);
    const given = shown(args, "@");
    const output: Output = { tool, arguments: args, key, result, given, isLookup: false };
    this.#outputs = [...this.#outputs.filter((other) => other.key !== key), output];
    const before = this.last.get(tool)?.output;
    const isKept = before !== undefined && this.#holdsGiven(before) && !this.#holdsGiven(output);
    if (!isKept || before.key === key) this.last.set(tool, { error: false, value, output });
  }

  /** Caches what a reference finds in an answer until the next answer. */
  remembered(reference: string, output: Output, find: () => readonly Leaf[]): readonly Leaf[] {
    const key = `${reference}\n${output.key}`;
    const known = this.#found.get(key) ?? find();
    this.#found.set(key, known);
    return known;
  }

  /** Whether a call was made already: a read since the last write, a write at any time. */
  isBarred(tool: string, args: JsonObject): boolean {
    const key = callKey(tool, args);
    return this.#readKeys.has(key) || this.#writeKeys.has(key);
  }

  /** Whether a value was already passed to a tool as this argument. */
  hasPassed(tool: string, arg: string, value: unknown): boolean {
    return this.#passed.get(`${tool} ${arg}`)?.has(JSON.stringify(value)) ?? false;
  }

  /** A tool's answers: first those that contain an id from the ticket, each group newest first. */
  outputsOf(tool: string): Output[] {
    const newestFirst = this.#outputs.filter((output) => output.tool === tool).reverse();
    return [
      ...newestFirst.filter((output) => this.#holdsGiven(output)),
      ...newestFirst.filter((output) => !this.#holdsGiven(output)),
    ];
  }

  /**
   * Whether the ticket names a record, by a value that no other record of its list has. The
   * others of a whole result are the tool's other answers.
   */
  isSaid(leaf: Leaf, output: Output, side: Shown = output.result): boolean {
    const { record } = leaf;
    if (record === undefined) return this.#mentions(leaf);
    if (record.parent === undefined && record.path === "$") return this.#isOutputSaid(output);
    const siblings = (side.records.get(record.path) ?? []).filter((other) => other !== record);
    for (const [field, value] of record.fields) {
      if (!this.#mentions(value)) continue;
      if (siblings.every((other) => other.fields.get(field)?.text !== value.text)) return true;
    }
    return false;
  }

  /**
   * The leaves whose records the ticket describes, by the last word of one of their short texts
   * ("the lamp" is the Desk Lamp). None when the word fits two records and the ticket says
   * nothing else to tell them apart.
   */
  described(leaves: readonly Leaf[], output: Output, side: Shown = output.result): Leaf[] {
    const first = leaves[0]?.record;
    if (first !== undefined && first.parent === undefined && first.path === "$") {
      return this.#isOutputDescribed(output) ? [...leaves] : [];
    }
    const records = new Set(leaves.flatMap(({ record }) => {
      return record === undefined ? [] : side.records.get(record.path) ?? [];
    }));
    const found = new Set<DataRecord>();
    for (const record of records) {
      const others = [...records].filter((other) => other !== record);
      for (const [field, { json, text }] of record.fields) {
        if (typeof json !== "string" || field.includes(".") || !this.#isNamed(text)) continue;
        const rivals = others.filter((other) => {
          const rival = other.fields.get(field)?.text;
          return rival !== undefined && headOf(rival) === headOf(text);
        });
        if (rivals.length === 0) {
          found.add(record);
          continue;
        }
        // Of several lamps, the one that the ticket says something else about; else it is open.
        const family = [record, ...rivals];
        const told = family.filter((one) => this.#isToldApart(one, family));
        if (told.length === 0) return [];
        if (told.includes(record)) found.add(record);
      }
    }
    return leaves.filter(({ record }) => record !== undefined && found.has(record));
  }

  /** Whether the ticket names a record of this answer by its last word, and of no other answer. */
  #isOutputDescribed(output: Output): boolean {
    const others = this.#outputs.filter((o) => o !== output && o.tool === output.tool);
    return this.#headsOf(output).some((head) =>
      this.#isNamed(head) && !others.some((other) => this.#headsOf(other).includes(head))
    );
  }

  /** The last words of the short texts of an answer's inner records. */
  #headsOf(output: Output): string[] {
    return [...output.result.records].flatMap(([path, records]) =>
      path === "$"
        ? []
        : records.flatMap((record) =>
          [...record.fields].flatMap(([field, { json, text }]) =>
            typeof json === "string" && !field.includes(".") ? headOf(text) ?? [] : []
          )
        )
    );
  }

  /** Whether the ticket contains a value that only this record of its family has. */
  #isToldApart(record: DataRecord, family: readonly DataRecord[]): boolean {
    return [...record.fields].some(([field, leaf]) =>
      this.#mentions(leaf) &&
      family.every((other) => other === record || other.fields.get(field)?.text !== leaf.text)
    );
  }

  /** Whether the ticket contains a text's last word. */
  #isNamed(text: string): boolean {
    const head = headOf(text);
    return head !== undefined && (this.words.hasWord(head) || this.words.hasWord(`${head}s`));
  }

  /** The value that the ticket wants in place of another; undefined when that is open. */
  replacement(old: Leaf, leaves: readonly Leaf[], mayBe: readonly Leaf[]): Leaf | undefined {
    return replacementOf(old, leaves, mayBe, this.#ticketText ??= new TicketText(this.ticket));
  }

  /** The number of words and pairs in the ticket that are neither familiar nor in any answer. */
  unfamiliar(familiar: ReadonlySet<string>): number {
    const seen = [Object.values(this.inputs).map(String), ...this.#outputs.map(textsOf)];
    return unfamiliarWords(this.ticketWords, familiar, seen);
  }

  /** The number of records in a list that the ticket names. */
  saidAmong(records: readonly DataRecord[], output: Output): number {
    return records.filter((record) => {
      const leaf = record.fields.values().next().value;
      return leaf !== undefined && this.isSaid({ ...leaf, record }, output);
    }).length;
  }

  #isOutputSaid(output: Output): boolean {
    const others = this.#outputs.filter((o) => o !== output && o.tool === output.tool);
    for (const [path, leaves] of output.result.leaves) {
      const elsewhere = new Set(
        others.flatMap((o) => (o.result.leaves.get(path) ?? []).map((leaf) => leaf.text)),
      );
      if (leaves.some((leaf) => this.#mentions(leaf) && !elsewhere.has(leaf.text))) return true;
    }
    return false;
  }

  #mentions({ json, text }: Leaf): boolean {
    return typeof json !== "boolean" && this.words.mentions(text);
  }

  #holdsGiven(output: Output): boolean {
    const known = this.#givenIn.get(output) ?? this.#findGiven(output);
    this.#givenIn.set(output, known);
    return known;
  }

  #findGiven(output: Output): boolean {
    for (const side of [output.result, output.given]) {
      for (const leaves of side.leaves.values()) {
        if (leaves.some((leaf) => looksLikeId(leaf.text) && this.words.mentions(leaf.text))) {
          return true;
        }
      }
    }
    return false;
  }
}

/** The last word of a short text, in the singular; undefined for a long text or a number. */
function headOf(text: string): string | undefined {
  if (text.length > 40 || /\d/.test(text)) return undefined;
  const last = wordsOf(text).at(-1);
  if (last === undefined || last.length < 3) return undefined;
  return last.length > 4 && last.endsWith("s") ? last.slice(0, -1) : last;
}

/** Every value of an answer as text, cached so that the list stays identical. */
function textsOf(output: Output): readonly string[] {
  const known = TEXTS.get(output) ??
    [...output.result.leaves.values()].flatMap((list) => list.map(({ text }) => text));
  TEXTS.set(output, known);
  return known;
}

const TEXTS = new WeakMap<Output, readonly string[]>();
