/**
 * Picks the threshold of a flow by cross-validation over tasks: five flows, each
 * learned without a fifth of the tasks and replayed on that fifth.
 *
 * The worth of a threshold is the turns it saves, less what its detours cost.
 *
 * @module
 */

import { FlowDecider } from "../flow/deciding/decider.ts";
import { recordedAnswers } from "../replay/recorded.ts";
import { replayEpisode } from "../replay/replay_episode.ts";
import { type EpisodeSource, only } from "./episode_source.ts";
import { FOLDS, foldsOf } from "./count/folds.ts";
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

/** Tried. Below the least a flow acts on a guess, above the most hardly ever. */
const GRID = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/** With fewer tasks five folds say nothing. */
export const FEW_TASKS = 10;
/** The threshold of a flow that is learned from fewer. */
export const FEW_TASKS_THRESHOLD = 0.3;
/** Share of the best worth that a threshold must keep to be stored. */
const KEPT_WORTH = 0.92;

/**
 * Tries thresholds on held-out tasks.
 *
 * @param source The training episodes.
 * @param options As for learning, and what a detour costs.
 * @returns The trials by threshold; empty with fewer than ten tasks, which tell nothing apart.
 */
export async function tryThresholds(
  source: EpisodeSource,
  options: PickOptions,
): Promise<ThresholdTrial[]> {
  const { detourCost = DETOUR_COST, answerer = recordedAnswers } = options;
  const tasks = new Set<string>();
  for await (const episode of source.each()) tasks.add(episode.task_id);
  if (tasks.size < FEW_TASKS) return [];
  const folds = foldsOf(tasks);
  const sums = GRID.map((threshold) => ({ threshold, saved: 0, detours: 0 }));
  for (let fold = 0; fold < Math.min(FOLDS, tasks.size); fold++) {
    options.onFold?.(fold);
    // One round of weights is enough to tell thresholds apart, and takes half the time.
    const rounds = Math.min(1, options.rounds ?? 1);
    const rest = only(source, (c) => folds.get(c.task_id) !== fold);
    const flow = await learnFlow(rest, { ...options, rounds });
    const decider = new FlowDecider(flow);
    for await (const episode of only(source, (c) => folds.get(c.task_id) === fold).each()) {
      for (const sum of sums) {
        const { read } = options;
        const limits = { threshold: sum.threshold };
        const done = replayEpisode(episode, { decider, limits, read, answerer });
        const detours = done.lookups.filter((l) => l.fate === "detour").length;
        sum.saved += done.saved;
        sum.detours += detours;
      }
    }
  }
  return sums.map((sum) => ({ ...sum, worth: sum.saved - detourCost * sum.detours }));
}

/**
 * The threshold to store: the highest that keeps nearly all of the best worth.
 *
 * Around the best the worth hardly changes, while detours go on falling; the one
 * that acts least is the safest for agents that no session shows.
 *
 * @param trials The trials, lowest threshold first.
 * @returns The threshold; 0.3 without trials. Where nothing is worth its detours, the highest.
 */
export function bestThreshold(trials: readonly ThresholdTrial[]): number {
  const best = Math.max(0, ...trials.map((trial) => trial.worth));
  return trials.findLast((trial) => trial.worth >= KEPT_WORTH * best)?.threshold ??
    trials.at(-1)?.threshold ?? FEW_TASKS_THRESHOLD;
}
