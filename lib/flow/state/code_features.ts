/**
 * The code feature of a result: a number for the combination of a few of its
 * fields, so that what follows can depend on what came back.
 *
 * @module
 */

import type { FeatureField, FeatureMap } from "../flow.ts";
import type { Shown } from "./output.ts";
import type { Step } from "./flow_state.ts";
import { RESPOND, SESSION_START, symbolOf, type Vocabulary } from "../symbols.ts";

/**
 * The feature of a result.
 *
 * @param map Which fields count.
 * @param tool The tool.
 * @param result What it showed; undefined after a failed call.
 * @returns 1 to 63, or 0 for none.
 */
export function featureOf(map: FeatureMap, tool: string, result: Shown | undefined): number {
  const fields = map.fields[tool];
  if (fields === undefined || result === undefined) return 0;
  return map.ids.get(combinationKey(tool, fields.map((field) => fieldValue(field, result)))) ?? 0;
}

/** What a field says of a result: its scalar, or its length as 0, 1 or 2+. */
export function fieldValue(field: FeatureField, result: Shown): string {
  if ("Scalar" in field) return result.leaves.get(pathOf(field.Scalar))?.[0]?.text ?? "";
  const length = result.lengths.get(pathOf(field.Len));
  return length === undefined ? "" : length > 1 ? "2+" : String(length);
}

/** The key of a combination in {@linkcode FeatureMap.ids}. */
export function combinationKey(tool: string, values: readonly string[]): string {
  return JSON.stringify([tool, values]);
}

/**
 * The last symbols of a session.
 *
 * @param steps Its steps, oldest first; those still waiting do not count.
 * @param flow What the symbols mean.
 * @param order How many.
 * @returns Symbols, oldest first, padded at the front.
 */
export function historyOf(
  steps: readonly Step[],
  flow: { readonly vocab: Vocabulary; readonly map: FeatureMap },
  order: number,
): number[] {
  const symbols: number[] = [];
  for (let i = steps.length - 1; i >= 0 && symbols.length < order; i--) {
    const step = steps[i];
    if (step?.outcome === undefined) continue;
    symbols.unshift(symbolOfStep(step, flow));
  }
  while (symbols.length < order) symbols.unshift(SESSION_START);
  return symbols;
}

/** The symbol of an answered step. */
export function symbolOfStep(
  step: Step,
  flow: { readonly vocab: Vocabulary; readonly map: FeatureMap },
): number {
  const outcome = step.outcome ?? "ended";
  if (step.tool === undefined) return symbolOf(RESPOND, outcome, 0);
  return symbolOf(
    flow.vocab.actionOf(step.tool),
    outcome,
    featureOf(flow.map, step.tool, step.result),
  );
}

function pathOf(path: string): string {
  return path === "" ? "$" : `$.${path}`;
}
