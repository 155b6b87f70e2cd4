/**
 * The facts of one session: the tables that rules fill from results, the values
 * that results contain, and the conversation.
 *
 * Facts are added when an answer arrives, so a check costs the same in a long
 * session. A failed call adds none. Facts never cause a lookup.
 *
 * @module
 */

import { isObject, type JsonObject, jsonOrUndefined } from "../json/json.ts";
import { splitAppendix } from "./appendix.ts";
import type { FactTable, RuleSet, TableFill } from "./rules/compile_rules.ts";
import { Dialogue, type DialogueMessage, type LastExchange } from "./dialogue.ts";
import type { Names, ShownTexts } from "./rules/expressions.ts";

/** A call and its answer, from the agent or from a flow. */
export interface AnsweredCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly error: boolean;
  /** The answer's text. */
  readonly content: string;
  /** Why its arguments can be read in two ways; absent when they cannot. */
  readonly ambiguity?: string;
}

/** The most values kept per session. Past it, every text counts as shown. */
const MAX_VALUES = 500_000;

/** The most characters of results kept unparsed. */
const MAX_PENDING = 500_000;

/** The facts of one session. */
export class Facts implements ShownTexts {
  readonly #rules: RuleSet;
  readonly #tables = new Map<string, Map<string, unknown>>();
  /** Values of results, lower case. */
  readonly #values = new Set<string>();
  /** Results not parsed yet. They are parsed on the first question, since most sessions only read. */
  #pending: string[] = [];
  #pendingLength = 0;
  /** Tools whose answers fill or clear a table. */
  readonly #tools: ReadonlySet<string>;
  readonly #heard: string[] = [];
  readonly #dialogue = new Dialogue();
  #lastSaid = "";
  #proposal = "";
  #reply = "";
  /** Faults while facts were added, each text once. */
  readonly faults = new Set<string>();

