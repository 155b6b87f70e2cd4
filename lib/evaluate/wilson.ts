/**
 * The lower end of the Wilson interval of a share.
 *
 * @module
 */

/** 90 % two-sided. */
const WILSON_Z = 1.6449;

/**
 * The Wilson lower bound.
 *
 * @param right Successes.
 * @param tried Trials.
 * @param z Standard errors to go down.
 * @returns The bound; 0 without trials.
 */
export function wilsonLower(right: number, tried: number, z = WILSON_Z): number {
  return tried === 0 ? 0 : Math.max(0, wilson(right, tried, -z));
}

/** The Wilson upper bound; 1 without trials. */
export function wilsonUpper(right: number, tried: number, z = WILSON_Z): number {
  return tried === 0 ? 1 : Math.min(1, wilson(right, tried, z));
}

function wilson(right: number, n: number, z: number): number {
  const p = right / n;
  const middle = p + z * z / (2 * n);
  return (middle + z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n);
}
