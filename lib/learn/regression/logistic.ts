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
  /** How much stronger it is for a feature; 1 by default. */
  readonly strictness?: (name: string) => number;
  /** A feature seen in fewer rows is left out. */
  readonly minRows: number;
}

const MAX_STEPS = 25;
/** Share of the loss below which a step's gain ends the search. */
const SMALL_GAIN = 1e-7;

/**
 * Fits weights.
 *
 * @param rows The observations.
 * @param options Penalty and least rows.
 * @returns Feature to weight, sorted by name; rounded to four digits.
 */
export function fitLogistic(rows: readonly Row[], options: LogisticOptions): Map<string, number> {
  const { minRows, strictness = () => 1 } = options;
  const names = featureNames(rows, minRows);
  const index = new Map(names.map((name, i) => [name, i]));
  const active = rows.map((row) =>
    Int32Array.from(row.names.flatMap((n) => index.get(n) ?? [])).sort()
  );
  const penalty = names.map((name) => options.penalty * strictness(name));
  const problem: Problem = { rows, active, penalty };
  let weights = new Float64Array(names.length);
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
    if (!(nextLoss < loss)) break;
    const gain = loss - nextLoss;
    weights = next;
    loss = nextLoss;
    // The error of a Newton step is the square of the last one's.
    if (gain < SMALL_GAIN * loss) break;
  }
  return new Map(
    names.map((name, i): [string, number] => [name, Math.round((weights[i] ?? 0) * 1e4) / 1e4])
      .filter(([, weight]) => weight !== 0),
  );
}

function featureNames(rows: readonly Row[], minRows: number): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const name of row.names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].filter(([, n]) => n >= minRows).map(([name]) => name).sort();
}

interface Problem {
  readonly rows: readonly Row[];
  /** The features of each row, by number, in order. */
  readonly active: readonly Int32Array[];
  /** By feature. */
  readonly penalty: readonly number[];
}

function lossOf({ rows, active, penalty }: Problem, weights: Float64Array): number {
  let loss = 0;
  rows.forEach((row, r) => {
    let odds = row.offset;
    for (const i of active[r] ?? []) odds += weights[i] ?? 0;
    const against = row.happened ? -odds : odds;
    loss += (row.weight ?? 1) * (against > 30 ? against : Math.log1p(Math.exp(against)));
  });
  weights.forEach((w, i) => loss += 0.5 * (penalty[i] ?? 0) * w ** 2);
  return loss;
}

function slope(
  { rows, active, penalty }: Problem,
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
    for (let a = 0; a < on.length; a++) {
      const i = on[a] ?? 0;
      gradient[i] = (gradient[i] ?? 0) + residual;
      for (let b = 0; b <= a; b++) {
        const at = i * n + (on[b] ?? 0);
        hessian[at] = (hessian[at] ?? 0) + curve;
      }
    }
  });
  for (let i = 0; i < n; i++) {
    const pull = penalty[i] ?? 0;
    gradient[i] = (gradient[i] ?? 0) - pull * (weights[i] ?? 0);
    hessian[i * n + i] = (hessian[i * n + i] ?? 0) + pull;
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