  /**
   * Starts without facts.
   *
   * @param rules The rules whose tables are filled.
   */
  constructor(rules: RuleSet) {
    this.#rules = rules;
    for (const { name } of rules.tables) this.#tables.set(name, new Map());
    this.#tools = new Set(
      rules.tables.flatMap(({ fill, clear }) => [...fill.flatMap((f) => [...f.tools]), ...clear]),
    );
  }

  /** Adds a message of the customer. */
  heard(text: string): void {
    this.#heard.push(text.toLowerCase());
    this.#reply = text;
    this.#proposal = this.#lastSaid;
    this.#dialogue.heard(text);
  }

  /** Adds a message of the agent. */
  spoke(text: string): void {
    this.#lastSaid = text;
    this.#dialogue.spoke(text);
  }

  /** Adds an answered call, and the lookups that a flow appended to its answer. */
  answered(call: AnsweredCall): void {
    if (call.error) return;
    const { own, appended } = splitAppendix(call.content);
    this.#add({ ...call, content: own });
    for (const lookup of appended) this.#add({ ...lookup, error: false });
  }

  /**
   * Whether a result or a customer's message contains a text; true when values were dropped.
   * Results are kept for rules that ask this only.
   */
  shown(text: string): boolean {
    this.#takeValues();
    return this.#values.has(text.toLowerCase()) || this.said(text) ||
      this.#values.size >= MAX_VALUES;
  }

  /** Whether a customer's message contains a text. */
  said(text: string): boolean {
    const wanted = text.toLowerCase();
    return this.#heard.some((message) => message.includes(wanted));
  }

  /** Whether the customer has said something. */
  get hasHeard(): boolean {
    return this.#heard.length > 0;
  }

  /** The tables by name. */
  get tables(): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
    return this.#tables;
  }

  /** The names about the conversation that rules use. */
  conversation(): Names {
    return {
      heard: this.hasHeard,
      reply: this.#heard.at(-1) ?? "",
      proposal: this.#proposal,
    };
  }

  /** The customer's last message, and the agent's last message before it. */
  exchanged(): LastExchange {
    return { proposal: this.#proposal, reply: this.#reply };
  }

  /** The end of the conversation, up to the customer's last message. */
  dialogue(): readonly DialogueMessage[] {
    return this.#dialogue.heardSoFar();
  }

  #add(call: AnsweredCall): void {
    if (this.#rules.readsShown) this.#keep(call.content);
    if (!this.#tools.has(call.tool)) return;
    const result = parsedOrText(call.content);
    const names: Names = {
      tool: call.tool,
      args: call.arguments,
      result,
      text: call.content,
      it: null,
    };
    for (const [name, value] of this.#rules.constants) names[name] = value;
    for (const table of this.#rules.tables) {
      if (table.clear.has(call.tool)) this.#tables.get(table.name)?.clear();
      // It is not known which arguments the server read, so no table learns from the answer.
      if (call.ambiguity !== undefined) continue;
      for (const fill of table.fill) if (fill.tools.has(call.tool)) this.#fill(table, fill, names);
    }
  }

  /** Keeps a result. Past the limit the oldest are taken apart, so that no call waits for all. */
  #keep(content: string): void {
    if (this.#values.size >= MAX_VALUES) return;
    this.#pending.push(content);
    this.#pendingLength += content.length;
    while (this.#pendingLength > MAX_PENDING) this.#takeOldest();
  }

  /** Parses the pending results and keeps their values. */
  #takeValues(): void {
    while (this.#pending.length > 0) this.#takeOldest();
  }

  #takeOldest(): void {
    const content = this.#pending.shift() ?? "";
    this.#pendingLength -= content.length;
    if (this.#values.size >= MAX_VALUES) return;
    const result = parsedOrText(content);
    addValues(result, this.#values);
    if (typeof result === "string") addWords(result, this.#values);
  }

  #fill(table: FactTable, fill: TableFill, names: Names): void {
    const items = fill.each === undefined ? [null] : this.#run(table, fill.each, names);
    if (!Array.isArray(items)) return;
    for (const it of items) {
      const own = { ...names, it };
      const key = this.#run(table, fill.key, own);
      if (typeof key !== "string") continue;
      const rows = this.#tables.get(table.name);
      if (rows === undefined || (table.keepsFirst && rows.size > 0)) continue;
      const value = fill.value === undefined ? names.result : this.#run(table, fill.value, own);
      if (value !== undefined) rows.set(key, value);
    }
  }

  /** The value of an expression; undefined when the answer lacks what it reads. */
  #run(table: FactTable, expression: TableFill["key"], names: Names): unknown {
    const outcome = this.#rules.expressions.run(expression, names, this);
    if (outcome.kind === "fault") this.faults.add(`table "${table.name}": ${outcome.message}`);
    return outcome.kind === "value" ? outcome.value : undefined;
  }
}

/** Parses a result's text as JSON; returns the text itself when it is not JSON. */
export function parsedOrText(content: string): unknown {
  return /^\s*["[{]/.test(content) ? jsonOrUndefined(content) ?? content : content;
}

/** Adds the lines and words of a plain text, the only units it has. */
function addWords(text: string, into: Set<string>): void {
  for (const line of text.toLowerCase().split("\n")) {
    into.add(line.trim());
    for (const word of line.split(/\s+/)) into.add(word.replace(/[.,;:!?]+$/, ""));
  }
}

/** Adds every text, number and key in a value. */
function addValues(value: unknown, into: Set<string>): void {
  // A stack, not recursion: results may be nested deeper than calls can be.
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" || typeof next === "number") into.add(String(next).toLowerCase());
    else if (Array.isArray(next)) { for (const item of next) rest.push(item); }
    else if (isObject(next)) {
      for (const [key, item] of Object.entries(next)) {
        into.add(key.toLowerCase());
        rest.push(item);
      }
    }
  }
}
