/**
 * Runs a program, one place at a time.
 *
 * A generator: it yields each place that a handler has to speak to (a value to be
 * found, a value to be scored, a weight) and is given the value. What a value means
 * and how likely it is, the handler knows; the program knows the order alone.
 *
 * @module
 */

import {
  type Address,
  type DistCall,
  type Expr,
  INPUTS,
  type Program,
  type Stmt,
} from "./program.ts";
import { arithmetic, type Value } from "./program_values.ts";

/** Statements that a run may take; a loop's rounds count as well. */
const MAX_STEPS = 10_000;

/** What a value of a run is drawn from. Tools are numbers, 0 is to hand back. */
export type Distribution =
  | { readonly name: "Decide"; readonly prev: number; readonly failed: boolean }
  | { readonly name: "Outcome"; readonly tool: number };

/** A value that a distribution speaks of: a tool's number, or whether a lookup succeeded. */
export type Drawn = number | boolean;

/** Something that a program asks of its handler. */
export type Place =
  | { readonly kind: "sample"; readonly address: string; readonly dist: Distribution }
  | {
    readonly kind: "observe";
    readonly address: string;
    readonly dist: Distribution;
    readonly value: Drawn;
  }
  | { readonly kind: "factor"; readonly logw: number };

/** What a program is given. */
export interface ProgramInputs {
  /** The number of the tool that the agent called. */
  readonly call: number;
  readonly callFailed: boolean;
  readonly maxLookups: number;
}

/** A program that cannot go on: a value of a wrong type, or more than it may take. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}

/**
 * Runs a program.
 *
 * @param program A program that passed its check.
 * @param inputs What it is given.
 * @returns A generator of places; after a `sample` give it the value. It returns the run's result.
 * @throws {ProgramError} When the program cannot go on.
 */
export function* interpret(
  program: Program,
  inputs: ProgramInputs,
): Generator<Place, Value, Drawn | undefined> {
  const scope = new Scope(undefined);
  const { call, callFailed, maxLookups } = inputs;
  const values = [int(call), { kind: "bool", value: callFailed } as const, int(maxLookups)];
  INPUTS.forEach((name, i) => scope.declare(name, values[i] ?? int(0)));
  const run = new Run();
  yield* run.block(program.body, scope);
  return evaluate(program.ret, scope);
}

const int = (value: number): Value => ({ kind: "int", value });

class Scope {
  readonly #values = new Map<string, Value>();

  constructor(readonly outer: Scope | undefined) {}

