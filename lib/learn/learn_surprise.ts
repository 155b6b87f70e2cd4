/**
 * The threshold of the surprise gate: what the most surprising moment of an ordinary
 * session comes to, by a habit that did not learn from it.
 *
 * @module
 */

import type { SurpriseBar } from "../flow/flow.ts";
import { SurpriseMeter } from "../flow/deciding/surprise.ts";
import { walk } from "../replay/walk.ts";
import { type EpisodeSource, only } from "./episode_source.ts";
import { FOLDS, foldsOf } from "./count/folds.ts";
import { isSuccess, learnFlow, type LearnOptions } from "./learn_flow.ts";

/** Which threshold is wanted. */
export interface SurpriseWish {
  /** Share of the sessions that stay at or below it, 0 to 1. */
  readonly quantile: number;
  /** Steps that are looked at together. */
  readonly window: number;
}

/**
 * Learns the threshold: five habits, each without a fifth of the tasks, score the solved
 * sessions of that fifth.
 *
 * @param source The training episodes.
 * @param wish Quantile and window.
 * @param options As for learning.
 * @returns The gate.
 * @throws {Error} When no solved session has a window's steps.
 */
export async function learnSurprise(
  source: EpisodeSource,
  { quantile, window }: SurpriseWish,
  options: LearnOptions,
): Promise<SurpriseBar> {
  const tasks = new Set<string>();
  for await (const episode of source.each()) tasks.add(episode.task_id);
  const folds = foldsOf(tasks);
  const highest: number[] = [];
  for (let fold = 0; fold < Math.min(FOLDS, tasks.size); fold++) {
    const rest = only(source, ({ task_id: taskId }) => folds.get(taskId) !== fold);
    const flow = await learnFlow(rest, { ...options, rounds: 0 });
    for await (
      const episode of only(source, ({ task_id: taskId }) => folds.get(taskId) === fold).each()
    ) {
      if (!isSuccess(episode)) continue;
      const watch = new SurpriseMeter(flow, window);
      walk(episode, options.manifest, options.read, { watch });
      if (watch.highest !== undefined) highest.push(watch.highest);
    }
  }
  const threshold = quantileOf(highest, quantile);
  if (threshold === undefined) {
    throw new Error(
      `Cannot learn when a session surprises: no solved session has ${window} steps where the ` +
        "flow of other tasks decides; take a smaller --surprise-window",
    );
  }
  return { window, threshold, quantile };
}

/** The least of some values that so large a share of them does not exceed. */
export function quantileOf(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
