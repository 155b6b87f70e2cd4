/**
 * Welch's interval for the difference of two means, and how many values a clear one needs.
 *
 * @module
 */

/** Values of one kind, summed up. */
export interface Sample {
  readonly n: number;
  readonly mean: number;
  /** The variance of the values; 0 for fewer than two. */
  readonly variance: number;
}

/** Fewer values a side say nothing of their spread. */
export const LEAST_VALUES = 3;

/** 95 % two-sided, and 80 % one-sided: the normal quantiles. */
const Z_INTERVAL = 1.959964;
const Z_POWER = 0.841621;

/** Sums values up. */
export function sampleOf(values: readonly number[]): Sample {
  const n = values.length;
  const mean = n === 0 ? 0 : values.reduce((a, b) => a + b, 0) / n;
  const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return { n, mean, variance: n < 2 ? 0 : squares / (n - 1) };
}

/**
 * The 95 % interval of `a.mean - b.mean`.
 *
 * @param a One sample.
 * @param b The other.
 * @returns Its ends; undefined with fewer than {@linkcode LEAST_VALUES} values on a side.
 */
export function differenceInterval(a: Sample, b: Sample): readonly [number, number] | undefined {
  if (a.n < LEAST_VALUES || b.n < LEAST_VALUES) return undefined;
  const [va, vb] = [a.variance / a.n, b.variance / b.n];
  const error = va + vb;
  const difference = a.mean - b.mean;
  if (error === 0) return [difference, difference];
  const freedom = error ** 2 / (va ** 2 / (a.n - 1) + vb ** 2 / (b.n - 1));
  const half = tQuantile(freedom) * Math.sqrt(error);
  return [difference - half, difference + half];
}

/**
 * How many values both sides need together, shared out as now, so that the interval excludes zero
 * four times in five, if difference and spread are as they were seen.
 *
 * @param a One sample.
 * @param b The other.
 * @returns The number; undefined when nothing can be said.
 */
export function valuesNeeded(a: Sample, b: Sample): number | undefined {
  const difference = a.mean - b.mean;
  if (a.n < LEAST_VALUES || b.n < LEAST_VALUES || difference === 0) return undefined;
  const all = a.n + b.n;
  const spread = a.variance * all / a.n + b.variance * all / b.n;
  return Math.ceil((Z_INTERVAL + Z_POWER) ** 2 * spread / difference ** 2);
}

/** The 97.5 % quantile of Student's t, by its series around the normal one. */
function tQuantile(freedom: number): number {
  const z = Z_INTERVAL;
  const v = freedom;
  return z + (z ** 3 + z) / (4 * v) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * v ** 4);
}
