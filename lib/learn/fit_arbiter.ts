/**
 * Fits the arbiter on an oracle's answers: five fits, each without the decisions of
 * one fold of tasks, so that a task is always judged by a fit that never saw it; or
 * one fit on all of them, for tasks that none of them is.
 *
 * @module
 */

import {
  type ArbiterJudgement,
  optionFeatures,
  pickOf,
  ratesAt,
} from "../flow/deciding/arbiter.ts";
import type { Arbiter, ArbiterFold, SiteRate } from "../flow/arbiter_file.ts";
import { judgementOf } from "../flow/deciding/flow_question.ts";
import { FOLDS } from "../flow/task_fold.ts";
import type { OracleResponse } from "../oracle/oracle.ts";
import type { ArbiterCase } from "./arbiter_cases.ts";
import { type ChoiceCase, fitChoice, logLikelihood } from "./regression/choice_model.ts";
import { sortedMap } from "./count/tally.ts";

/** What came of fitting. */
export interface FittedArbiter {
  readonly arbiter: Arbiter;
  /** Decisions with an answer. */
  readonly cases: number;
  /** Of them, those whose step was an option: they are what the weights are fitted on. */
  readonly covered: number;
  /** Mean log-probability of the agent's step, by the fit that did not see it. */
  readonly heldOut: number;
  /** The same by the habit alone. */
  readonly habitAlone: number;
}

/** What was asked, and what of it counts. */
export interface FitOptions extends Pick<Arbiter, "model" | "predicates" | "weighed"> {
  /**
   * Whether all folds get the one fit on all decisions. How well it does is still said of
   * the five.
   *
   * @default {false}
   */
  readonly isPooled?: boolean;
}

/** A decision with its answer. */
interface Answered {
  readonly fold: number;
  readonly judgement: ArbiterJudgement;
  readonly taken: number | undefined;
}

/**
 * Fits.
 *
 * @param cases The held-out decisions.
 * @param responseTo The answer to a decision's question; undefined when there is none.
 * @param options The model, the predicates asked, and those of them that are weighed.
 * @returns The arbiter and how well it does.
 * @throws {Error} When no decision has an answer.
 */
export function fitArbiter(
  cases: readonly ArbiterCase[],
  responseTo: (c: ArbiterCase) => OracleResponse | undefined,
  options: FitOptions,
): FittedArbiter {
  const { isPooled = false, ...asking } = options;
  const answered = cases.flatMap((c): Answered[] => {
    const response = responseTo(c);
    if (response === undefined) return [];
    return [{ fold: c.fold, taken: c.taken, judgement: judgementOf(c.question, response, c) }];
  });
  if (answered.length === 0) {
    throw new Error("Cannot fit the arbiter: no held-out decision has an answer");
  }
  const size = 5 + asking.weighed.length;
  const habitOnly = Array.from({ length: size }, (_, i) => i === 0 ? 1 : 0);
  let [heldOut, habitAlone, covered] = [0, 0, 0];
  const choicesOf = (list: readonly Answered[], rates: ArbiterFold["rates"]): ChoiceCase[] =>
    list.flatMap(({ judgement, taken }) => {
      if (taken === undefined) return [];
      const { reliability } = ratesAt({ rates }, judgement.site);
      return [{ rows: optionFeatures(judgement, asking.weighed, reliability), taken }];
    });
  const fitOf = (list: readonly Answered[]): ArbiterFold => {
    const rates = ratesOf(list);
    const training = choicesOf(list, rates);
    return { weights: training.length === 0 ? habitOnly : fitChoice(training, size), rates };
  };
  const folds = Array.from({ length: FOLDS }, (_, fold): ArbiterFold => {
    const fitted = fitOf(answered.filter((c) => c.fold !== fold));
    const { weights, rates } = fitted;
    const own = choicesOf(answered.filter((c) => c.fold === fold), rates);
    covered += own.length;
    heldOut += logLikelihood(own, weights);
    habitAlone += logLikelihood(own, habitOnly);
    return fitted;
  });
  const n = Math.max(1, covered);
  const pooled = isPooled ? fitOf(answered) : undefined;
  return {
    arbiter: { ...asking, folds: folds.map((fold) => pooled ?? fold) },
    cases: answered.length,
    covered,
    heldOut: heldOut / n,
    habitAlone: habitAlone / n,
  };
}

/** How often the oracle's pick was the agent's step, and how often that was an option. */
function ratesOf(cases: readonly Answered[]): ArbiterFold["rates"] {
  const sites = new Map<string, SiteRate>();
  let [n, agreed, covered] = [0, 0, 0];
  for (const { judgement, taken } of cases) {
    const isAgreed = taken === pickOf(judgement) ? 1 : 0;
    const isCovered = taken === undefined ? 0 : 1;
    const [a, b, c] = sites.get(judgement.site) ?? [0, 0, 0];
    sites.set(judgement.site, [a + 1, b + isAgreed, c + isCovered]);
    n++;
    agreed += isAgreed;
    covered += isCovered;
  }
  const share = (part: number) => n === 0 ? 0.5 : part / n;
  return { sites: sortedMap([...sites]), agree: share(agreed), cover: share(covered) };
}
