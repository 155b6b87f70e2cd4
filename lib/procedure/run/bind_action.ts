/**
 * Binds an action: resolves its references against the state of the run.
 *
 * References to one tool are bound together, from one of its answers, so that the
 * items of one order are never passed with the id of another.
 *
 * @module
 */

import { canonicalJson } from "../../flow/state/call_key.ts";
import { fieldOf, type Leaf } from "../../flow/state/output.ts";
import type { Output } from "../../flow/state/flow_state.ts";
import type { JsonObject } from "../../json/json.ts";
import { type Action, type Argument, referencesIn } from "../procedure.ts";
import type { Reference } from "../reference.ts";
import type { RunState } from "./run_state.ts";

/** The result of binding an action. */
export type Bound =
  | { readonly kind: "bound"; readonly arguments: JsonObject }
  | { readonly kind: "unbound"; readonly reason: string };

/** The most ways to bind one action that are tried. */
const MAX_WAYS = 2000;

/**
 * Binds an action.
 *
 * @param action The action; its arguments are defined.
 * @param state The state of the run.
 * @param options `repeats`: whether a call may be made a second time.
 * @returns The first call that is possible and allowed, or the reason there is none.
 */
export function bindAction(
  action: Action,
  state: RunState,
  { repeats = false }: { readonly repeats?: boolean } = {},
): Bound {
  const args = action.arguments ?? {};
  const references = [...referencesIn(Object.values(args))];
  const isOnly = references.some((r) => r.kind === "result" && r.selectors.isOnly);
  const binder = new Binder(action.tool, state, repeats);
  const found = new Map<string, JsonObject>();
  let ways = 0;
  for (const bound of binder.calls(args, references)) {
    if (++ways > MAX_WAYS) break;
    const isBarred = !repeats && state.isBarred(action.tool, bound);
    if (!isOnly) {
      if (!isBarred) return { kind: "bound", arguments: bound };
      binder.fault ??= "every call it could make was made";
      continue;
    }
    found.set(canonicalJson(bound), bound);
    if (found.size > 1) return unbound("more than one call is possible, and ?only asks for one");
  }
  const [only] = found.values();
  if (only !== undefined && (repeats || !state.isBarred(action.tool, only))) {
    return { kind: "bound", arguments: only };
  }
  return unbound(only === undefined ? binder.fault ?? "nothing binds" : "it was made already");
}

/**
 * Lists every call that an action could make now, in order of preference.
 *
 * @param action The action; its arguments are defined.
 * @param state The state of the run.
 */
export function* possibleCalls(action: Action, state: RunState): Generator<JsonObject> {
  const args = action.arguments ?? {};
  yield* new Binder(action.tool, state, false)
    .calls(args, [...referencesIn(Object.values(args))]);
}

function unbound(reason: string): Bound {
  return { kind: "unbound", reason };
}

/** The chosen answer for each tool that references name. */
type Chosen = ReadonlyMap<string, Output>;

/** The chosen answers, and the arguments bound so far. */
interface Way {
  readonly chosen: Chosen;
  readonly before: JsonObject;
}

class Binder {
  /** Why the last attempt did not bind. */
  fault: string | undefined;

  constructor(
    readonly tool: string,
    readonly state: RunState,
    readonly repeats: boolean,
  ) {}

  *calls(
    args: Readonly<Record<string, Argument>>,
    references: readonly Reference[],
  ): Generator<JsonObject> {
    const tools = references.flatMap((r) =>
      r.kind === "result" && r.selectors.instead === undefined ? [r.tool] : []
    );
    // An argument that replaces another's value is bound after it.
    const entries = Object.entries(args);
    const isReplacing = ([, argument]: readonly [string, Argument]) =>
      [...referencesIn([argument])].some((r) =>
        r.kind === "result" && r.selectors.instead !== undefined
      );
    const ordered = [...entries.filter((e) => !isReplacing(e)), ...entries.filter(isReplacing)];
    for (const chosen of this.#choices([...new Set(tools)], new Map())) {
      yield* this.#objects(ordered, { chosen, before: {} });
    }
  }

