/**
 * Learns the actions that would have made the recorded calls, with references in
 * place of customers' values.
 *
 * An action may contain a literal only when calls of three tasks passed it. The
 * references of a write must leave no choice.
 *
 * @module
 */

import { canonicalJson } from "../flow/state/call_key.ts";
import { actionText, parseAction } from "../procedure/action_text.ts";
import { bindAction, possibleCalls } from "../procedure/run/bind_action.ts";
import type { Action } from "../procedure/procedure.ts";
import type { RunState } from "../procedure/run/run_state.ts";
import type { JsonObject } from "../json/json.ts";
import { type RecordedCall, referenceCandidates } from "./reference_candidates.ts";

/** The fewest tasks that make a pattern. */
export const MIN_TASKS = 3;

/** The most actions tried per call: reads are many, writes matter more. */
const MAX_ACTIONS = { read: 24, write: 400 };

/** The most actions kept per tool; the rest are equivalent. */
const MAX_PER_TOOL = 40;

/** The most references tried per argument. */
const MAX_REFERENCES = { read: 3, write: 7 };

/** The tasks in which each text was seen. */
type Support = Map<string, Set<string>>;

/** Learns actions from calls in two passes: first references of arguments, then whole actions. */
export class ActionTemplates {
  /** The support of each reference, by tool and argument. */
  readonly #arguments = new Map<string, Support>();
  readonly #actions: Support = new Map();
  readonly #parsed = new Map<string, Action>();
  readonly #references = new WeakMap<RecordedCall, Map<string, readonly string[]>>();
  readonly #fit = new WeakMap<RecordedCall, readonly Action[]>();

