/**
 * The tree of one site: look up what is left, then take the first action whose
 * own tree says that it was always right where it was tried, else hand back.
 *
 * Each action has a tree of its own, over the decisions at which it binds:
 * right where it is what the sessions wrote, wrong elsewhere. A leaf acts when
 * three tasks or more were right there and none was wrong.
 *
 * @module
 */

import type { FileNode } from "../procedure/procedure_schema.ts";
import type { Decision, TriedAction } from "./decisions.ts";
import { fairFeatures } from "./fair_features.ts";
import type { Usual } from "./read_policy.ts";
import { MIN_TASKS } from "./templates.ts";
import { type Example, growTree } from "./tree.ts";

/** The action that ends a run. */
export const STOP = "stop";

/** The share of its tasks in which a stop may come too early. */
const MAX_EARLY = 0.1;

/** Tasks on each side of a question. */
const MIN_SIDE = 3;

/** How a site's tree is grown. */
export interface SiteOptions {
  readonly depth: number;
  readonly reads: Usual;
}

/** An action, and how its leaves fared. */
interface Rule {
  readonly text: string;
  readonly examples: readonly Example[];
  /** The share of wrong cases that a leaf may have. */
  readonly mayBeWrong: number;
  readonly rightTasks: number;
}

/**
 * Grows the tree of a site.
 *
 * @param decisions What was decided there.
 * @param actions Writes that may be the answer.
 * @param options How deep, and what is looked up.
 * @returns The tree; undefined when there is nothing to do there.
 */
export function growSite(
  decisions: readonly Decision[],
  actions: readonly TriedAction[],
  { depth, reads }: SiteOptions,
): FileNode | undefined {
  const lookups = reads.map(([text, n]): [string, number] => [text, n]);
  const writes = actions.map(({ text, isRight }) =>
    ruleOf(text, decisions, (decision) => isRight.get(decision))
  ).filter((rule) => rule.rightTasks >= MIN_TASKS)
    .sort((a, b) =>
      share(b) - share(a) || b.rightTasks - a.rightTasks || (a.text < b.text ? -1 : 1)
    );
  const stop = ruleOf(
    STOP,
    decisions,
    ({ left, isHandedOn }) => left.length === 0 && !isHandedOn,
    MAX_EARLY,
  );
  const isFair = fairFeatures(stop.examples); // A stop can be told at each decision.
  const nothing: FileNode = lookups.length === 0
    ? { hand_back: REASON }
    : { calls: lookups, hand_back: REASON };
  const grown: GrownRule[] = [];
  const told = new Set<string>();
  for (const rule of stop.rightTasks >= MIN_TASKS ? [...writes, stop] : writes) {
    const tree = growTree(rule.examples, {
      maxDepth: depth,
      minSide: MIN_SIDE,
      isFair,
      leaf: (counts) => acts(counts, rule) ? acting(rule, counts) : IDLE,
    });
    const tasks = rule.examples.filter((e) => e.label === "right" && isActing(tree, e.features))
      .map(({ task }) => task);
    // A rule that tells what others tell already would only be one more way to be wrong.
    if (new Set(tasks.filter((task) => !told.has(task))).size < MIN_TASKS && rule !== stop) {
      continue;
    }
    if (rule !== stop) { for (const task of tasks) told.add(task); }
    grown.push({ tree, rule });
  }
  if (grown.length === 0) return lookups.length === 0 ? undefined : nothing;
  const acted = grown.toReversed().reduce<FileNode>(
    (rest, { tree }) => simple(inFront(tree, rest, lookups)),
    nothing,
  );
  // What a customer says in words that no ticket had may be an exception or a second wish.
  return JSON.stringify(acted) === JSON.stringify(nothing) ? nothing : {
    feature: FAMILIAR,
    yes: acted,
    no: lookups.length === 0
      ? { hand_back: UNFAMILIAR }
      : { calls: lookups, hand_back: UNFAMILIAR },
  };
}

/** A rule and the tree that says where it acts. */
interface GrownRule {
  readonly tree: FileNode;
  readonly rule: Rule;
}

/** Whether a ticket has no word that the training tickets had not. */
const FAMILIAR = "ticket:unfamiliar=0";
const UNFAMILIAR = "the ticket says something that the sessions' tickets did not say";

/** A leaf at which a rule does nothing. */
const IDLE: FileNode = { hand_back: "" };

function acting({ text }: Rule, counts: ReadonlyMap<string, number>): FileNode {
  return { calls: [[text, Math.round(counts.get("right") ?? 0)]] };
}

function isActing(tree: FileNode, features: ReadonlySet<string>): boolean {
  let node = tree;
  while ("feature" in node) node = features.has(node.feature) ? node.yes : node.no;
  return "calls" in node;
}

const REASON = "sessions decided here in ways that no rule tells";

function ruleOf(
  text: string,
  decisions: readonly Decision[],
  isRight: (decision: Decision) => boolean | undefined,
  mayBeWrong = 0,
): Rule {
  const examples: Example[] = [];
  const rightTasks = new Set<string>();
  for (const decision of decisions) {
    const right = isRight(decision);
    if (right === undefined) continue;
    if (right) rightTasks.add(decision.task.id);
    const { features, task } = decision;
    examples.push({ features, label: right ? "right" : "wrong", task: task.id });
  }
  return { text, examples, mayBeWrong, rightTasks: rightTasks.size };
}

function share({ examples }: Rule): number {
  return examples.filter(({ label }) => label === "right").length / examples.length;
}

function acts(counts: ReadonlyMap<string, number>, { mayBeWrong }: Rule): boolean {
  const right = counts.get("right") ?? 0;
  const wrong = counts.get("wrong") ?? 0;
  return right > MIN_TASKS - 0.01 && wrong <= mayBeWrong * (right + wrong) + 1e-9;
}

/** A rule's tree before what else is done: where it acts and does not bind, the rest follows. */
function inFront(
  tree: FileNode,
  rest: FileNode,
  lookups: readonly [string, number][],
): FileNode {
  if ("feature" in tree) {
    const { feature } = tree;
    return {
      feature,
      yes: inFront(tree.yes, rest, lookups),
      no: inFront(tree.no, rest, lookups),
    };
  }
  const call = "calls" in tree ? tree.calls[0] : undefined;
  return call === undefined ? rest : withCall(rest, call, lookups);
}

function withCall(
  rest: FileNode,
  call: [string, number],
  lookups: readonly [string, number][],
): FileNode {
  if ("feature" in rest) {
    const [yes, no] = [withCall(rest.yes, call, lookups), withCall(rest.no, call, lookups)];
    return { ...rest, yes, no };
  }
  const others = "calls" in rest
    ? rest.calls.filter(([text]) => !lookups.some(([lookup]) => lookup === text))
    : [];
  return { calls: [...lookups, call, ...others], hand_back: REASON };
}

/** Without questions whose answers lead to the same. */
function simple(node: FileNode): FileNode {
  if (!("feature" in node)) return node;
  const [yes, no] = [simple(node.yes), simple(node.no)];
  return JSON.stringify(yes) === JSON.stringify(no) ? yes : { ...node, yes, no };
}
