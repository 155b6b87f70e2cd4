/**
 * Learns a procedure. Picks the depth that does best on held-out tasks, in five-fold
 * cross-validation by task, and grows the procedure from all tasks.
 *
 * @module
 */

import { FOLDS, foldsOf } from "../learn/count/folds.ts";
import { procedureOf } from "../procedure/read_procedure.ts";
import type { ProcedureFile } from "../procedure/procedure_schema.ts";
import {
  type GrowOptions,
  growProcedure,
  type TrainingData,
  trainingData,
} from "./grow_procedure.ts";
import { STOP_ACTION } from "./grow_site.ts";
import type { SolvedTask } from "./solved_task.ts";
import { runTrial, type Trial } from "./trial.ts";

/** The depths that are tried. */
const DEPTHS = [0, 1, 2, 3, 4, 6];

/** The number of resolved tasks that one wrong write outweighs: at most one write in a hundred may be wrong. */
export const WRONG_WRITE_COST = 100;

/** The share of that cost for a stop that comes too early. */
const EARLY_END = 0.05;

/** A depth, and its trials on held-out tasks. */
export interface TriedDepth {
  readonly depth: number;
  /** The writes left out, because too many of them were wrong on held-out tasks. */
  readonly without: readonly string[];
  readonly trials: readonly Trial[];
}

/** A learned procedure, and how it was chosen. */
export interface LearnedProcedure {
  readonly file: ProcedureFile;
  readonly depth: number;
  /** The writes left out, because too many of them were wrong on held-out tasks. */
  readonly without: readonly string[];
  /** Every depth that was tried. */
  readonly tried: readonly TriedDepth[];
  /** Grows the procedure of another depth from all tasks. */
  grow(depth: number, without: readonly string[]): ProcedureFile;
  /** Trials on held-out tasks, each by a procedure that had not seen its task. */
  readonly heldOut: readonly Trial[];
}

/** Options for {@linkcode learnProcedure}. */
export interface LearnProcedureOptions extends GrowOptions {
  /**
   * The number of resolved tasks that one wrong write outweighs when the depth is picked.
   *
   * @default {100}
   */
  readonly wrongWriteCost?: number;
  /** Called with the name of each step. */
  readonly onStep?: (text: string) => void;
}

/**
 * Learns a procedure.
 *
 * @param tasks The tasks, and the sessions that solved them.
 * @param options The tools and inputs, and the source of answers.
 * @returns The procedure, and its trials on held-out tasks.
 */
export function learnProcedure(
  tasks: readonly SolvedTask[],
  options: LearnProcedureOptions,
): LearnedProcedure {
  const folds = foldsOf(tasks.map(({ id }) => id));
  const cost = options.wrongWriteCost ?? WRONG_WRITE_COST;
  const parts: { readonly heldOut: readonly SolvedTask[]; readonly within: TrainingData }[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    options.onStep?.(`reading sessions, fold ${fold + 1} of ${FOLDS}`);
    const heldOut = tasks.filter(({ id }) => folds.get(id) === fold);
    const within = trainingData(tasks.filter(({ id }) => folds.get(id) !== fold), options);
    parts.push({ heldOut, within });
  }
  const tryDepth = (depth: number, without: readonly string[]): TriedDepth => {
    options.onStep?.(`trying depth ${depth}`);
    const trials = parts.flatMap(({ heldOut, within }) => {
      const file = growProcedure(within, { depth, without }, options);
      const procedure = procedureOf(file, "the procedure");
      return heldOut.map((task) => runTrial(procedure, task, options));
    });
    const worse = unreliable(trials, cost);
    // A kind of write that costs more than it brings is left out, and the rest is tried again.
    return worse.length === 0
      ? { depth, without, trials }
      : tryDepth(depth, [...without, ...worse].sort());
  };
  const tried = DEPTHS.map((depth) => tryDepth(depth, []));
  options.onStep?.("reading sessions");
  const training = trainingData(tasks, options);
  const [best] = [...tried].sort((a, b) => scoreOf(b.trials, cost) - scoreOf(a.trials, cost));
  const { depth = 0, without = [], trials = [] } = best ?? {};
  const grow = (of: number, leftOut: readonly string[]) =>
    growProcedure(training, { depth: of, without: leftOut }, options);
  return { file: grow(depth, without), depth, without, tried, heldOut: trials, grow };
}

/** The writes that cost more by being wrong than they bring by being right. */
function unreliable(trials: readonly Trial[], cost: number): string[] {
  const tally = new Map<string, { right: number; wrong: number }>();
  for (const { action, isRight } of trials.flatMap(({ steps }) => steps)) {
    if (action === STOP_ACTION) continue;
    const found = tally.get(action) ?? { right: 0, wrong: 0 };
    tally.set(action, found);
    found[isRight ? "right" : "wrong"]++;
  }
  return [...tally].filter(([, { right, wrong }]) => wrong * cost > right).map(([tool]) => tool);
}

function scoreOf(trials: readonly Trial[], cost: number): number {
  return trials.reduce((sum, { outcome, wrongWrites }) => {
    const isEarly = outcome === "wrong" && wrongWrites === 0;
    return sum + (outcome === "resolved" ? 1 : 0) -
      cost * (wrongWrites + (isEarly ? EARLY_END : 0));
  }, 0);
}
