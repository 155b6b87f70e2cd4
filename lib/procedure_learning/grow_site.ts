/**
 * The tree of one site: look up what is left, then take the first action whose
 * own tree says that it was always right where it was tried, else hand back.
 *
 * Each action has a tree of its own, over the decisions at which it binds:
 * right where it is what the sessions wrote, wrong elsewhere. A leaf acts when
 * five tasks or more were right there and none was wrong. The rules make a list:
 * each is learned from the decisions that those before it leave open.
 *
 * @module
 */

import type { FileNode } from "../procedure/procedure_schema.ts";
import type { TestedAction, WriteDecision } from "./decisions.ts";
import { fairFeatures } from "./fair_features.ts";
import type { RankedActions } from "./learn_reads.ts";
import { type Example, growTree } from "./decision_tree.ts";

/** The action that ends a run. */
export const STOP_ACTION = "stop";

/** The share of its tasks in which a stop may come too early. */
const MAX_EARLY = 0.1;

/** Tasks in which a leaf has to have been right. */
const MIN_RIGHT = 5;

/** Tasks on each side of a question. */
const MIN_SIDE = 3;

/** How a site's tree is grown. */
export interface SiteOptions {
  readonly depth: number;
  readonly reads: RankedActions;
}

/** An action, and how its leaves fared. */
interface Rule {
  readonly text: string;
  readonly examples: readonly Example[];
  /** The share of wrong cases that a leaf may have. */
  readonly mayBeWrong: number;
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
  decisions: readonly WriteDecision[],
  actions: readonly TestedAction[],
  { depth, reads }: SiteOptions,
): FileNode | undefined {
  const lookups = reads.map(([text, n]): [string, number] => [text, n]);
  const nothing: FileNode = lookups.length === 0
    ? { hand_back: REASON }
    : { calls: lookups, hand_back: REASON };
  const isStop = ({ left, isHandedOn }: WriteDecision) => left.length === 0 && !isHandedOn;
  const isFair = fairFeatures(ruleOf(STOP_ACTION, decisions, isStop).examples);
  const grow = (rule: Rule): GrownRule => {
    const tree = growTree(rule.examples, {
      maxDepth: depth,
      minSide: MIN_SIDE,
      isFair,
      leaf: (counts) => acts(counts, rule) ? acting(rule, counts) : IDLE,
    });
    const tasks = rule.examples.filter(({ label, features }) =>
      label === "right" && isActing(tree, features)
    ).map(({ task }) => task);
    return { tree, rule, tasks: new Set(tasks).size };
  };
  // One rule after the other, that first which tells the most of what is left to tell.
  const grown: GrownRule[] = [];
  let open = decisions;
  for (let rest = actions;;) {
    const [best] = rest.map(({ text, isRight }) =>
      grow(ruleOf(text, open, (decision) => isRight.get(decision)))
    ).sort((a, b) => b.tasks - a.tasks || (a.rule.text < b.rule.text ? -1 : 1));
    if (best === undefined || best.tasks < MIN_RIGHT) break;
    grown.push(best);
    const action = rest.find(({ text }) => text === best.rule.text);
    rest = rest.filter((other) => other !== action);
    open = open.filter((decision) =>
      action?.isRight.get(decision) === undefined || !isActing(best.tree, decision.features)
    );
  }
  const stop = grow(ruleOf(STOP_ACTION, open, isStop, MAX_EARLY));
  if (stop.tasks >= MIN_RIGHT) grown.push(stop);
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
  /** Tasks in which it acts, and is right. */
  readonly tasks: number;
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
  decisions: readonly WriteDecision[],
  isRight: (decision: WriteDecision) => boolean | undefined,
  mayBeWrong = 0,
): Rule {
  const examples: Example[] = [];
  for (const decision of decisions) {
    const right = isRight(decision);
    if (right === undefined) continue;
    const { features, task } = decision;
    examples.push({ features, label: right ? "right" : "wrong", task: task.id });
  }
  return { text, examples, mayBeWrong };
}

function acts(counts: ReadonlyMap<string, number>, { mayBeWrong }: Rule): boolean {
  const right = counts.get("right") ?? 0;
  const wrong = counts.get("wrong") ?? 0;
  return right > MIN_RIGHT - 0.01 && wrong <= mayBeWrong * (right + wrong) + 1e-9;
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

/** Without questions whose answers lead to the same, or that were answered on the way. */
function simple(node: FileNode, answers: ReadonlyMap<string, boolean> = new Map()): FileNode {
  if (!("feature" in node)) return node;
  const { feature } = node;
  const answer = answers.get(feature);
  if (answer !== undefined) return simple(answer ? node.yes : node.no, answers);
  const yes = simple(node.yes, new Map([...answers, [feature, true]]));
  const no = simple(node.no, new Map([...answers, [feature, false]]));
  return JSON.stringify(yes) === JSON.stringify(no) ? yes : { feature, yes, no };
}
