/**
 * The calls a lookup could be: its arguments bound to values the session showed.
 *
 * Several required arguments are bound together, from one record. Candidates
 * stand in the order in which they would be taken without any weights: what the
 * customer named, what the customer described, then the newest output first, in
 * list order. What was made already, and is not stale, is left out.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";
import { callKey } from "../state/call_key.ts";
import {
  argKey,
  type Bindings,
  type RecordSource,
  requiredArgs,
  type ValueSource,
} from "../flow.ts";
import { type DataRecord, fieldOf, type Leaf } from "../state/output.ts";
import { isDescribed } from "./described.ts";
import type { FlowState, Output } from "../state/flow_state.ts";

/** The values that one output offers a lookup. */
export interface OfferList {
  /** Where they come from, `tool path`. */
  readonly source: string;
  readonly output: Output;
  /** Position of the output among all, newest 0. */
  readonly age: number;
  /** Distinct calls the list offers. */
  readonly size: number;
  /** How many of them were made. */
  readonly made: number;
  /** How many of them the customer named. */
  readonly named: number;
  /** How many of them the customer described. */
  readonly described: number;
}

/** A call a lookup could be. */
export interface Candidate {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly key: string;
  /** Its list; undefined for a lookup without arguments. */
  readonly list: OfferList | undefined;
  /** Position in the list. */
  readonly index: number;
  /** The record the values come from. */
  readonly record: DataRecord | undefined;
  /** Whether the customer named one of its values. */
  readonly isNamed: boolean;
  /** Whether the customer described its record. */
  readonly isDescribed: boolean;
}

/** Lists longer than this are offers of a catalogue, not records to read one by one. */
const MAX_LIST = 60;

/** A source counts when it was found twice and in a tenth of the cases. */
export function isUsual(found: number, of: number): boolean {
  return found >= 2 && found >= 0.1 * of;
}

/**
 * Finds what a lookup could be called with.
 *
 * @param bindings What learning counted.
 * @param tool The lookup.
 * @param state The session so far.
 * @returns Candidates that were not made yet, the likeliest pick first.
 */
export function bindingCandidates(bindings: Bindings, tool: string, state: FlowState): Candidate[] {
  const required = requiredArgs(bindings, tool);
  const constants = constantsOf(bindings, tool);
  if (required.every((arg) => arg in constants)) {
    return bindings.args.has(tool) ? bare(tool, constants, state) : [];
  }
  const finder = new CandidateFinder(bindings, tool, state, constants);
  const records = bindings.records.get(tool);
  if (records !== undefined) {
    finder.search(records.found.map(fromRecords));
  }
  const [arg, ...rest] = required.filter((name) => !(name in constants));
  if (arg !== undefined && rest.length === 0) {
    const sources = bindings.sources.get(argKey(tool, arg));
    const usual = sources?.found.filter((s) => isUsual(s.found, sources.values)) ?? [];
    finder.search(usual.map((source) => fromValues(source, arg)));
  }
  return finder.sorted();
}

/** One way to read candidates off an output. */
interface Reader {
  readonly source: string;
  readonly tool: string;
  readonly isArguments: boolean;
  read(
    output: Output,
  ): { readonly leaves: Readonly<Record<string, Leaf>>; readonly record: DataRecord | undefined }[];
}

function fromValues(source: ValueSource, arg: string): Reader {
  const isArguments = source.path.startsWith("@");
  return {
    source: `${source.tool} ${source.path}`,
    tool: source.tool,
    isArguments,
    read: (output) =>
      (leavesOf(output, isArguments).get(source.path) ?? []).map((leaf) => ({
        leaves: { [arg]: leaf },
        record: leaf.record,
      })),
  };
}

function fromRecords(source: RecordSource): Reader {
  const isArguments = source.path.startsWith("@");
  return {
    source: `${source.tool} ${source.path}`,
    tool: source.tool,
    isArguments,
    read: (output) =>
      ((isArguments ? output.given : output.result).records.get(source.path) ?? []).flatMap(
        (record) => {
          const leaves: Record<string, Leaf> = {};
          for (const [arg, field] of Object.entries(source.fields)) {
            const leaf = fieldOf(record, field);
            if (leaf === undefined) return [];
            leaves[arg] = leaf;
          }
          return [{ leaves, record }];
        },
      ),
  };
}

function leavesOf(output: Output, isArguments: boolean): ReadonlyMap<string, readonly Leaf[]> {
  return (isArguments ? output.given : output.result).leaves;
}

class CandidateFinder {
  readonly #found = new Map<string, Candidate>();

  constructor(
    readonly bindings: Bindings,
    readonly tool: string,
    readonly state: FlowState,
    readonly constants: JsonObject,
  ) {}

  search(readers: readonly Reader[]): void {
    const { outputs } = this.state;
    for (let i = outputs.length - 1; i >= 0; i--) {
      const output = outputs[i];
      if (output === undefined) continue;
      for (const reader of readers) {
        if (reader.tool === output.tool) this.#take(reader, output, outputs.length - 1 - i);
      }
    }
  }

  /** Named first, then described; else as found. */
  sorted(): Candidate[] {
    const rank = (c: Candidate) => c.isNamed ? 0 : c.isDescribed ? 1 : 2;
    return [...this.#found.values()].sort((a, b) => rank(a) - rank(b));
  }

  #take(reader: Reader, output: Output, age: number): void {
    const { words } = this.state;
    const offers = reader.read(output).slice(0, MAX_LIST).map(({ leaves, record }, index) => {
      const args: Record<string, unknown> = { ...this.constants };
      let isNamed = false;
      for (const [arg, leaf] of Object.entries(leaves)) {
        args[arg] = this.bindings.asText.has(argKey(this.tool, arg)) ? leaf.text : leaf.json;
        isNamed ||= words.mentions(leaf.text);
      }
      const key = callKey(this.tool, args);
      const described = record !== undefined && isDescribed(record, output, words);
      return { args, key, isNamed, isDescribed: described, record, index };
    });
    const first = new Map(offers.toReversed().map((offer) => [offer.key, offer]));
    const distinct = offers.filter((offer) => first.get(offer.key) === offer);
    const list: OfferList = {
      source: reader.source,
      output,
      age,
      size: distinct.length,
      made: distinct.filter((o) => this.state.hasMade(o.key)).length,
      named: distinct.filter((o) => o.isNamed).length,
      described: distinct.filter((o) => o.isDescribed).length,
    };
    for (const { args, key, isNamed, isDescribed, record, index } of distinct) {
      if (this.#found.has(key) || this.state.hasMade(key)) continue;
      const tool = this.tool;
      this.#found.set(key, {
        tool,
        arguments: args,
        key,
        list,
        index,
        record,
        isNamed,
        isDescribed,
      });
    }
  }
}

function bare(tool: string, args: JsonObject, state: FlowState): Candidate[] {
  const key = callKey(tool, args);
  if (state.hasMade(key)) return [];
  const none = { list: undefined, index: 0, record: undefined, isNamed: false, isDescribed: false };
  return [{ tool, arguments: args, key, ...none }];
}

function constantsOf(bindings: Bindings, tool: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const arg of bindings.args.get(tool)?.passed.keys() ?? []) {
    const value = bindings.constants.get(argKey(tool, arg));
    if (value !== undefined) found[arg] = value;
  }
  return found;
}
