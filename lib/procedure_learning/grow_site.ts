/**
 * Grows the tree of one site: make the reads, then take the first action whose rule
 * says that it was always right, else hand back.
 *
 * A rule is an action with a tree over the decisions where the action binds: right
 * where the sessions wrote the same, wrong elsewhere. A leaf acts when at least five
 * tasks were right there and none was wrong. The rules form a list; each is learned
 * from the decisions that the rules before it leave open.
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

/** The largest share of tasks in which a stop may come too early. */
const MAX_EARLY = 0.1;

/** The fewest tasks in which an acting leaf was right. */
const MIN_RIGHT = 5;

/** The fewest tasks on each side of a question. */
const MIN_SIDE = 3;

/** Options for {@linkcode growSite}. */
export interface SiteOptions {
  readonly depth: number;
  readonly reads: RankedActions;
}

/** An action, with the decisions where it binds. */
interface Rule {
  readonly text: string;
  readonly examples: readonly Example[];
  /** The largest share of wrong cases that a leaf may have. */
  readonly mayBeWrong: number;
}

/**
 * Grows the tree of a site.
 *
 * @param decisions The decisions at the site.
 * @param actions The writes to choose from.
 * @param options The depth, and the site's reads.
 * @returns The tree; undefined when there is nothing to do at the site.
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
  // Greedy: next the rule that is right in the most tasks left open.
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
  // Words that no training ticket had may mean an exception or a second request.
  return JSON.stringify(acted) === JSON.stringify(nothing) ? nothing : {
    feature: FAMILIAR,
    yes: acted,
    no: lookups.length === 0
      ? { hand_back: UNFAMILIAR }
      : { calls: lookups, hand_back: UNFAMILIAR },
  };
}

/** A rule with its tree, which says where it acts. */
interface GrownRule {
  readonly tree: FileNode;
  readonly rule: Rule;
  /** The number of tasks in which it acts and is right. */
  readonly tasks: number;
}

/** Holds when every word of the ticket is familiar. */
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

/** Puts a rule's tree in front of another: the rest follows where the rule does not act or bind. */
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

/** Removes questions whose two answers lead to the same, or that were asked above. */
function simple(node: FileNode, answers: ReadonlyMap<string, boolean> = new Map()): FileNode {
  if (!("feature" in node)) return node;
  const { feature } = node;
  const answer = answers.get(feature);
  if (answer !== undefined) return simple(answer ? node.yes : node.no, answers);
  const yes = simple(node.yes, new Map([...answers, [feature, true]]));
  const no = simple(node.no, new Map([...answers, [feature, false]]));
  return JSON.stringify(yes) === JSON.stringify(no) ? yes : { feature, yes, no };
}
