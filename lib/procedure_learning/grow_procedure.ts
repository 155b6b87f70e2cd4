/**
 * Grows a procedure of a given depth: a tree for each site, then a gate that removes
 * from each leaf the actions that failed in trials on the training tasks.
 *
 * @module
 */

import { parseAction } from "../procedure/action_text.ts";
import { referencesIn, START_SITE } from "../procedure/procedure.ts";
import type { FileNode, ProcedureFile } from "../procedure/procedure_schema.ts";
import { procedureOf } from "../procedure/read_procedure.ts";
import { collectDecisions, type DecisionSet } from "./decisions.ts";
import { familiarWords, vocabOf } from "./fair_features.ts";
import { growSite, STOP_ACTION } from "./grow_site.ts";
import { learnReads, type RankedActions } from "./learn_reads.ts";
import type { SolvedTask } from "./solved_task.ts";
import { MIN_TASKS } from "./action_templates.ts";
import { leafText, runTrial, type Trial, type TrialOptions } from "./trial.ts";

/** The largest share of trials in which a stop may come too early. */
const MAX_EARLY = 0.1;

/** Options for {@linkcode growProcedure}. */
export interface GrowOptions extends TrialOptions {
  readonly contracts: Readonly<Record<string, string>> | undefined;
  readonly sources: readonly string[];
  readonly inputs: ProcedureFile["inputs"];
}

/** The data that trees are grown from. */
export interface TrainingData {
  /** The reads of each site. */
  readonly reads: ReadonlyMap<string, RankedActions>;
  readonly decided: DecisionSet;
  readonly vocab: readonly string[];
  readonly familiar: readonly string[];
  readonly tasks: readonly SolvedTask[];
}

/**
 * Prepares the sessions of tasks for learning.
 *
 * @param tasks The tasks.
 * @param options The tools, and the source of answers.
 * @returns The training data.
 */
export function trainingData(tasks: readonly SolvedTask[], options: GrowOptions): TrainingData {
  const [vocab, familiar] = [vocabOf(tasks), familiarWords(tasks)];
  const reads = learnReads(tasks, options);
  const trees = Object.fromEntries(
    [...reads].filter(([, usual]) => usual.length > 0).map(([site, usual]) => [
      site,
      { calls: usual.map(([text, n]): [string, number] => [text, n]) },
    ]),
  );
  const data = { reads, decided: { decisions: [], actions: [] }, vocab, familiar, tasks };
  const reader = procedureOf(fileOf(trees, data, options), "the reads");
  return { ...data, decided: collectDecisions(reader, tasks, options) };
}

/**
 * Grows a procedure.
 *
 * @param training The training data.
 * @param choice The most questions on the way to a leaf, and the writes to leave out.
 * @param options The tools, contracts and inputs, and the source of answers.
 * @returns The file, without the actions that failed in trials.
 */
export function growProcedure(
  training: TrainingData,
  { depth, without }: { readonly depth: number; readonly without: readonly string[] },
  options: GrowOptions,
): ProcedureFile {
  const trees: Record<string, FileNode> = {};
  const { reads, decided } = training;
  for (
    const site of [...new Set([...reads.keys(), ...decided.decisions.map((d) => d.site)])].sort()
  ) {
    const here = decided.decisions.filter((decision) => decision.site === site);
    const actions = decided.actions.filter(({ tool }) => !without.includes(tool));
    const tree = growSite(here, actions, { depth, reads: reads.get(site) ?? [] });
    if (tree !== undefined) trees[site] = tree;
  }
  let file = fileOf(trees, training, options);
  for (let round = 0; round < 20; round++) {
    const procedure = procedureOf(file, "the procedure");
    const trials = training.tasks.map((task) => runTrial(procedure, task, options));
    const gated = gate(file, unprovenActions(trials));
    if (gated === undefined) break;
    file = gated;
  }
  return file;
}

function fileOf(
  trees: Record<string, FileNode>,
  { vocab, familiar, tasks }: TrainingData,
  { manifest, contracts, sources, inputs }: GrowOptions,
): ProcedureFile {
  const file: ProcedureFile = {
    hoist_procedure: 1,
    domain: manifest.domain,
    provenance: { sources: [...sources], training_tasks: tasks.length },
    symbolic: true,
    max_calls: 50,
    stop: STOP_ACTION,
    handoff_arguments: {},
    inputs,
    contracts: {},
    reads: Object.keys(manifest.tools).filter((tool) => manifest.tools[tool] === "read"),
    vocab: [...vocab],
    familiar: [...familiar],
    trees,
    fallback: { hand_back: "no session of the training tasks came to this point" },
    checks: [],
  };
  return tidy(file, contracts ?? {});
}

