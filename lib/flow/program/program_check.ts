/**
 * Whether a program may run: every node known, every variable declared, `break`
 * only in a loop, and not nested too deep.
 *
 * @module
 */

import {
  type DistCall,
  DISTRIBUTIONS,
  type Expr,
  FUNCTIONS,
  INPUTS,
  type Program,
  type Stmt,
} from "./program.ts";
import { programSchema } from "./program_schema.ts";

/** Levels of JSON that a program may be nested. */
const MAX_DEPTH = 100;

/** What keeps a program from running, and where in it. */
export interface ProgramFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A program that may run, or why it may not. */
export type CheckedProgram = { readonly program: Program } | { readonly fault: ProgramFault };

/**
 * Checks a program.
 *
 * @param json What the file holds.
 * @returns The program, or its first fault.
 */
export function checkProgram(json: unknown): CheckedProgram {
  // Depth comes first: nothing after it has to fear the stack.
  if (isDeeper(json, MAX_DEPTH)) {
    return { fault: { path: [], message: `is nested deeper than ${MAX_DEPTH} levels` } };
  }
  const parsed = programSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = (issue?.path ?? []).map((p) => typeof p === "number" ? p : String(p));
    return { fault: { path, message: issue?.message ?? "is wrong" } };
  }
  const program = parsed.data;
  try {
    const checker = new Checker();
    const scope: Scope = { names: new Set(INPUTS), outer: undefined, isLoop: false };
    checker.block(program.body, scope, ["body"]);
    checker.expr(program.ret, scope, ["ret"]);
  } catch (error) {
    if (error instanceof Fault) return { fault: { path: error.path, message: error.message } };
    throw error;
  }
  return { program };
}

/** Whether a JSON value has more levels than so many. */
function isDeeper(json: unknown, most: number): boolean {
  let level = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((v) => typeof v === "object" && v !== null ? Object.values(v) : []);
  }
  return false;
}

type Path = readonly (string | number)[];

class Fault extends Error {
  constructor(readonly path: Path, message: string) {
    super(message);
  }
}

interface Scope {
  readonly names: Set<string>;
  readonly outer: Scope | undefined;
  /** Whether a loop is around it. */
  readonly isLoop: boolean;
}

class Checker {
  block(body: readonly Stmt[], scope: Scope, path: Path): void {
    body.forEach((stmt, i) => this.#stmt(stmt, scope, [...path, i]));
  }

  #stmt(stmt: Stmt, scope: Scope, path: Path): void {
    const inner = (isLoop: boolean, names: string[] = []): Scope => ({
      names: new Set(names),
      outer: scope,
      isLoop,
    });
    switch (stmt.stmt) {
      case "break":
        if (!scope.isLoop) throw new Fault(path, "break stands outside a loop");
        break;
      case "let":
        this.expr(stmt.value, scope, [...path, "value"]);
        scope.names.add(stmt.var);
        break;
      case "assign":
        this.#known(stmt.var, scope, [...path, "var"]);
        this.expr(stmt.value, scope, [...path, "value"]);
        break;
      case "sample":
      case "observe": {
        const { index } = stmt.addr;
        if (index !== undefined) this.expr(index, scope, [...path, "addr", "index"]);
        this.#dist(stmt.dist, scope, [...path, "dist"]);
        if (stmt.stmt === "sample") scope.names.add(stmt.var);
        else this.expr(stmt.value, scope, [...path, "value"]);
        break;
      }
      case "factor":
        this.expr(stmt.logw, scope, [...path, "logw"]);
        break;
      case "for":
        this.expr(stmt.start, scope, [...path, "start"]);
        this.expr(stmt.end, scope, [...path, "end"]);
        this.block(stmt.body, inner(true, [stmt.var]), [...path, "body"]);
        break;
      case "if":
        this.expr(stmt.cond, scope, [...path, "cond"]);
        this.block(stmt.then, inner(scope.isLoop), [...path, "then"]);
        this.block(stmt.else ?? [], inner(scope.isLoop), [...path, "else"]);
        break;
    }
  }

  #dist({ name, args }: DistCall, scope: Scope, path: Path): void {
    const wanted = DISTRIBUTIONS[name];
    if (args.length !== wanted) {
      throw new Fault([...path, "args"], `${name} takes ${wanted}, not ${args.length}`);
    }
    args.forEach((arg, i) => this.expr(arg, scope, [...path, "args", i]));
  }

  expr(expr: Expr, scope: Scope, path: Path): void {
    if (expr.op === "var") this.#known(expr.name, scope, [...path, "name"]);
    else if (expr.op === "call") {
      const wanted = FUNCTIONS[expr.func];
      if (expr.args.length !== wanted) {
        throw new Fault([...path, "args"], `${expr.func} takes ${wanted}, not ${expr.args.length}`);
      }
    }
    for (const [key, part] of Object.entries(expr)) {
      if (Array.isArray(part)) part.forEach((item, i) => this.expr(item, scope, [...path, key, i]));
      else if (typeof part === "object") this.expr(part, scope, [...path, key]);
    }
  }

  #known(name: string, scope: Scope, path: Path): void {
    for (let here: Scope | undefined = scope; here !== undefined; here = here.outer) {
      if (here.names.has(name)) return;
    }
    throw new Fault(path, `the variable "${name}" is not declared`);
  }
}
