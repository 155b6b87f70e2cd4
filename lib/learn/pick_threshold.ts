/**
 * Picks the threshold of a flow by cross-validation over tasks: five flows, each
 * learned without a fifth of the tasks and replayed on that fifth.
 *
 * The one that saves most is picked, each detour counted against the saved turns.
 *
 * @module
 */

import { FlowDecider } from "../flow/decider.ts";
import { assumedAnswers } from "../replay/recorded.ts";
import { replayEpisode } from "../replay/replay_episode.ts";
import { type CourseSource, only } from "./course_source.ts";
import { FOLDS, foldsOf } from "./folds.ts";
import { learnFlow, type LearnOptions } from "./learn_flow.ts";

/** What one threshold did on the held-out tasks. */
export interface ThresholdTrial {
  readonly threshold: number;
  readonly saved: number;
  readonly detours: number;
  /** Saved turns less the cost of detours. */
  readonly worth: number;
}

/** Options for {@linkcode pickThreshold}. */
export interface PickOptions extends LearnOptions {
  /** Saved turns that one detour costs. Default 0.43. */
  readonly detourCost?: number;
  /** Told before each fold. */
  readonly onFold?: (fold: number) => void;
}

/** What a detour costs, in saved turns: tokens that every later turn carries. */
export const DETOUR_COST = 0.43;

/** Tried, from 0.1 to 0.9. */
const GRID = Array.from({ length: 17 }, (_, i) => (i * 5 + 10) / 100);

/**
 * Tries thresholds on held-out tasks.
 *
 * @param source The training episodes.
 * @param options As for learning, and what a detour costs.
 * @returns The trials by threshold; empty with fewer than two tasks.
 */
export async function tryThresholds(
  source: CourseSource,
  options: PickOptions,
): Promise<ThresholdTrial[]> {
  const { detourCost = DETOUR_COST, answerer = assumedAnswers } = options;
  const tasks = new Set<string>();
  for await (const course of source.each()) tasks.add(course.taskId);
  if (tasks.size < 2) return [];
  const folds = foldsOf(tasks);
  const sums = GRID.map((threshold) => ({ threshold, saved: 0, detours: 0 }));
  for (let fold = 0; fold < Math.min(FOLDS, tasks.size); fold++) {
    options.onFold?.(fold);
    const flow = await learnFlow(only(source, (c) => folds.get(c.taskId) !== fold), options);
    const decider = new FlowDecider(flow);
    for await (const course of only(source, (c) => folds.get(c.taskId) === fold).each()) {
      for (const sum of sums) {
        const { read } = options;
        const limits = { threshold: sum.threshold };
        const done = replayEpisode(course, { decider, limits, read, answerer });
        sum.saved += done.saved;
        sum.detours += done.lookups.filter((l) => l.fate === "detour").length;
      }
    }
  }
  return sums.map((sum) => ({ ...sum, worth: sum.saved - detourCost * sum.detours }));
}

/**
 * The best of some trials: most worth; of equals the highest threshold, which acts least.
 *
 * @param trials The trials, lowest threshold first.
 * @returns The threshold; undefined without trials.
 */
export function bestThreshold(trials: readonly ThresholdTrial[]): number | undefined {
  let best: ThresholdTrial | undefined;
  for (const trial of trials) if (best === undefined || trial.worth >= best.worth) best = trial;
  return best?.threshold;
}