  /** First pass: counts the references that could have produced each argument of a call. */
  seeArguments(call: RecordedCall, state: RunState, task: string): void {
    for (const name of Object.keys(call.arguments)) {
      const support = this.#supportOf(call.tool, name);
      for (const text of this.#possible(call, name, state)) add(support, text, task);
    }
  }

  /** Second pass: counts the actions that would have made a call. */
  seeCall(call: RecordedCall, state: RunState, task: string): void {
    const fitting = [...this.#fitting(call, state)];
    this.#fit.set(call, fitting);
    for (const action of fitting) add(this.#actions, action.text, task);
  }

  /** The most common action that makes a call of the second pass. */
  actionFor(call: RecordedCall): Action | undefined {
    let best: Action | undefined;
    let bestTasks = MIN_TASKS - 1;
    for (const action of this.#fit.get(call) ?? []) {
      const tasks = this.#actions.get(action.text)?.size ?? 0;
      const isShorter = tasks === bestTasks && action.text.length < (best?.text.length ?? 0);
      if (tasks > bestTasks || isShorter) [best, bestTasks] = [action, tasks];
    }
    return best;
  }

  /** The actions that made calls of three tasks or more, the most common first. */
  mostCommon(): Action[] {
    const perTool = new Map<string, number>();
    return [...this.#actions].filter(([, tasks]) => tasks.size >= MIN_TASKS)
      .sort(([a, x], [b, y]) => y.size - x.size || a.length - b.length || (a < b ? -1 : 1))
      .flatMap(([text]) => this.#parsed.get(text) ?? [])
      .filter(({ tool }) => {
        const n = (perTool.get(tool) ?? 0) + 1;
        perTool.set(tool, n);
        return n <= MAX_PER_TOOL;
      });
  }

  /** The actions that would have made a call. */
  *#fitting(call: RecordedCall, state: RunState): Generator<Action> {
    const names = Object.keys(call.arguments).sort();
    const choices = together(names.map((name) => [name, this.#usual(call, name, state)]));
    let left = MAX_ACTIONS[call.isWrite ? "write" : "read"];
    for (const values of combinations(choices)) {
      if (left-- === 0) return;
      const args = Object.assign({}, ...values);
      const strict = this.#parse(actionText(call.tool, args));
      if (makes(strict, call, state)) yield strict;
      if (!call.isWrite) continue;
      // Without `?only` an action repeats: for every pending order, for each named item.
      const each = this.#parse(strict.text.replaceAll("?only", ""));
      if (each !== strict && makes(each, call, state)) yield each;
    }
  }

  /** The candidates for an argument; those of a write must give exactly this value. */
  #possible(call: RecordedCall, name: string, state: RunState): readonly string[] {
    const ofCall = this.#references.get(call) ?? new Map<string, readonly string[]>();
    this.#references.set(call, ofCall);
    const known = ofCall.get(name) ??
      referenceCandidates(call, name, state).filter((text) =>
        !call.isWrite || this.#gives(text, { call, name, state })
      );
    ofCall.set(name, known);
    return known;
  }

  /** Whether a reference, for one argument of a call, can give the argument's value. */
  #gives(
    reference: string,
    { call, name, state }: { call: RecordedCall; name: string; state: RunState },
  ): boolean {
    const literal = (value: unknown) =>
      typeof value === "string" && value.startsWith("@") ? `@${value}` : value;
    const others = Object.entries(call.arguments).map(([key, value]) => [key, literal(value)]);
    const args = { ...Object.fromEntries(others), [name]: JSON.parse(reference) };
    const wanted = sortedText(call.arguments);
    let left = 60;
    for (const made of possibleCalls(parseAction(actionText(call.tool, args), true), state)) {
      if (sortedText(made) === wanted) return true;
      if (left-- === 0) return false;
    }
    return false;
  }

  #parse(text: string): Action {
    const action = this.#parsed.get(text) ?? parseAction(text, true);
    this.#parsed.set(text, action);
    return action;
  }

  /** The candidates for an argument with enough support, the most common first. */
  #usual(call: RecordedCall, name: string, state: RunState): unknown[] {
    const support = this.#supportOf(call.tool, name);
    const tasks = (text: string) => support.get(text)?.size ?? 0;
    return this.#possible(call, name, state)
      .filter((text) => tasks(text) >= MIN_TASKS)
      .sort((a, b) => tasks(b) - tasks(a) || a.length - b.length || (a < b ? -1 : 1))
      .slice(0, MAX_REFERENCES[call.isWrite ? "write" : "read"])
      .map((text) => JSON.parse(text));
  }

  #supportOf(tool: string, name: string): Support {
    const key = `${tool} ${name}`;
    const known = this.#arguments.get(key) ?? new Map();
    this.#arguments.set(key, known);
    return known;
  }
}

function add(support: Support, text: string, task: string): void {
  const tasks = support.get(text) ?? new Set();
  support.set(text, tasks.add(task));
}

/**
 * Groups the candidates of arguments into objects to choose from. Three or more arguments that
 * could all be fields of one record, such as an address, are chosen together.
 */
function together(
  choices: readonly (readonly [name: string, values: readonly unknown[]])[],
): JsonObject[][] {
  const stems = new Map<string, JsonObject>();
  for (const [name, values] of choices) {
    for (const value of values) {
      if (typeof value !== "string" || !value.startsWith("@")) continue;
      const [path = "", ...selectors] = value.split("?");
      if (!path.endsWith(`.${name}`)) continue;
      const stem = [path.slice(0, -name.length), ...selectors].join("?");
      stems.set(stem, { ...stems.get(stem), [name]: value });
    }
  }
  const size = (record: JsonObject) => Object.keys(record).length;
  const most = Math.max(0, ...[...stems.values()].map(size));
  const records = most < 3 ? [] : [...stems.values()].filter((record) => size(record) === most);
  const grouped = new Set(Object.keys(records[0] ?? {}));
  const alike = records.filter((record) => Object.keys(record).every((name) => grouped.has(name)));
  const others = choices.filter(([name]) => !grouped.has(name))
    .map(([name, values]) => values.map((value) => ({ [name]: value })));
  return alike.length > 0 ? [alike, ...others] : others;
}

/** Every way to take one item of each list, in order of the sum of the items' positions. */
function* combinations<T>(choices: readonly (readonly T[])[]): Generator<T[]> {
  const most = choices.reduce((sum, list) => sum + list.length - 1, 0);
  for (let sum = 0; sum <= most; sum++) yield* combinationsOf(choices, sum);
}

function* combinationsOf<T>(choices: readonly (readonly T[])[], sum: number): Generator<T[]> {
  const [first, ...rest] = choices;
  if (first === undefined) {
    if (sum === 0) yield [];
    return;
  }
  for (const [i, value] of first.slice(0, sum + 1).entries()) {
    for (const others of combinationsOf(rest, sum - i)) yield [value, ...others];
  }
}

/** Whether an action makes a call: a read as one of its possible calls, a write as its only one. */
function makes(action: Action, call: RecordedCall, state: RunState): boolean {
  const wanted = sortedText(call.arguments);
  if (call.isWrite) {
    const bound = bindAction(action, state);
    return bound.kind === "bound" && sortedText(bound.arguments) === wanted;
  }
  let left = 60;
  for (const args of possibleCalls(action, state)) {
    if (sortedText(args) === wanted) return true;
    if (left-- === 0) return false;
  }
  return false;
}

/** The canonical text of arguments, with every list sorted. */
export function sortedText(args: JsonObject): string {
  return canonicalJson(
    Object.fromEntries(
      Object.entries(args).map(([name, value]) => [
        name,
        Array.isArray(value) ? [...value].sort() : value,
      ]),
    ),
  );
}