  declare(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  assign(name: string, value: Value): void {
    if (this.#values.has(name)) this.#values.set(name, value);
    else this.outer?.assign(name, value);
  }

  get(name: string): Value {
    const value = this.#values.get(name) ?? this.outer?.get(name);
    if (value === undefined) throw new ProgramError(`the variable "${name}" has no value`);
    return value;
  }
}

/** How a block ended. */
type Ended = "through" | "broken";
type Steps = Generator<Place, Ended, Drawn | undefined>;

class Run {
  #steps = 0;
  readonly #addresses = new Set<string>();

  *block(body: readonly Stmt[], scope: Scope): Steps {
    for (const stmt of body) {
      this.#count();
      if ((yield* this.#stmt(stmt, scope)) === "broken") return "broken";
    }
    return "through";
  }

  *#stmt(stmt: Stmt, scope: Scope): Steps {
    switch (stmt.stmt) {
      case "let":
        scope.declare(stmt.var, evaluate(stmt.value, scope));
        return "through";
      case "assign":
        scope.assign(stmt.var, evaluate(stmt.value, scope));
        return "through";
      case "sample": {
        const address = this.#address(stmt.addr, scope);
        const dist = distribution(stmt.dist, scope);
        const value = yield { kind: "sample", address, dist };
        if (value === undefined || !fits(value, dist)) {
          throw new ProgramError(`${address} cannot hold ${String(value)}`);
        }
        scope.declare(
          stmt.var,
          typeof value === "number" ? int(value) : { kind: "bool", value },
        );
        return "through";
      }
      case "observe": {
        const address = this.#address(stmt.addr, scope);
        const dist = distribution(stmt.dist, scope);
        const { value } = scalar(stmt.value, scope);
        if (!fits(value, dist)) throw new ProgramError(`${address} cannot hold ${value}`);
        yield { kind: "observe", address, dist, value };
        return "through";
      }
      case "factor": {
        const { kind, value: logw } = scalar(stmt.logw, scope);
        if (kind === "bool" || !Number.isFinite(logw)) {
          throw new ProgramError(`a factor cannot be ${logw}`);
        }
        yield { kind: "factor", logw };
        return "through";
      }
      case "for":
        return yield* this.#loop(stmt, scope);
      case "if": {
        const then = truth(stmt.cond, scope) ? stmt.then : stmt.else ?? [];
        return yield* this.block(then, new Scope(scope));
      }
      case "break":
        return "broken";
    }
  }

  *#loop(stmt: Extract<Stmt, { stmt: "for" }>, outer: Scope): Steps {
    const end = whole(stmt.end, outer);
    for (let i = whole(stmt.start, outer); i < end; i++) {
      this.#count();
      const scope = new Scope(outer);
      scope.declare(stmt.var, int(i));
      if ((yield* this.block(stmt.body, scope)) === "broken") break;
    }
    return "through";
  }

  #address({ name, index }: Address, scope: Scope): string {
    const address = index === undefined ? name : `${name}#${whole(index, scope)}`;
    if (this.#addresses.has(address)) throw new ProgramError(`${address} comes twice`);
    this.#addresses.add(address);
    return address;
  }

  #count(): void {
    this.#steps++;
    if (this.#steps > MAX_STEPS) throw new ProgramError(`more than ${MAX_STEPS} steps`);
  }
}

/** Whether a value is of the type that a distribution speaks of. */
export function fits(value: Drawn, dist: Distribution): boolean {
  return dist.name === "Outcome" ? typeof value === "boolean" : Number.isSafeInteger(value);
}

function distribution({ name, args: [first, second] }: DistCall, scope: Scope): Distribution {
  const tool = whole(first, scope);
  return name === "Outcome" ? { name, tool } : { name, prev: tool, failed: truth(second, scope) };
}

function evaluate(expr: Expr, scope: Scope): Value {
  switch (expr.op) {
    case "f64":
    case "int":
      return { kind: expr.op, value: expr.value };
    case "bool":
      return { kind: "bool", value: expr.value };
    case "var":
      return scope.get(expr.name);
    case "array":
      return { kind: "array", items: expr.items.map((item) => evaluate(item, scope)) };
    case "index": {
      const { items } = list(expr.array, scope);
      const at = whole(expr.index, scope);
      const item = items[at];
      if (item === undefined) {
        throw new ProgramError(`there is no item ${at} in a list of ${items.length}`);
      }
      return item;
    }
    case "len":
      return int(list(expr.array, scope).items.length);
    case "not":
      return { kind: "bool", value: !truth(expr.arg, scope) };
    case "and":
    case "or": {
      const left = truth(expr.lhs, scope);
      const isDecided = left === (expr.op === "or");
      return { kind: "bool", value: isDecided ? left : truth(expr.rhs, scope) };
    }
    case "neg":
      return computed("neg", [expr.arg], scope);
    case "call":
      return computed(expr.func, expr.args, scope);
    default:
      return computed(expr.op, [expr.lhs, expr.rhs], scope);
  }
}

function computed(
  what: Parameters<typeof arithmetic>[0],
  args: readonly Expr[],
  scope: Scope,
): Value {
  const value = arithmetic(what, args.map((arg) => evaluate(arg, scope)));
  if (typeof value === "string") throw new ProgramError(value);
  return value;
}

function scalar(expr: Expr, scope: Scope): Exclude<Value, { kind: "array" }> {
  const value = evaluate(expr, scope);
  if (value.kind === "array") throw new ProgramError("a list stands where one value is needed");
  return value;
}

function list(expr: Expr, scope: Scope): Extract<Value, { kind: "array" }> {
  const value = evaluate(expr, scope);
  if (value.kind !== "array") {
    throw new ProgramError(`${value.value} stands where a list is needed`);
  }
  return value;
}

function truth(expr: Expr | undefined, scope: Scope): boolean {
  const value = expr === undefined ? undefined : scalar(expr, scope);
  if (value?.kind !== "bool") {
    throw new ProgramError(`${value?.value} stands where true or false is needed`);
  }
  return value.value;
}

function whole(expr: Expr | undefined, scope: Scope): number {
  const value = expr === undefined ? undefined : scalar(expr, scope);
  if (value?.kind !== "int") {
    throw new ProgramError(`${value?.value} stands where a whole number is needed`);
  }
  return value.value;
}
