/**
 * The types of a procedure: decision trees over the state of a run, whose leaves
 * name the next call. `read_procedure.ts` reads one from a file.
 *
 * @module
 */

import type { JsonObject } from "../json/json.ts";
import type { Reference } from "./reference.ts";

/** An input that a run takes besides the ticket. */
export interface ProcedureInput {
  readonly type: "string" | "number" | "boolean";
  /** The pattern that the whole text must match; see `ticket_pattern.ts`. */
  readonly pattern: string | undefined;
  readonly description: string;
  /** Whether a run may omit it. */
  readonly isOptional: boolean;
}

/** An argument: a value, a reference, or a list or object with references in it. */
export type Argument =
  | { readonly kind: "value"; readonly json: unknown }
  | { readonly kind: "reference"; readonly reference: Reference }
  | { readonly kind: "list"; readonly items: readonly Argument[] }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, Argument>> };

/** An action of a leaf: call a tool, or stop. */
export interface Action {
  /** The action as written in the file. */
  readonly text: string;
  readonly tool: string;
  /** Undefined when the file gives none; a hand-off then takes the procedure's `handoffArguments`. */
  readonly arguments: Readonly<Record<string, Argument>> | undefined;
}

/** A node of a tree. */
export type ProcedureNode =
  | {
    readonly kind: "split";
    readonly feature: string;
    readonly yes: ProcedureNode;
    readonly no: ProcedureNode;
  }
  | {
    readonly kind: "calls";
    /** Tried in this order; `count` is how often learning saw each. */
    readonly actions: readonly { readonly action: Action; readonly count: number }[];
    /** The reason to hand back when no action can be taken; undefined to give the reason each does not bind. */
    readonly otherwise: string | undefined;
  }
  | { readonly kind: "hand_back"; readonly reason: string };

/** An outcome that a ticket may state, and the read that checks it. */
export interface OutcomeCheck {
  readonly phrase: string;
  readonly probe: Action;
  readonly contains: readonly string[];
  readonly lacks: readonly string[];
}

/** A procedure. */
export interface Procedure {
  readonly domain: string;
  readonly provenance: {
    readonly sources: readonly string[];
    readonly training_tasks: number;
  };
  readonly maxCalls: number;
  /** The action that ends a run. */
  readonly stop: string;
  /** The tool that transfers the customer to a person; calling it ends a run. */
  readonly handoff: string | undefined;
  readonly handoffArguments: JsonObject;
  readonly inputs: Readonly<Record<string, ProcedureInput>>;
  /** The contract of each tool that the procedure was made for. */
  readonly contracts: Readonly<Record<string, string>>;
  readonly reads: ReadonlySet<string>;
  readonly vocab: readonly string[];
  /** Words, and pairs of words, common in tickets of this kind. */
  readonly familiar: ReadonlySet<string>;
  readonly trees: Readonly<Record<string, ProcedureNode>>;
  readonly fallback: ProcedureNode;
  readonly checks: readonly OutcomeCheck[];
}

/** The site at which a run begins. */
export const START_SITE = "start";

/** The name of a site: the tool that just answered, with `!` after an error. */
export function siteOf(tool: string, failed: boolean): string {
  return failed ? `${tool}!` : tool;
}

/** All nodes of a subtree, its root first. */
function* nodesOf(node: ProcedureNode): Generator<ProcedureNode> {
  yield node;
  if (node.kind !== "split") return;
  yield* nodesOf(node.yes);
  yield* nodesOf(node.no);
}

/** Every action of a procedure's trees, with its site. */
export function* actionsOf(
  procedure: Procedure,
): Generator<{ readonly site: string; readonly action: Action }> {
  const trees = [...Object.entries(procedure.trees), ["fallback", procedure.fallback] as const];
  for (const [site, tree] of trees) {
    for (const node of nodesOf(tree)) {
      if (node.kind !== "calls") continue;
      for (const { action } of node.actions) yield { site, action };
    }
  }
}

/** The tools a procedure may call, probes included, sorted. */
export function toolsOf(procedure: Procedure): string[] {
  const tools = new Set([...actionsOf(procedure)].map(({ action }) => action.tool));
  for (const { probe } of procedure.checks) tools.add(probe.tool);
  tools.delete(procedure.stop);
  return [...tools].sort();
}

/** Every reference in a list of arguments. */
export function* referencesIn(args: Iterable<Argument>): Generator<Reference> {
  for (const argument of args) {
    if (argument.kind === "reference") yield argument.reference;
    else if (argument.kind === "list") yield* referencesIn(argument.items);
    else if (argument.kind === "object") yield* referencesIn(Object.values(argument.fields));
  }
}
