/**
 * Bayesian online change-point detection (Adams & MacKay 2007) over sessions.
 *
 * Each session is a few scores. Within a run every score is Gaussian with unknown
 * mean and variance under a weak prior; with a small probability a session is an
 * outlier and hardly counts. The alarm value is the probability that the current
 * run began lately, after enough sessions, and has lasted a while.
 *
 * @module
 */

/** Options for {@linkcode changePoints}. */
export interface ChangePointOptions {
  /** Probability that a new run begins at a session. */
  readonly hazard: number;
  /** Sessions back that count as lately. */
  readonly window: number;
}

/** What is believed after one session. */
export interface Belief {
  /** Probability that the current run began lately. */
  readonly alarm: number;
  /** The likeliest length of a run that began lately; 0 when none may have. */
  readonly likeliest: number;
}

/** How strongly the prior holds: half a session's worth on the mean, weak on the variance. */
const KAPPA = 0.5;
const SHAPE = 1.5;
const OUTLIER = 0.05;
/** Least spread of a score, so that constant scores do not make any change a wonder. */
const MIN_SPREAD = 0.05;
/** Sessions before the change, and since it, that an alarm needs. */
const MIN_BEFORE = 10;
const MIN_SINCE = 3;
const LEAST = 1e-12;

/** Weighted count, mean and squared deviations of one score in one run. */
interface Sums {
  readonly n: number;
  readonly mean: number;
  readonly squares: number;
}

interface Prior {
  readonly mean: number;
  readonly scale: number;
}

/**
 * Follows sessions and looks for changes.
 *
 * @param scores The scores of each session, in order; every row has the same length.
 * @param options Hazard and window.
 * @returns What is believed after each session.
 */
export function changePoints(
  scores: readonly (readonly number[])[],
  { hazard, window }: ChangePointOptions,
): Belief[] {
  const width = scores[0]?.length ?? 0;
  const priors = Array.from({ length: width }, (_, i) => priorOf(scores.map((row) => row[i] ?? 0)));
  const empty: Sums[] = priors.map((prior) => ({ n: 0, mean: prior.mean, squares: 0 }));
  let runs: { p: number; sums: Sums[] }[] = [{ p: 1, sums: empty }];
  return scores.map((row, k) => {
    const outlier = product(row, empty, priors);
    const grown = runs.map(({ p, sums }) => {
      const fits = product(row, sums, priors);
      const chance = (1 - OUTLIER) * fits + OUTLIER * outlier;
      const share = (1 - OUTLIER) * fits / Math.max(chance, Number.MIN_VALUE);
      return {
        p: p * chance * (1 - hazard),
        born: p * hazard,
        sums: sums.map((s, i) => added(s, row[i] ?? 0, share)),
      };
    });
    const born = grown.reduce((n, run) => n + run.born, 0) * outlier;
    const fresh = { p: born, sums: empty.map((s, i) => added(s, row[i] ?? 0, 1 - OUTLIER)) };
    const all = [fresh, ...grown.map(({ p, sums }) => ({ p, sums }))];
    const total = all.reduce((n, run) => n + run.p, 0) || 1;
    runs = all.map(({ p, sums }) => ({ p: p / total < LEAST ? 0 : p / total, sums }));
    return belief(runs.map((run) => run.p), k + 1, window);
  });
}

/** Run i has lasted i + 1 sessions. */
function belief(runs: readonly number[], sessions: number, window: number): Belief {
  let alarm = 0;
  let likeliest = 0;
  let most = 0;
  runs.forEach((p, i) => {
    const since = i + 1;
    if (since < MIN_SINCE || since > window || sessions - since < MIN_BEFORE) return;
    alarm += p;
    if (p > most) [most, likeliest] = [p, since];
  });
  return { alarm, likeliest };
}

function product(row: readonly number[], sums: readonly Sums[], priors: readonly Prior[]): number {
  return row.reduce((density, x, i) => {
    const [s, prior] = [sums[i], priors[i]];
    return s === undefined || prior === undefined ? density : density * studentT(x, s, prior);
  }, 1);
}

function studentT(x: number, { n, mean, squares }: Sums, prior: Prior): number {
  const kappa = KAPPA + n;
  const centre = (KAPPA * prior.mean + n * mean) / kappa;
  const shape = SHAPE + n / 2;
  const b = SHAPE * prior.scale ** 2 + squares / 2 +
    KAPPA * n * (mean - prior.mean) ** 2 / (2 * kappa);
  const scale = Math.sqrt(b * (kappa + 1) / (shape * kappa));
  const freedom = 2 * shape;
  const t = (x - centre) / scale;
  const log = logGamma((freedom + 1) / 2) - logGamma(freedom / 2) -
    Math.log(Math.sqrt(freedom * Math.PI) * scale) -
    (freedom + 1) / 2 * Math.log1p(t * t / freedom);
  return Math.exp(log);
}

function added({ n, mean, squares }: Sums, x: number, weight: number): Sums {
  const total = n + weight;
  if (total <= 0) return { n, mean, squares };
  const delta = x - mean;
  const next = n === 0 ? x : mean + delta * weight / total;
  return { n: total, mean: next, squares: n === 0 ? 0 : squares + weight * delta * (x - next) };
}

/** Centred on the median; the scale from the differences between neighbours, which a shift hardly touches. */
function priorOf(values: readonly number[]): Prior {
  const differences = values.slice(1).map((v, i) => Math.abs(v - (values[i] ?? v)));
  return {
    mean: median(values),
    scale: Math.max(MIN_SPREAD, 1.4826 * median(differences) / Math.SQRT2),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle] ?? 0
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Stirling's series, good to 1e-10 for arguments above 0. */
function logGamma(x: number): number {
  if (x < 7) return logGamma(x + 1) - Math.log(x);
  const y = 1 / (x * x);
  return (x - 0.5) * Math.log(x) - x + 0.9189385332046727 +
    (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / x;
}
