/**
 * Learns a procedure: grows it on the tasks it is given, to the depth that does
 * best on tasks held out, five folds by task, and tells how it did there.
 *
 * @module
 */

import { FOLDS, foldsOf } from "../learn/folds.ts";
import { procedureOf } from "../procedure/read_procedure.ts";
import type { ProcedureFile } from "../procedure/procedure_schema.ts";
import { groundsOf, groundsWithin, type GrowOptions, growProcedure } from "./grow_procedure.ts";
import type { SolvedTask } from "./task.ts";
import { type Trial, tryOn } from "./trial.ts";

/** The depths that are tried. */
const DEPTHS = [0, 1, 2, 3, 4, 6];

/** Resolved tasks that one wrong write costs: it is to happen in one of a hundred writes at most. */
export const WRONG_WRITE_COST = 100;

/** Of that, the part that a claim to be done too early costs. */
const EARLY_END = 0.05;

/** A depth, and trials on held-out tasks, each by a procedure that had not seen its task. */
export interface TriedDepth {
  readonly depth: number;
  readonly trials: readonly Trial[];
}

/** What was learned. */
export interface LearnedProcedure {
  readonly file: ProcedureFile;
  readonly depth: number;
  /** Every depth that was tried. */
  readonly tried: readonly TriedDepth[];
  /** The procedure of another depth, from all tasks. */
  grow(depth: number): ProcedureFile;
  /** Trials on tasks that were held out, each by a procedure that had not seen its task. */
  readonly heldOut: readonly Trial[];
}

/** Options for {@linkcode learnProcedure}. */
export interface LearnProcedureOptions extends GrowOptions {
  /**
   * Resolved tasks that one wrong write costs when the depth is picked.
   *
   * @default {100}
   */
  readonly wrongWriteCost?: number;
  /** Told how far it is. */
  readonly onStep?: (text: string) => void;
}

/**
 * Learns.
 *
 * @param tasks Tasks and the sessions that solved them.
 * @param options Tools, inputs, and who answers in trials.
 * @returns The procedure, and how its like did on held-out tasks.
 */
export function learnProcedure(
  tasks: readonly SolvedTask[],
  options: LearnProcedureOptions,
): LearnedProcedure {
  options.onStep?.("reading sessions");
  const grounds = groundsOf(tasks, options);
  const folds = foldsOf(tasks.map(({ id }) => id));
  const cost = options.wrongWriteCost ?? WRONG_WRITE_COST;
  const tried: TriedDepth[] = [];
  for (const depth of DEPTHS) {
    const trials: Trial[] = [];
    for (let fold = 0; fold < FOLDS; fold++) {
      options.onStep?.(`trying depth ${depth}, fold ${fold + 1} of ${FOLDS}`);
      const within = groundsWithin(grounds, (task) => folds.get(task) !== fold);
      const procedure = procedureOf(growProcedure(within, depth, options), "the procedure");
      for (const task of tasks) {
        if (folds.get(task.id) === fold) trials.push(tryOn(procedure, task, options));
      }
    }
    tried.push({ depth, trials });
  }
  const [best] = [...tried].sort((a, b) => scoreOf(b.trials, cost) - scoreOf(a.trials, cost));
  const { depth = 0, trials = [] } = best ?? {};
  const grow = (of: number) => growProcedure(grounds, of, options);
  return { file: grow(depth), depth, tried, heldOut: trials, grow };
}

function scoreOf(trials: readonly Trial[], cost: number): number {
  return trials.reduce((sum, { outcome, wrongWrites }) => {
    const isEarly = outcome === "wrong" && wrongWrites === 0;
    return sum + (outcome === "resolved" ? 1 : 0) -
      cost * (wrongWrites + (isEarly ? EARLY_END : 0));
  }, 0);
}
