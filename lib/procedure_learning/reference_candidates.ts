/**
 * Lists the references that could have produced an argument of a recorded call:
 * one for every place in the run's state that holds its value.
 *
 * @module
 */

import type { Leaf } from "../flow/state/output.ts";
import type { Output } from "../flow/state/flow_state.ts";
import type { RunState } from "../procedure/run/run_state.ts";
import { patternOf } from "../procedure/ticket_pattern.ts";
import type { JsonObject } from "../json/json.ts";

/** A recorded call, from which an action is learned. */
export interface RecordedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly isWrite: boolean;
}

/** The candidates for an argument, each as the JSON text of a reference or of a literal. */
export function referenceCandidates(
  { arguments: args, isWrite }: RecordedCall,
  name: string,
  state: RunState,
): string[] {
  const value = args[name];
  if (Array.isArray(value)) {
    return [...listCandidates(value, state), ...replacements(args, name, state)];
  }
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
    return [JSON.stringify(value)];
  }
  const found = new Set<string>();
  for (const [name, input] of Object.entries(state.inputs)) {
    if (input === value) found.add(`@input.${name}`);
  }
  if (typeof value === "string" && value.length >= 4 && /\d/.test(value)) {
    const pattern = patternOf(value);
    if (state.ticket.includes(value)) found.add(`@ticket${pattern}`);
  }
  for (const { base, leaf } of places(state, value)) {
    for (const fields of fieldSelectors(leaf)) {
      if (!isWrite) found.add(base + fields);
      for (const ticket of ["", "?said", "?described"]) {
        found.add(`${base}${fields}${ticket}?only`);
      }
    }
  }
  const texts = [
    ...[...found].map((text) => JSON.stringify(text)),
    ...isWrite ? replacements(args, name, state) : [],
  ];
  // Only a lower-case word without digits may be a literal: never a name or an id.
  const isWord = typeof value === "boolean" ||
    (typeof value === "string" && /^[a-z][a-z _-]*$/.test(value));
  return isWord ? [...texts, JSON.stringify(value)] : texts;
}

function listCandidates(list: readonly unknown[], state: RunState): string[] {
  const [first] = list;
  if (typeof first !== "string") return [JSON.stringify(list)];
  const found = new Set<string>();
  for (const { base, leaf } of places(state, first)) {
    for (const fields of fieldSelectors(leaf)) {
      for (const ticket of ["", "?said", "?described"]) {
        found.add(`${base}${fields}${ticket}?only?all`);
      }
    }
  }
  return [...found].map((text) => JSON.stringify([text]));
}

/** References to a value in the same list as another argument's value, which it may replace. */
function replacements(args: JsonObject, name: string, state: RunState): string[] {
  const value = args[name];
  const [first] = Array.isArray(value) ? value : [value];
  if (typeof first !== "string") return [];
  const found: string[] = [];
  for (const { base, leaf, output } of places(state, first)) {
    const beside = output.result.leaves.get(leaf.path) ?? [];
    for (const [other, old] of Object.entries(args)) {
      const [replaced] = Array.isArray(old) ? old : [old];
      if (other === name || !beside.some(({ json }) => json === replaced)) continue;
      for (const fields of fieldSelectors(leaf)) {
        const text = `${base}${fields}?instead(${other})`;
        found.push(JSON.stringify(Array.isArray(value) ? [`${text}?all`] : text));
      }
    }
  }
  return found;
}

interface Place {
  readonly base: string;
  readonly leaf: Leaf;
  readonly output: Output;
}

/** The places that hold a value, the first of each path. */
function places(state: RunState, value: string | number | boolean): Place[] {
  const found = new Map<string, Place>();
  for (const output of [...state.outputs].reverse()) {
    for (const [path, leaves] of output.result.leaves) {
      const base = `@${output.tool}${path}`;
      if (found.has(base)) continue;
      const leaf = leaves.find(({ json }) => json === value);
      if (leaf !== undefined) found.set(base, { base, leaf, output });
    }
  }
  return [...found.values()];
}

/** No selector, or one for each short field that could identify the record. */
function fieldSelectors({ record }: Leaf): string[] {
  const found = [""];
  for (const [field, { json }] of record?.fields ?? []) {
    const isKind = typeof json === "boolean" ||
      (typeof json === "string" && /^[a-z][a-z _-]{1,20}$/.test(json));
    if (isKind && found.length < 5) found.push(`?${JSON.stringify({ [field]: json })}`);
  }
  return found;
}
