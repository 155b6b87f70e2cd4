/**
 * Conditional logistic regression: which option of several was taken, from features
 * of the options, with weights that all decisions share.
 *
 * A penalty on standardised features and Newton's method, so that the same cases
 * give the same weights and few cases give small ones.
 *
 * @module
 */

import { softmax } from "../../flow/deciding/arbiter.ts";
import { solve } from "./logistic.ts";

/** A decision: the features of its options, and which was taken. */
export interface ChoiceCase {
  readonly rows: readonly (readonly number[])[];
  readonly taken: number;
}

const PENALTY = 1;
const MAX_STEPS = 100;
const SMALL_GRADIENT = 1e-8;

/**
 * Fits weights.
 *
 * @param cases The decisions.
 * @param size How many features an option has.
 * @returns A weight each, rounded to six digits; 0 for a feature that never differs.
 */
export function fitChoice(cases: readonly ChoiceCase[], size: number): number[] {
  const scales = scalesOf(cases, size);
  const scaled = cases.map(({ rows, taken }) => ({
    taken,
    rows: rows.map((row) => row.map((x, i) => x * (scales[i] ?? 0))),
  }));
  let weights: number[] = Array.from({ length: size }, () => 0);
  let value = worthOf(scaled, weights);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradient, hessian } = slope(scaled, weights);
    if (Math.hypot(...gradient) < SMALL_GRADIENT) break;
    const move = solve(hessian, gradient, size);
    let next = weights;
    let nextValue = -Infinity;
    for (let part = 1; part > 1e-6 && nextValue < value; part /= 2) {
      next = weights.map((w, i) => w + part * (move[i] ?? 0));
      nextValue = worthOf(scaled, next);
    }
    if (nextValue < value) break;
    [weights, value] = [next, nextValue];
  }
  // Adding 0 turns a negative zero into one that prints the same everywhere.
  return weights.map((w, i) => Math.round(w * (scales[i] ?? 0) * 1e6) / 1e6 + 0);
}

/**
 * How well weights tell what was taken.
 *
 * @param cases The decisions.
 * @param weights The weights.
 * @returns The sum of the logarithms of the probabilities of what was taken.
 */
export function logLikelihood(cases: readonly ChoiceCase[], weights: readonly number[]): number {
  return cases.reduce(
    (sum, { rows, taken }) => sum + Math.log(softmax(rows, weights)[taken] ?? 0),
    0,
  );
}

/** One over the standard deviation of each feature over all options. */
function scalesOf(cases: readonly ChoiceCase[], size: number): number[] {
  const rows = cases.flatMap((c) => c.rows);
  return Array.from({ length: size }, (_, i) => {
    const mean = rows.reduce((sum, row) => sum + (row[i] ?? 0), 0) / Math.max(1, rows.length);
    const spread = rows.reduce((sum, row) => sum + ((row[i] ?? 0) - mean) ** 2, 0);
    const deviation = Math.sqrt(spread / Math.max(1, rows.length));
    return deviation < 1e-9 ? 0 : 1 / deviation;
  });
}

function worthOf(cases: readonly ChoiceCase[], weights: readonly number[]): number {
  return logLikelihood(cases, weights) - PENALTY / 2 * weights.reduce((sum, w) => sum + w * w, 0);
}

function slope(
  cases: readonly ChoiceCase[],
  weights: readonly number[],
): { gradient: Float64Array; hessian: Float64Array } {
  const n = weights.length;
  const gradient = Float64Array.from(weights, (w) => -PENALTY * w);
  const hessian = new Float64Array(n * n);
  for (let i = 0; i < n; i++) hessian[i * n + i] = PENALTY;
  for (const { rows, taken } of cases) {
    const p = softmax(rows, weights);
    const mean = weights.map((_, i) =>
      rows.reduce((s, row, o) => s + (p[o] ?? 0) * (row[i] ?? 0), 0)
    );
    rows.forEach((row, o) => {
      const share = p[o] ?? 0;
      const surprise = (o === taken ? 1 : 0) - share;
      for (let i = 0; i < n; i++) {
        gradient[i] = (gradient[i] ?? 0) + surprise * (row[i] ?? 0);
        const away = share * ((row[i] ?? 0) - (mean[i] ?? 0));
        for (let j = 0; j <= i; j++) {
          const at = i * n + j;
          hessian[at] = (hessian[at] ?? 0) + away * ((row[j] ?? 0) - (mean[j] ?? 0));
        }
      }
    });
  }
  return { gradient, hessian };
}
