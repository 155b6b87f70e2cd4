/**
 * Grows decision trees with ID3 (J. R. Quinlan, Induction of Decision Trees, 1986)
 * over yes-or-no features: each node asks the question with the highest information
 * gain that leaves enough tasks on each side.
 *
 * Every task has the same weight, however many examples it has.
 *
 * @module
 */

import type { FileNode } from "../procedure/procedure_schema.ts";

/** The features of a decision, and its label. */
export interface Example {
  readonly features: ReadonlySet<string>;
  readonly label: string;
  readonly task: string;
}

/** Options for {@linkcode growTree}. */
export interface TreeOptions {
  readonly maxDepth: number;
  /** Whether the tree may test a feature. */
  readonly isFair: (feature: string) => boolean;
  /** The fewest tasks on each side of a question. */
  readonly minSide: number;
  /** Makes a leaf from the weight of each label. */
  readonly leaf: (counts: ReadonlyMap<string, number>) => FileNode;
}

/**
 * Grows a tree.
 *
 * @param examples The examples of one site.
 * @param options The limits, and the maker of leaves.
 * @returns The tree.
 */
export function growTree(examples: readonly Example[], options: TreeOptions): FileNode {
  return new Grower(examples, options).grow(examples.map((_, i) => i), options.maxDepth);
}

/** One side of a question: the weight of each label, and the number of tasks. */
interface Side {
  readonly weights: Float64Array;
  tasks: number;
}

/** Grows one tree. It holds the examples as numbers, since learning grows thousands of trees. */
class Grower {
  readonly #labels: readonly string[];
  readonly #labelOf: Int32Array;
  readonly #taskOf: Int32Array;
  readonly #weight: Float64Array;
  /** The features that may be tested, each with the examples it holds for. */
  readonly #questions: readonly (readonly [feature: string, holds: Uint8Array])[];
  /** The round in which a task was last counted, per task and side. */
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

  /** Grows the tree of a subset of the examples. */
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

  /** The features with enough tasks on each side; a feature with too few at the root has too few below. */
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

/** The entropy of a distribution, in bits. */
function entropy(weights: Float64Array): number {
  const total = sum(weights);
  let bits = 0;
  for (const n of weights) if (n > 0) bits -= n / total * Math.log2(n / total);
  return bits;
}
