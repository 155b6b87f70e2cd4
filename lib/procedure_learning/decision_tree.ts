/**
 * Decision trees over features: at each branch the question that tells most
 * about what comes next, asked only where enough tasks fall on each side.
 *
 * The method is ID3 (J. R. Quinlan, Induction of Decision Trees, 1986) with
 * yes-or-no questions. Every task weighs the same, however many sessions it has.
 *
 * @module
 */

import type { FileNode } from "../procedure/procedure_schema.ts";

/** What a run had seen, and what came next. */
export interface Example {
  readonly features: ReadonlySet<string>;
  readonly label: string;
  readonly task: string;
}

/** How to grow a tree. */
export interface TreeOptions {
  readonly maxDepth: number;
  /** Whether a question may be asked. */
  readonly isFair: (feature: string) => boolean;
  /** Fewer tasks on a side decide nothing. */
  readonly minSide: number;
  /** Makes a leaf of labels by weight. */
  readonly leaf: (counts: ReadonlyMap<string, number>) => FileNode;
}

/**
 * Grows a tree.
 *
 * @param examples The examples of one site.
 * @param options How.
 * @returns The tree.
 */
export function growTree(examples: readonly Example[], options: TreeOptions): FileNode {
  return new Grower(examples, options).grow(examples.map((_, i) => i), options.maxDepth);
}

/** A side of a question: the weight of each label, and how many tasks fall on it. */
interface Side {
  readonly weights: Float64Array;
  tasks: number;
}

/** Examples as numbers: learning grows thousands of trees. */
class Grower {
  readonly #labels: readonly string[];
  readonly #labelOf: Int32Array;
  readonly #taskOf: Int32Array;
  readonly #weight: Float64Array;
  /** Questions that may be asked, and which examples each holds of. */
  readonly #questions: readonly (readonly [feature: string, holds: Uint8Array])[];
  /** When a task was last seen, and on which side. */
  readonly #seen: Int32Array;
  #round = 0;

  constructor(examples: readonly Example[], readonly options: TreeOptions) {
    const labels = new Map<string, number>();
    const tasks = new Map<string, number>();
    const numberOf = (map: Map<string, number>, key: string) => {
      const number = map.get(key) ?? map.size;
      map.set(key, number);
      return number;
    };
    this.#labelOf = Int32Array.from(examples, ({ label }) => numberOf(labels, label));
    this.#taskOf = Int32Array.from(examples, ({ task }) => numberOf(tasks, task));
    this.#labels = [...labels.keys()];
    const perTask = new Float64Array(tasks.size);
    for (const task of this.#taskOf) perTask[task] = (perTask[task] ?? 0) + 1;
    this.#weight = Float64Array.from(this.#taskOf, (task) => 1 / (perTask[task] ?? 1));
    this.#seen = new Int32Array(tasks.size * 2);
    this.#questions = this.#fairQuestions(examples);
  }

  /** The tree of some of the examples. */
  grow(rows: readonly number[], depth: number): FileNode {
    const weights = new Float64Array(this.#labels.length);
    for (const row of rows) this.#add(weights, row);
    const before = entropy(weights);
    let best: (readonly [feature: string, holds: Uint8Array]) | undefined;
    let bestGain = 1e-9;
    for (const question of depth === 0 || before === 0 ? [] : this.#questions) {
      const [no, yes] = this.#split(rows, question[1]);
      if (no.tasks < this.options.minSide || yes.tasks < this.options.minSide) continue;
      const total = sum(no.weights) + sum(yes.weights);
      const after = [no, yes].reduce(
        (bits, side) => bits + sum(side.weights) / total * entropy(side.weights),
        0,
      );
      if (before - after > bestGain) [best, bestGain] = [question, before - after + 1e-9];
    }
    if (best === undefined) {
      return this.options.leaf(
        new Map(this.#labels.flatMap((label, i) => {
          const weight = weights[i] ?? 0;
          return weight > 0 ? [[label, weight]] : [];
        })),
      );
    }
    const [feature, holds] = best;
    return {
      feature,
      yes: this.grow(rows.filter((row) => holds[row] === 1), depth - 1),
      no: this.grow(rows.filter((row) => holds[row] !== 1), depth - 1),
    };
  }

  /** Features with enough tasks on each side; what has too few at the root has too few below it. */
  #fairQuestions(examples: readonly Example[]): (readonly [string, Uint8Array])[] {
    const all = new Map<string, Uint8Array>();
    examples.forEach(({ features }, row) => {
      for (const feature of features) {
        const holds = all.get(feature) ?? new Uint8Array(examples.length);
        all.set(feature, holds);
        holds[row] = 1;
      }
    });
    const rows = examples.map((_, i) => i);
    const { isFair, minSide } = this.options;
    return [...all].filter(([feature, holds]) => {
      const [no, yes] = this.#split(rows, holds);
      return no.tasks >= minSide && yes.tasks >= minSide && isFair(feature);
    }).sort(([a], [b]) => a < b ? -1 : 1);
  }

  #split(rows: readonly number[], holds: Uint8Array): [no: Side, yes: Side] {
    const sides: [Side, Side] = [
      { weights: new Float64Array(this.#labels.length), tasks: 0 },
      { weights: new Float64Array(this.#labels.length), tasks: 0 },
    ];
    this.#round++;
    for (const row of rows) {
      const at = holds[row] === 1 ? 1 : 0;
      const side = sides[at];
      this.#add(side.weights, row);
      const mark = (this.#taskOf[row] ?? 0) * 2 + at;
      if (this.#seen[mark] === this.#round) continue;
      this.#seen[mark] = this.#round;
      side.tasks++;
    }
    return sides;
  }

  #add(weights: Float64Array, row: number): void {
    const label = this.#labelOf[row] ?? 0;
    weights[label] = (weights[label] ?? 0) + (this.#weight[row] ?? 0);
  }
}

function sum(weights: Float64Array): number {
  let total = 0;
  for (const weight of weights) total += weight;
  return total;
}

/** Bits. */
function entropy(weights: Float64Array): number {
  const total = sum(weights);
  let bits = 0;
  for (const n of weights) if (n > 0) bits -= n / total * Math.log2(n / total);
  return bits;
}
