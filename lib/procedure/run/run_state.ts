/**
 * What a run has been given and has seen: the ticket, the inputs, the calls and
 * what each showed.
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

/** What a run is given. */
export interface RunInput {
  /** What the customer wrote; empty when there is no ticket. */
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

/** A run so far. */
export class RunState {
  readonly ticket: string;
  readonly inputs: Readonly<Record<string, InputValue>>;
  /** The ticket's words, and the inputs'. */
  readonly words = new Words();
  /** The ticket's words alone, lower case, for features. */
  readonly ticketWords: ReadonlySet<string>;
  /** Successful answers, oldest first; of equal calls, the latest alone. */
  #outputs: Output[] = [];
  /** Texts of the writes that were made, as their leaf has them. */
  readonly madeWrites: string[] = [];
  readonly last = new Map<string, LastAnswer>();
  #ticketText: TicketText | undefined;
  readonly #read: ReadResult;
  readonly #readKeys = new Set<string>();
  readonly #writeKeys = new Set<string>();
  readonly #passed = new Map<string, Set<string>>();
  /** Whether an answer holds a value that the ticket gives. */
  readonly #givenIn = new WeakMap<Output, boolean>();
  /** What references find, until the next answer: learning asks the same ones many times. */
  readonly #found = new Map<string, readonly Leaf[]>();

  /** A run that has made no call. */
  constructor({ ticket, inputs }: RunInput, read: ReadResult) {
    this.ticket = ticket;
    this.inputs = inputs;
    this.#read = read;
    this.words.add(ticket);
    for (const value of Object.values(inputs)) this.words.add(String(value));
    this.ticketWords = wordsAndPairs(ticket);
  }

  /** Successful answers, oldest first; of equal calls, the latest alone. */
  get outputs(): readonly Output[] {
    return this.#outputs;
  }

  /** A call was answered, or is taken for answered without a result (a dry run's write). */
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
      this.#readKeys.clear(); // A write that failed may have changed something all the same.
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

  /** What a reference finds in an answer, remembered until the next answer. */
  remembered(reference: string, output: Output, find: () => readonly Leaf[]): readonly Leaf[] {
    const key = `${reference}\n${output.key}`;
    const known = this.#found.get(key) ?? find();
    this.#found.set(key, known);
    return known;
  }

  /** Whether a call may not be made: a read made since the last write, a write made at all. */
  isBarred(tool: string, args: JsonObject): boolean {
    const key = callKey(tool, args);
    return this.#readKeys.has(key) || this.#writeKeys.has(key);
  }

  /** Whether this value was passed to a tool as this argument. */
  hasPassed(tool: string, arg: string, value: unknown): boolean {
    return this.#passed.get(`${tool} ${arg}`)?.has(JSON.stringify(value)) ?? false;
  }

  /** A tool's answers, those that hold a value the ticket gives first, then the newest first. */
  outputsOf(tool: string): Output[] {
    const newestFirst = this.#outputs.filter((output) => output.tool === tool).reverse();
    return [
      ...newestFirst.filter((output) => this.#holdsGiven(output)),
      ...newestFirst.filter((output) => !this.#holdsGiven(output)),
    ];
  }

  /**
   * Whether the ticket names a record: by a value that no other of its kind has there. Of a
   * whole result, the others are what the tool answered to other calls.
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
   * The leaves whose records the ticket describes: by the whole of one of their own short texts,
   * or by its last word ("the lamp" is the Desk Lamp). None when a word fits two of them, and
   * nothing more is said to tell them apart.
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
        // Of several lamps, the one that something else is said of; else which is meant is open.
        const family = [record, ...rivals];
        const told = family.filter((one) => this.#isToldApart(one, family));
        if (told.length === 0) return [];
        if (told.includes(record)) found.add(record);
      }
    }
    return leaves.filter(({ record }) => record !== undefined && found.has(record));
  }

  /** Whether the ticket names a record in an answer by its last word, and none in the others. */
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

  /** Whether the ticket has a value of a record that no other of its family has. */
  #isToldApart(record: DataRecord, family: readonly DataRecord[]): boolean {
    return [...record.fields].some(([field, leaf]) =>
      this.#mentions(leaf) &&
      family.every((other) => other === record || other.fields.get(field)?.text !== leaf.text)
    );
  }

  /** Whether the ticket has a text's last word. */
  #isNamed(text: string): boolean {
    const head = headOf(text);
    return head !== undefined && (this.words.hasWord(head) || this.words.hasWord(`${head}s`));
  }

  /** What the ticket wants in a value's place. */
  replacement(old: Leaf, leaves: readonly Leaf[], mayBe: readonly Leaf[]): Leaf | undefined {
    return replacementOf(old, leaves, mayBe, this.#ticketText ??= new TicketText(this.ticket));
  }

  /** How many words and pairs of words of the ticket are not familiar, and of nothing seen. */
  unfamiliar(familiar: ReadonlySet<string>): number {
    const seen = [Object.values(this.inputs).map(String), ...this.#outputs.map(textsOf)];
    return unfamiliarWords(this.ticketWords, familiar, seen);
  }

  /** How many records of a list the ticket names. */
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

/** The last word of a short text, as the singular; undefined when it is none or no word. */
function headOf(text: string): string | undefined {
  if (text.length > 40 || /\d/.test(text)) return undefined;
  const last = wordsOf(text).at(-1);
  if (last === undefined || last.length < 3) return undefined;
  return last.length > 4 && last.endsWith("s") ? last.slice(0, -1) : last;
}

/** Every value of an answer, as text; the same list each time. */
function textsOf(output: Output): readonly string[] {
  const known = TEXTS.get(output) ??
    [...output.result.leaves.values()].flatMap((list) => list.map(({ text }) => text));
  TEXTS.set(output, known);
  return known;
}

const TEXTS = new WeakMap<Output, readonly string[]>();
