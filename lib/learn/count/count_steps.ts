/**
 * Steps into counts: the habit, the reach, and the weight of shorter histories.
 *
 * @module
 */

import { type Backoff, BackoffCounter, type Counts, keyOf } from "../../flow/backoff.ts";
import { symbolOfStep } from "../../flow/state/code_features.ts";
import type { FeatureMap, Habit } from "../../flow/flow.ts";
import type { Step } from "../../flow/state/flow_state.ts";
import { RESPOND, SESSION_START, type Vocabulary } from "../../flow/symbols.ts";
import type { Manifest } from "../../trace/manifest.ts";

/** What steps mean. */
export interface StepMeaning {
  readonly vocab: Vocabulary;
  readonly map: FeatureMap;
  readonly manifest: Manifest;
}

/** Longest history. */
const ORDER = 2;
/** Weights of the shorter history that are tried. */
const GRID = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];

/** Habit and reach of some episodes. */
export interface StepCounts {
  readonly habit: Habit;
  readonly reach: Backoff;
}

/** Counts steps, an episode at a time. */
export class StepCounter {
  readonly #habit = new BackoffCounter(ORDER);
  readonly #reach = new BackoffCounter(ORDER);
  readonly #meaning: StepMeaning;
  readonly #scores = GRID.map(() => 0);

  /** Starts with nothing. */
  constructor(meaning: StepMeaning) {
    this.#meaning = meaning;
  }

  /** Counts an episode's steps, each with a weight. */
  add(steps: readonly Step[], weight = 1): void {
    for (const { history, action, reached } of walkSteps(steps, this.#meaning)) {
      this.#habit.add(history, [action], weight);
      this.#reach.add(history, reached, weight);
    }
  }

  /** Once all are counted: how well each alpha predicts this episode from the others. */
  score(steps: readonly Step[], weight = 1): void {
    const { size } = this.#meaning.vocab;
    const walked = walkSteps(steps, this.#meaning);
    const own = new BackoffCounter(ORDER);
    for (const { history, action } of walked) own.add(history, [action], weight);
    for (const { history, action } of walked) {
      const rest = Array.from({ length: ORDER + 1 }, (_, j) => {
        const key = keyOf(history, j);
        return restOf(this.#habit.levels[j]?.get(key), own.levels[j]?.get(key), action);
      });
      GRID.forEach((alpha, i) => {
        let p = 1 / size;
        for (const { n, total } of rest) p = (n + alpha * p) / (total + alpha);
        this.#scores[i] = (this.#scores[i] ?? 0) + weight * Math.log(p);
      });
    }
  }

  /** Habit and reach, with the likeliest weight of shorter histories or the one given. */
  done(given?: number): StepCounts {
    const best = this.#scores.reduce((a, s, i) => s > (this.#scores[a] ?? -Infinity) ? i : a, 0);
    const alpha = given ?? GRID[best] ?? 1;
    const { size } = this.#meaning.vocab;
    const base = this.#habit.done(alpha, size);
    // The group layer repeats the counts of the longest histories.
    const top = new Map<string, Counts>(base.levels[base.order] ?? []);
    return { habit: { base, beta: alpha, top }, reach: this.#reach.done(alpha, size) };
  }
}

interface WalkedStep {
  readonly history: readonly number[];
  readonly action: number;
  readonly reached: ReadonlySet<number>;
}

function walkSteps(steps: readonly Step[], meaning: StepMeaning): WalkedStep[] {
  const actions = steps.map((s) => s.tool === undefined ? RESPOND : meaning.vocab.actionOf(s.tool));
  const symbols = steps.map((step) => symbolOfStep(step, meaning));
  const reached: Set<number>[] = [];
  let ahead = new Set<number>();
  for (let i = steps.length - 1; i >= 0; i--) {
    const tool = steps[i]?.tool;
    // A write ends what came before it and counts for nothing itself.
    if (tool !== undefined && meaning.manifest.tools[tool] === "write") ahead = new Set();
    else ahead = new Set([...ahead, actions[i] ?? RESPOND]);
    reached[i] = tool !== undefined && meaning.manifest.tools[tool] === "write" ? new Set() : ahead;
  }
  return actions.map((action, i) => ({
    history: [symbols[i - 2] ?? SESSION_START, symbols[i - 1] ?? SESSION_START],
    action,
    reached: reached[i] ?? new Set(),
  }));
}

/** What is left of a history's counts without the episode's own. */
function restOf(
  all: Counts | undefined,
  own: Counts | undefined,
  action: number,
): { readonly n: number; readonly total: number } {
  // Weighed counts do not cancel out to the last bit.
  return {
    n: Math.max(0, (all?.by_action.get(action) ?? 0) - (own?.by_action.get(action) ?? 0)),
    total: Math.max(0, (all?.total ?? 0) - (own?.total ?? 0)),
  };
}
