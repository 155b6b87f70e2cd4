/**
 * Computes the features of a run: the lower-case texts that a tree tests.
 *
 * Features of a tool's result hold kinds and counts, never an id or prose: short
 * fields without digits, lengths of lists, short lines.
 *
 * @module
 */

import type { Procedure } from "../procedure.ts";
import type { LastAnswer, RunState } from "./run_state.ts";

/** The longest value used; longer ones are prose. */
const MAX_VALUE = 40;

/** The most features per answer; a larger answer is a catalogue, not a state. */
const MAX_FEATURES = 400;

/**
 * Computes every feature that holds.
 *
 * @param state The state of the run.
 * @param words The ticket words that features may test, and the familiar words.
 * @returns The features.
 */
export function featuresOf(
  state: RunState,
  { vocab, familiar }: Pick<Procedure, "vocab" | "familiar">,
): Set<string> {
  const found = new Set<string>();
  for (const word of vocab) if (state.ticketWords.has(word)) found.add(`ticket: ${word}`);
  if (familiar.size > 0) found.add(`ticket:unfamiliar=${amount(state.unfamiliar(familiar))}`);
  for (const [name, value] of Object.entries(state.inputs)) {
    found.add(`input ${name}`.toLowerCase());
    const text = String(value).toLowerCase();
    if (isShort(text)) found.add(`input ${name}=${text}`.toLowerCase());
  }
  for (const text of state.madeWrites) found.add(`made ${text}`.toLowerCase());
  for (const [tool, answer] of state.last) {
    const known = FEATURES.get(answer) ??
      [...resultFeatures(tool, answer, state)].map((feature) => feature.toLowerCase());
    FEATURES.set(answer, known);
    for (const feature of known) found.add(feature);
  }
  return found;
}

/** The features of each answer, cached: an answer belongs to one run, whose ticket never changes. */
const FEATURES = new WeakMap<LastAnswer, readonly string[]>();

function* resultFeatures(tool: string, answer: LastAnswer, state: RunState): Generator<string> {
  yield `called ${tool}`;
  yield answer.error ? `${tool}:error` : `${tool}:error=false`;
  const { value, output } = answer;
  if (typeof value === "string") yield* lineFeatures(tool, value.split("\n"));
  if (output === undefined) return;
  const shown = output.result;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    yield* lineFeatures(tool, value);
  }
  let count = 0;
  for (const [path, leaves] of shown.leaves) {
    if (path.includes("[*]") || path.endsWith("~") || path === "$") continue;
    for (const { text } of leaves) {
      if (count++ > MAX_FEATURES) return;
      if (isShort(text)) yield `${tool}:${bare(path)}=${text}`;
    }
  }
  for (const [path, length] of shown.lengths) {
    yield `${tool}:len(${bare(path)})=${amount(length)}`;
  }
  for (const [path, records] of shown.records) {
    if (path === "$" || records.length > 60) continue;
    const list = bare(path).replace(/\[\*\]$/, "");
    const said = state.saidAmong(records, output);
    yield `${tool}:said(${list})=${amount(said)}`;
    if (said === records.length) yield `${tool}:said(${list})=all`;
    const leaves = records.flatMap((record) => {
      const leaf = record.fields.values().next().value;
      return leaf === undefined ? [] : [{ ...leaf, record }];
    });
    const described = state.described(leaves, output).length;
    yield `${tool}:described(${list})=${amount(described)}`;
    if (described === records.length) yield `${tool}:described(${list})=all`;
  }
}

function* lineFeatures(tool: string, lines: readonly string[]): Generator<string> {
  for (const line of lines.slice(0, MAX_FEATURES)) {
    const [, key, values] = /^\s*([^:|]{1,40}):\s+(\S.*)$/.exec(line) ?? [];
    if (key !== undefined && values !== undefined) {
      for (const value of values.split("|")) {
        if (isShort(value.trim())) yield `${tool}:${key.trim()}=${value.trim()}`;
      }
    } else if (isShort(line.trim())) yield `${tool}:says ${line.trim()}`;
  }
}

/** Whether a value may be a feature: short, without a digit, a line break or an @. */
function isShort(text: string): boolean {
  return text !== "" && text.length <= MAX_VALUE && !/[\d@\n]/.test(text);
}

function bare(path: string): string {
  return path === "$" ? "$" : path.replace(/^\$\.?/, "");
}

function amount(n: number): string {
  return n >= 2 ? "2+" : String(n);
}
