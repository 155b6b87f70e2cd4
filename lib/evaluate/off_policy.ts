/**
 * What another rule would have earned, estimated from decisions logged under one.
 *
 * Direct, importance weighted (IPS), self-normalised (SNIPS) and doubly robust (DR)
 * estimates, with their standard errors, the effective sample size, and the
 * lookups for which the log holds no support.
 *
 * @module
 */

import type { LabelledDecision } from "./labelled_line.ts";

/** What is estimated: of a lookup, all but `lookups` come from its label. */
export const METRICS = ["lookups", "used", "detours", "turns"] as const;

/** One of {@linkcode METRICS}. */
export type Metric = typeof METRICS[number];

/** A rule to evaluate. */
export interface TargetRule {
  readonly name: string;
  /** Whose probability: the logged decider's, or the habit's. */
  readonly decider: "logged" | "habit";
  readonly threshold: number;
}

/** An estimate and its standard error. */
export interface Estimate {
  readonly value: number;
  readonly error: number;
}

/** Estimates of one metric. */
export interface Estimates {
  readonly direct: number;
  readonly ips: Estimate;
  readonly snips: number;
  readonly dr: Estimate;
}

/** What a rule would have earned. */
export interface Evaluation {
  readonly decisions: number;
  readonly metrics: Readonly<Record<Metric, Estimates>>;
  /** (Σw)² / Σw² over decisions where the rule looks up. */
  readonly ess: number;
  /** Lookups of the rule's that the logging policy could not have made. */
  readonly unsupported: number;
}

/**
 * Evaluates a rule.
 *
 * @param decisions Logged decisions with labels.
 * @param rule The rule.
 * @param all Decisions that the reward model is learned from; by default the same.
 * @returns Estimates, as sums over the decisions.
 */
export function evaluateRule(
  decisions: readonly LabelledDecision[],
  rule: TargetRule,
  all: readonly LabelledDecision[] = decisions,
): Evaluation {
  const model = new RewardModel(all);
  const terms = decisions.flatMap((d) => term(d, rule));
  const weights = terms.map((t) => t.weight);
  const sum = weights.reduce((a, b) => a + b, 0);
  const squares = weights.reduce((a, b) => a + b * b, 0);
  const metrics = Object.fromEntries(METRICS.map((metric): [Metric, Estimates] => {
    const direct = terms.reduce((n, t) => n + rewardOf(t.decision, t.target, metric), 0);
    const ips = terms.map((t) => t.weight * rewardOf(t.decision, t.taken, metric));
    const dr = terms.map((t) => {
      const guess = model.guess(t.decision, t.target, metric);
      const taken = t.weight === 0
        ? 0
        : rewardOf(t.decision, t.taken, metric) - model.guess(t.decision, t.taken, metric);
      return guess + t.weight * taken;
    });
    const total = ips.reduce((a, b) => a + b, 0);
    const snips = sum === 0 ? 0 : terms.length * total / sum;
    return [metric, { direct, ips: summed(ips), snips, dr: summed(dr) }];
  })) as Record<Metric, Estimates>;
  return {
    decisions: decisions.length,
    metrics,
    ess: squares === 0 ? 0 : sum * sum / squares,
    unsupported: terms.filter((t) => t.isUnsupported).length,
  };
}

interface Term {
  readonly decision: LabelledDecision;
  /** Option the rule takes. */
  readonly target: number;
  /** Option that was taken; -1 for handing back. */
  readonly taken: number;
  readonly weight: number;
  readonly isUnsupported: boolean;
}

/** A decision where the rule looks up; handing back earns nothing and is left out. */
function term(decision: LabelledDecision, rule: TargetRule): Term[] {
  const { options, propensity, greedy } = decision.policy;
  const target = greedyOption(decision, rule);
  if (target < 0) return [];
  const taken = decision.action === "lookup"
    ? options.findIndex((o) => o.tool === decision.tool)
    : -1;
  const isTaken = target === taken;
  // A policy that never explores takes nothing but its greedy choice.
  const isUnsupported = !isTaken &&
    (propensity >= 1 || (options[target]?.tool !== greedy && options[target]?.p === 0));
  return [{
    decision,
    target,
    taken,
    weight: isTaken ? 1 / Math.max(propensity, 1e-12) : 0,
    isUnsupported,
  }];
}

function greedyOption({ policy }: LabelledDecision, { decider, threshold }: TargetRule): number {
  let best = -1;
  let most = 0;
  policy.options.forEach((option, i) => {
    const p = decider === "habit" ? option.habit ?? option.p : option.p;
    const worth = p * (option.binding ?? 0);
    if (worth > most) [best, most] = [i, worth];
  });
  return most >= threshold ? best : -1;
}

function rewardOf(decision: LabelledDecision, option: number, metric: Metric): number {
  const label = decision.labels[option];
  if (label === undefined) return 0;
  return metric === "lookups"
    ? 1
    : metric === "used"
    ? label.used
    : metric === "detours"
    ? label.detour
    : label.turn;
}

/** The mean label of a lookup at a site among those made, else anywhere, else the worst. */
class RewardModel {
  readonly #labels = new Map<string, number[][]>();

  constructor(decisions: readonly LabelledDecision[]) {
    for (const decision of decisions) {
      if (decision.action !== "lookup") continue;
      const taken = decision.policy.options.findIndex((o) => o.tool === decision.tool);
      const rewards = METRICS.map((metric) => rewardOf(decision, taken, metric));
      for (const key of [`${decision.site}\n${decision.tool}`, `\n${decision.tool}`]) {
        const list = this.#labels.get(key) ?? [];
        list.push(rewards);
        this.#labels.set(key, list);
      }
    }
  }

  guess(decision: LabelledDecision, option: number, metric: Metric): number {
    const tool = decision.policy.options[option]?.tool ?? "";
    const list = this.#labels.get(`${decision.site}\n${tool}`) ?? this.#labels.get(`\n${tool}`);
    const at = METRICS.indexOf(metric);
    if (list === undefined) return metric === "lookups" || metric === "detours" ? 1 : 0;
    return list.reduce((n, rewards) => n + (rewards[at] ?? 0), 0) / list.length;
  }
}

/** A sum and its standard error from the spread of its terms. */
function summed(terms: readonly number[]): Estimate {
  const n = terms.length;
  const value = terms.reduce((a, b) => a + b, 0);
  if (n < 2) return { value, error: 0 };
  const mean = value / n;
  const spread = terms.reduce((a, b) => a + (b - mean) ** 2, 0);
  return { value, error: Math.sqrt(spread * n / (n - 1)) };
}
