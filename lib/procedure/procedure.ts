/**
 * A procedure in memory: trees over what a run has seen, whose leaves say which
 * call comes next. `read_procedure.ts` makes one of a file.
 *
 * @module
 */

import type { JsonObject } from "../json/json.ts";
import type { Reference } from "./reference.ts";

/** What a run is given besides the ticket. */
export interface ProcedureInput {
  readonly type: "string" | "number" | "boolean";
  /** What the whole text must match; see `ticket_pattern.ts`. */
  readonly pattern: string | undefined;
  readonly description: string;
  /** Whether a run may go without. */
  readonly isOptional: boolean;
}

/** An argument: a value, a reference, or a list or object with references in it. */
export type Argument =
  | { readonly kind: "value"; readonly json: unknown }
  | { readonly kind: "reference"; readonly reference: Reference }
  | { readonly kind: "list"; readonly items: readonly Argument[] }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, Argument>> };

/** Something a leaf may do: call a tool, or stop. */
export interface Action {
  /** The action as the file has it. */
  readonly text: string;
  readonly tool: string;
  /** Undefined when the file gives none: then a hand-off takes the procedure's own. */
  readonly arguments: Readonly<Record<string, Argument>> | undefined;
}

/** A branch of a tree. */
export type ProcedureNode =
  | {
    readonly kind: "split";
    readonly feature: string;
    readonly yes: ProcedureNode;
    readonly no: ProcedureNode;
  }
  | {
    readonly kind: "calls";
    /** Tried in this order; how often each was seen where it was learned. */
    readonly actions: readonly { readonly action: Action; readonly count: number }[];
    /** Why a person has to go on when none of them can be taken; undefined: why none binds. */
    readonly otherwise: string | undefined;
  }
  | { readonly kind: "hand_back"; readonly reason: string };

/** An outcome that a ticket may state, and the read that tells whether it holds. */
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
  /** The tool that hands the customer on; calling it ends a run. */
  readonly handoff: string | undefined;
  readonly handoffArguments: JsonObject;
  readonly inputs: Readonly<Record<string, ProcedureInput>>;
  /** Tool to the contract it was made for. */
  readonly contracts: Readonly<Record<string, string>>;
  readonly reads: ReadonlySet<string>;
  readonly vocab: readonly string[];
  /** Words, and pairs of words, that tickets of this kind have. */
  readonly familiar: ReadonlySet<string>;
  readonly trees: Readonly<Record<string, ProcedureNode>>;
  readonly fallback: ProcedureNode;
  readonly checks: readonly OutcomeCheck[];
}

/** The site at which a run begins. */
export const START_SITE = "start";

/** The name of a site: the tool that just returned, marked when it failed. */
export function siteOf(tool: string, failed: boolean): string {
  return failed ? `${tool}!` : tool;
}

/** Every node below one, itself first. */
function* nodesOf(node: ProcedureNode): Generator<ProcedureNode> {
  yield node;
  if (node.kind !== "split") return;
  yield* nodesOf(node.yes);
  yield* nodesOf(node.no);
}

/** Every action of a procedure's trees, with the site it stands at. */
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

/** Every reference in some arguments. */
export function* referencesIn(args: Iterable<Argument>): Generator<Reference> {
  for (const argument of args) {
    if (argument.kind === "reference") yield argument.reference;
    else if (argument.kind === "list") yield* referencesIn(argument.items);
    else if (argument.kind === "object") yield* referencesIn(Object.values(argument.fields));
  }
}