  *#choices(tools: readonly string[], chosen: Chosen): Generator<Chosen> {
    const [tool, ...rest] = tools;
    if (tool === undefined) return yield chosen;
    const outputs = this.state.outputsOf(tool);
    if (outputs.length === 0) this.fault = `${tool} has given no result`;
    for (const output of outputs) {
      yield* this.#choices(rest, new Map([...chosen, [tool, output]]));
    }
  }

  *#objects(
    fields: readonly (readonly [string, Argument])[],
    way: Way,
  ): Generator<JsonObject> {
    const [first, ...rest] = fields;
    if (first === undefined) return yield {};
    const [name, argument] = first;
    for (const value of this.#values(argument, name, way)) {
      const before = { ...way.before, [name]: value };
      for (const others of this.#objects(rest, { ...way, before })) {
        yield { [name]: value, ...others };
      }
    }
  }

  *#lists(items: readonly Argument[], name: string, way: Way): Generator<unknown[]> {
    const [first, ...rest] = items;
    if (first === undefined) return yield [];
    const isSpread = first.kind === "reference" && first.reference.kind === "result" &&
      first.reference.selectors.isAll;
    for (const value of this.#values(first, name, way)) {
      for (const others of this.#lists(rest, name, way)) {
        yield [...isSpread && Array.isArray(value) ? value : [value], ...others];
      }
    }
  }

  *#values(argument: Argument, name: string, way: Way): Generator<unknown> {
    switch (argument.kind) {
      case "value":
        return yield argument.json;
      case "list":
        return yield* this.#lists(argument.items, name, way);
      case "object":
        return yield* this.#objects(Object.entries(argument.fields), way);
      case "reference":
        yield* this.#referred(argument.reference, name, way);
    }
  }

  *#referred(reference: Reference, name: string, way: Way): Generator<unknown> {
    const { state } = this;
    if (reference.kind === "input") {
      if (Object.hasOwn(state.inputs, reference.name)) yield state.inputs[reference.name];
      else this.fault = `input "${reference.name}" was not given`;
      return;
    }
    if (reference.kind === "ticket") {
      const found = reference.pattern.find(state.ticket);
      if (found !== undefined) yield found;
      else this.fault = `the ticket has nothing of the form ${reference.pattern.source}`;
      return;
    }
    const { selectors } = reference;
    if (selectors.instead !== undefined) {
      return yield* this.#replacements(reference, way.before[selectors.instead]);
    }
    const output = way.chosen.get(reference.tool);
    if (output === undefined) return;
    const leaves = state.remembered(
      reference.text,
      output,
      () => this.#leaves(reference, output),
    );
    if (leaves.length === 0) return void (this.fault = `${reference.text} finds nothing`);
    if (selectors.isAll) return yield leaves.map((leaf) => leaf.json);
    const isChoice = leaves.length > 1 && !selectors.isOnly && !this.repeats;
    const fresh = isChoice
      ? leaves.filter((leaf) => !state.hasPassed(this.tool, name, leaf.json))
      : leaves;
    if (fresh.length === 0) this.fault = `every value of ${reference.text} was passed`;
    const said = isChoice ? fresh.filter((leaf) => state.isSaid(leaf, output)) : [];
    for (const leaf of new Set([...said, ...fresh])) yield leaf.json;
  }

  /** The replacement of another argument's value, or of each value in its list. */
  *#replacements(
    reference: Reference & { readonly kind: "result" },
    old: unknown,
  ): Generator<unknown> {
    const { tool, path, selectors, text } = reference;
    const found: unknown[] = [];
    for (const value of Array.isArray(old) ? old : [old]) {
      const leaf = this.state.outputsOf(tool).flatMap((output) => {
        const all = output.result.leaves.get(path) ?? [];
        const place = all.find(({ json }) => json === value);
        return place === undefined
          ? []
          : this.state.replacement(place, all, this.#leaves(reference, output)) ?? [];
      })[0];
      if (leaf === undefined) return void (this.fault = `${text} finds no single replacement`);
      found.push(leaf.json);
    }
    if (selectors.isAll) yield found;
    else if (found.length === 1) yield found[0];
  }

  #leaves(reference: Reference & { readonly kind: "result" }, output: Output): Leaf[] {
    const { path, selectors } = reference;
    const side = path.startsWith("@") ? output.given : output.result;
    const fitting = (side.leaves.get(path) ?? []).filter(({ record }) =>
      Object.entries(selectors.fields).every(([field, value]) =>
        record !== undefined && fieldOf(record, field)?.json === value
      )
    );
    if (selectors.ticket === "described") return this.state.described(fitting, output, side);
    return selectors.ticket === undefined
      ? fitting
      : fitting.filter((leaf) => this.state.isSaid(leaf, output, side));
  }
}