/** The leaf and action of everything that failed in trials or was not tried enough. */
function unprovenActions(trials: readonly Trial[]): Set<string> {
  const tally = new Map<string, { right: Set<string>; wrong: Set<string>; isStop: boolean }>();
  for (const { task, steps } of trials) {
    for (const { leaf, action, isRight } of steps) {
      const key = JSON.stringify([leaf, action]);
      const found = tally.get(key) ??
        { right: new Set(), wrong: new Set(), isStop: action === STOP_ACTION };
      tally.set(key, found);
      (isRight ? found.right : found.wrong).add(task);
    }
  }
  const unproven = new Set<string>();
  for (const [key, { right, wrong, isStop }] of tally) {
    const bound = isStop ? MAX_EARLY * (right.size + wrong.size) : 0;
    if (wrong.size > bound || right.size < MIN_TASKS) unproven.add(key);
  }
  return unproven;
}

/** Removes unproven actions from a file; undefined when it has none. */
function gate(file: ProcedureFile, unproven: ReadonlySet<string>): ProcedureFile | undefined {
  let hasChanged = false;
  const cut = (node: FileNode, site: string, path: readonly string[]): FileNode => {
    if ("feature" in node) {
      const { feature } = node;
      return {
        feature,
        yes: cut(node.yes, site, [...path, feature]),
        no: cut(node.no, site, [...path, `not ${feature}`]),
      };
    }
    if (!("calls" in node)) return node;
    const leaf = leafText({ site, path });
    const calls = node.calls.filter(([text]) => {
      const tool = text.replace(/\{[^]*$/, "");
      return !unproven.has(JSON.stringify([leaf, tool]));
    });
    if (calls.length === node.calls.length) return node;
    hasChanged = true;
    const hand_back = "what agents did here did not hold on every training task";
    return calls.length > 0 ? { calls, hand_back } : { hand_back };
  };
  const trees = Object.fromEntries(
    Object.entries(file.trees).map(([site, tree]) => [site, cut(tree, site, [])]),
  );
  return hasChanged ? tidy({ ...file, trees }, file.contracts) : undefined;
}

/**
 * Removes what no run can reach: trees of tools that are never called, and actions that take a
 * value from such a tool. Keeps the contracts of the called tools only.
 */
function tidy(file: ProcedureFile, contracts: Readonly<Record<string, string>>): ProcedureFile {
  let trees = file.trees;
  for (let before = ""; before !== JSON.stringify(trees);) {
    before = JSON.stringify(trees);
    const called = new Set(Object.values(trees).flatMap((tree) => [...toolsIn(tree)]));
    trees = Object.fromEntries(
      Object.entries(trees)
        .filter(([site]) => site === START_SITE || called.has(site.replace(/!$/, "")))
        .map(([site, tree]) => [site, withoutOrphans(tree, called)]),
    );
  }
  const called = new Set(Object.values(trees).flatMap((tree) => [...toolsIn(tree)]));
  const known = Object.entries(contracts).filter(([tool]) => called.has(tool));
  return { ...file, trees, contracts: Object.fromEntries(known) };
}

/** Removes actions that take a value from a tool that is never called. */
function withoutOrphans(node: FileNode, called: ReadonlySet<string>): FileNode {
  if ("feature" in node) {
    const [yes, no] = [withoutOrphans(node.yes, called), withoutOrphans(node.no, called)];
    return { ...node, yes, no };
  }
  if (!("calls" in node)) return node;
  const calls = node.calls.filter(([text]) => {
    const args = Object.values(parseAction(text, true).arguments ?? {});
    return [...referencesIn(args)].every((r) => r.kind !== "result" || called.has(r.tool));
  });
  if (calls.length === node.calls.length) return node;
  const hand_back = node.hand_back ?? "nothing that sessions did here can be done";
  return calls.length > 0 ? { calls, hand_back } : { hand_back };
}

function* toolsIn(node: FileNode): Generator<string> {
  if ("feature" in node) {
    yield* toolsIn(node.yes);
    yield* toolsIn(node.no);
  } else if ("calls" in node) {
    for (const [text] of node.calls) if (text !== STOP_ACTION) yield text.replace(/\{[^]*$/, "");
  }
}
