/**
 * The arbiter: the habit's chances and an oracle's answers weighed into one
 * probability for each option of a decision.
 *
 * @module
 */

import type { Arbiter, ArbiterFold, Favors, Predicate, SiteRate } from "../arbiter_file.ts";

/** What is known of a decision: the habit's chances, and what the oracle said. */
export interface ArbiterJudgement {
  /** The site's name, failure and all. */
  readonly site: string;
  /** The tool that just returned. */
  readonly tool: string;
  /** The lookups that can be made. */
  readonly lookups: readonly string[];
  /** Each lookup's chance by habit; what is left is handing back. */
  readonly habit: readonly number[];
  /** Probabilities of the lookups, then of handing back: asked in one question. */
  readonly choice: readonly number[];
  /** The same, asked in two: whether there is a lookup, and which. */
  readonly split: readonly number[];
  /** Predicate to the probability of yes. */
  readonly predicates: ReadonlyMap<string, number>;
}

/** How many decisions of all sites a site's own rates are mixed with. */
const PRIOR_DECISIONS = 10;

/** Log-odds of a probability, kept finite. */
function odds(p: number): number {
  const q = clamp(p);
  return Math.log(q / (1 - q));
}

function clamp(p: number): number {
  return Math.min(1 - 1e-6, Math.max(1e-6, p));
}

/**
 * A site's reliability and coverage.
 *
 * @param fold The fold's rates.
 * @param site The site; one that was not seen has the rates of all.
 * @returns How often the oracle's pick was the agent's step, and how often that was an option.
 */
export function ratesAt(
  { rates }: Pick<ArbiterFold, "rates">,
  site: string,
): { reliability: number; coverage: number } {
  const [decisions, agreed, covered]: SiteRate = rates.sites.get(site) ?? [0, 0, 0];
  const n = decisions + PRIOR_DECISIONS;
  return {
    reliability: (agreed + PRIOR_DECISIONS * rates.agree) / n,
    coverage: (covered + PRIOR_DECISIONS * rates.cover) / n,
  };
}

/** The oracle's pick in the one-question choice: an index, the last for handing back. */
export function pickOf({ choice }: ArbiterJudgement): number {
  return choice.reduce((best, p, i) => p > (choice[best] ?? 0) ? i : best, 0);
}

/**
 * The features of a decision's options.
 *
 * @param judgement What is known.
 * @param weighed The predicates that count, in the order of their weights.
 * @param reliability The site's.
 * @returns A row for each lookup, and a last one for handing back.
 */
export function optionFeatures(
  judgement: ArbiterJudgement,
  weighed: readonly Predicate[],
  reliability: number,
): number[][] {
  const { lookups, habit, choice, split } = judgement;
  const left = 1 - habit.reduce((a, b) => a + b, 0);
  const pick = pickOf(judgement);
  return [...lookups, undefined].map((lookup, i) => [
    Math.log(clamp(lookup === undefined ? left : habit[i] ?? 0)),
    Math.log(clamp(choice[i] ?? 0)),
    Math.log(clamp(split[i] ?? 0)),
    lookup === undefined ? 1 : 0,
    ...weighed.map(({ id, favors }) =>
      isFavoured(favors, lookup, judgement.tool) ? odds(judgement.predicates.get(id) ?? 0.5) : 0
    ),
    i === pick ? odds(reliability) : 0,
  ]);
}

function isFavoured(favors: Favors, lookup: string | undefined, tool: string): boolean {
  if (favors === "hand_back") return lookup === undefined;
  if (lookup === undefined) return false;
  if (favors === "any_lookup") return true;
  return lookup === (favors === "same_lookup" ? tool : favors.lookup);
}

/** Probabilities in proportion to exp(weights · features), one a row. */
export function softmax(
  rows: readonly (readonly number[])[],
  weights: readonly number[],
): number[] {
  const scores = rows.map((row) => row.reduce((sum, x, i) => sum + x * (weights[i] ?? 0), 0));
  const most = Math.max(...scores);
  const exps = scores.map((score) => Math.exp(score - most));
  const sum = exps.reduce((a, b) => a + b, 0);
  return exps.map((e) => e / sum);
}

/**
 * The probability of each lookup. The agent's step may be none of the options, so
 * they are scaled by how often it was one here.
 *
 * @param arbiter Which predicates count.
 * @param fold The weights and rates that apply to the task.
 * @param judgement What is known.
 * @returns One a lookup, in their order.
 */
export function lookupChances(
  arbiter: Pick<Arbiter, "weighed">,
  fold: ArbiterFold,
  judgement: ArbiterJudgement,
): number[] {
  const { reliability, coverage } = ratesAt(fold, judgement.site);
  const rows = optionFeatures(judgement, arbiter.weighed, reliability);
  return softmax(rows, fold.weights).slice(0, -1).map((p) => p * coverage);
}
