/**
 * Logistic regression on named features: each there or not, around a chance
 * known beforehand, shrunk towards it.
 *
 * The penalty makes a feature that was seen a few times shift nothing. Newton's
 * method, so the same rows give the same weights.
 *
 * @module
 */

/** One observation. */
export interface Row {
  /** Log-odds without any feature. */
  readonly offset: number;
  /** Features that are there. */
  readonly names: readonly string[];
  /** Whether it happened. */
  readonly happened: boolean;
  /** How much it counts; 1 by default. */
  readonly weight?: number;
}

/** Options for {@linkcode fitLogistic}. */
export interface LogisticOptions {
  /** Strength of the penalty. */
  readonly penalty: number;
  /** A feature seen in fewer rows is left out. */
  readonly minRows: number;
  /** Where a weight is shrunk to; 0 for a feature without one. */
  readonly prior?: ReadonlyMap<string, number>;
}

const MAX_STEPS = 25;

/**
 * Fits weights.
 *
 * @param rows The observations.
 * @param options Penalty, least rows and prior.
 * @returns Feature to weight, sorted by name; rounded to four digits.
 */
export function fitLogistic(rows: readonly Row[], options: LogisticOptions): Map<string, number> {
  const { prior = new Map<string, number>() } = options;
  const names = featureNames(rows, options.minRows, prior);
  const index = new Map(names.map((name, i) => [name, i]));
  const active = rows.map((row) => Int32Array.from(row.names.flatMap((n) => index.get(n) ?? [])));
  const centre = names.map((name) => prior.get(name) ?? 0);
  const problem: Problem = { rows, active, centre, penalty: options.penalty };
  let weights = Float64Array.from(centre);
  let loss = lossOf(problem, weights);
  for (let step = 0; step < MAX_STEPS && names.length > 0; step++) {
    const { gradient, hessian } = slope(problem, weights);
    const move = solve(hessian, gradient, names.length);
    // Far from the optimum a whole step may overshoot: halve it until it helps.
    let next = weights;
    let nextLoss = Infinity;
    for (let scale = 1; scale > 1e-4 && nextLoss > loss; scale /= 2) {
      next = weights.map((w, i) => w + scale * (move[i] ?? 0));
      nextLoss = lossOf(problem, next);
    }
    if (!(nextLoss < loss - 1e-7)) break;
    weights = next;
    loss = nextLoss;
  }
  return new Map(
    names.map((name, i): [string, number] => [name, Math.round((weights[i] ?? 0) * 1e4) / 1e4])
      .filter(([, weight]) => weight !== 0),
  );
}

function featureNames(
  rows: readonly Row[],
  minRows: number,
  prior: ReadonlyMap<string, number>,
): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const name of row.names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [
    ...new Set([...[...counts].filter(([, n]) => n >= minRows).map(([n]) => n), ...prior.keys()]),
  ].sort();
}

interface Problem {
  readonly rows: readonly Row[];
  /** The features of each row, by number. */
  readonly active: readonly Int32Array[];
  readonly centre: readonly number[];
  readonly penalty: number;
}

function lossOf({ rows, active, centre, penalty }: Problem, weights: Float64Array): number {
  let loss = 0;
  rows.forEach((row, r) => {
    let odds = row.offset;
    for (const i of active[r] ?? []) odds += weights[i] ?? 0;
    const against = row.happened ? -odds : odds;
    loss += (row.weight ?? 1) * (against > 30 ? against : Math.log1p(Math.exp(against)));
  });
  weights.forEach((w, i) => loss += 0.5 * penalty * (w - (centre[i] ?? 0)) ** 2);
  return loss;
}

function slope(
  { rows, active, centre, penalty }: Problem,
  weights: Float64Array,
): { gradient: Float64Array; hessian: Float64Array } {
  const n = weights.length;
  const gradient = new Float64Array(n);
  const hessian = new Float64Array(n * n);
  rows.forEach((row, r) => {
    const on = active[r] ?? new Int32Array();
    let odds = row.offset;
    for (const i of on) odds += weights[i] ?? 0;
    const p = 1 / (1 + Math.exp(-odds));
    const scale = row.weight ?? 1;
    const residual = scale * ((row.happened ? 1 : 0) - p);
    const curve = scale * Math.max(p * (1 - p), 1e-6);
    for (const i of on) {
      gradient[i] = (gradient[i] ?? 0) + residual;
      for (const j of on) if (j <= i) hessian[i * n + j] = (hessian[i * n + j] ?? 0) + curve;
    }
  });
  for (let i = 0; i < n; i++) {
    gradient[i] = (gradient[i] ?? 0) - penalty * ((weights[i] ?? 0) - (centre[i] ?? 0));
    hessian[i * n + i] = (hessian[i * n + i] ?? 0) + penalty;
  }
  return { gradient, hessian };
}

/** Solves H x = g by Cholesky; H is the lower half of a positive definite matrix. */
export function solve(h: Float64Array, g: Float64Array, n: number): Float64Array {
  const l = Float64Array.from(h);
  const at = (i: number, j: number) => l[i * n + j] ?? 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = at(i, j);
      for (let k = 0; k < j; k++) sum -= at(i, k) * at(j, k);
      l[i * n + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / at(j, j);
    }
  }
  const x = Float64Array.from(g);
  for (let i = 0; i < n; i++) {
    let sum = x[i] ?? 0;
    for (let k = 0; k < i; k++) sum -= at(i, k) * (x[k] ?? 0);
    x[i] = sum / at(i, i);
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i] ?? 0;
    for (let k = i + 1; k < n; k++) sum -= at(k, i) * (x[k] ?? 0);
    x[i] = sum / at(i, i);
  }
  return x;
}
