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

interface Weighed extends Example {
  readonly weight: number;
}

/**
 * Grows a tree.
 *
 * @param examples The examples of one site.
 * @param options How.
 * @returns The tree.
 */
export function growTree(examples: readonly Example[], options: TreeOptions): FileNode {
  const perTask = new Map<string, number>();
  for (const { task } of examples) perTask.set(task, (perTask.get(task) ?? 0) + 1);
  const weighed = examples.map((example) => ({
    ...example,
    weight: 1 / (perTask.get(example.task) ?? 1),
  }));
  return grow(weighed, questions(examples, options), options, options.maxDepth);
}

/** Features with enough tasks on each side; what has too few at the root has too few below it. */
function questions(examples: readonly Example[], { minSide, isFair }: TreeOptions): string[] {
  const yes = new Map<string, Set<string>>();
  const times = new Map<string, Map<string, number>>();
  const of = new Map<string, number>();
  for (const { features, task } of examples) {
    of.set(task, (of.get(task) ?? 0) + 1);
    for (const feature of features) {
      const tasks = yes.get(feature) ?? new Set();
      yes.set(feature, tasks.add(task));
      const counts = times.get(feature) ?? new Map<string, number>();
      times.set(feature, counts.set(task, (counts.get(task) ?? 0) + 1));
    }
  }
  return [...yes].filter(([feature, tasks]) => {
    if (tasks.size < minSide || !isFair(feature)) return false;
    let no = of.size - tasks.size;
    for (const [task, n] of times.get(feature) ?? []) if (n < (of.get(task) ?? 0)) no++;
    return no >= minSide;
  }).map(([feature]) => feature).sort();
}

function grow(
  examples: readonly Weighed[],
  features: readonly string[],
  options: TreeOptions,
  depth: number,
): FileNode {
  const counts = countsOf(examples);
  const before = entropy(counts);
  if (depth === 0 || before === 0) return options.leaf(counts);
  let best: { feature: string; gain: number } | undefined;
  for (const feature of features) {
    const yes = examples.filter((example) => example.features.has(feature));
    const no = examples.filter((example) => !example.features.has(feature));
    if (tasksOf(yes) < options.minSide || tasksOf(no) < options.minSide) continue;
    const gain = before - after(yes, no);
    if (gain > (best?.gain ?? 0) + 1e-9) best = { feature, gain };
  }
  if (best === undefined) return options.leaf(counts);
  const { feature } = best;
  const side = (holds: boolean) =>
    grow(
      examples.filter((example) => example.features.has(feature) === holds),
      features,
      options,
      depth - 1,
    );
  return { feature, yes: side(true), no: side(false) };
}

function countsOf(examples: readonly Weighed[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { label, weight } of examples) counts.set(label, (counts.get(label) ?? 0) + weight);
  return counts;
}

function tasksOf(examples: readonly Weighed[]): number {
  return new Set(examples.map(({ task }) => task)).size;
}

function after(yes: readonly Weighed[], no: readonly Weighed[]): number {
  const total = weightOf(yes) + weightOf(no);
  return [yes, no].reduce(
    (sum, side) => sum + weightOf(side) / total * entropy(countsOf(side)),
    0,
  );
}

function weightOf(examples: readonly Weighed[]): number {
  return examples.reduce((sum, { weight }) => sum + weight, 0);
}

/** Bits. */
function entropy(counts: ReadonlyMap<string, number>): number {
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  let bits = 0;
  for (const n of counts.values()) if (n > 0) bits -= n / total * Math.log2(n / total);
  return bits;
}
