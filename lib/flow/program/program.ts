/**
 * The program of a run: when to decide, when to look at an outcome, when to stop.
 *
 * A flow file holds it as data (docs/formats.md); `interpret.ts` interprets it.
 *
 * @module
 */

/** Operators of two operands. */
export const BINARY = [
  "add",
  "sub",
  "mul",
  "div",
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "and",
  "or",
] as const;

/** Functions that a program may call, and how many arguments each takes. */
export const FUNCTIONS = { abs: 1, exp: 1, log: 1, max: 2, min: 2 } as const;

/** An expression. */
export type Expr =
  | { readonly op: "f64" | "int"; readonly value: number }
  | { readonly op: "bool"; readonly value: boolean }
  | { readonly op: "var"; readonly name: string }
  | { readonly op: "array"; readonly items: readonly Expr[] }
  | { readonly op: "index"; readonly array: Expr; readonly index: Expr }
  | { readonly op: "len"; readonly array: Expr }
  | { readonly op: "neg" | "not"; readonly arg: Expr }
  | { readonly op: typeof BINARY[number]; readonly lhs: Expr; readonly rhs: Expr }
  | { readonly op: "call"; readonly func: keyof typeof FUNCTIONS; readonly args: readonly Expr[] };

/** Where a value of a run is kept: `name`, or `name#index`. */
export interface Address {
  readonly name: string;
  readonly index?: Expr | undefined;
}

/** What a value is drawn from. */
export interface DistCall {
  readonly name: "Decide" | "Outcome";
  readonly args: readonly Expr[];
}

/** A statement. */
export type Stmt =
  | { readonly stmt: "let" | "assign"; readonly var: string; readonly value: Expr }
  | {
    readonly stmt: "sample";
    readonly var: string;
    readonly addr: Address;
    readonly dist: DistCall;
  }
  | {
    readonly stmt: "observe";
    readonly addr: Address;
    readonly dist: DistCall;
    readonly value: Expr;
  }
  | { readonly stmt: "factor"; readonly logw: Expr }
  | {
    readonly stmt: "for";
    readonly var: string;
    readonly start: Expr;
    /** Exclusive. */
    readonly end: Expr;
    readonly body: readonly Stmt[];
  }
  | {
    readonly stmt: "if";
    readonly cond: Expr;
    readonly then: readonly Stmt[];
    readonly else?: readonly Stmt[] | undefined;
  }
  | { readonly stmt: "break" };

/** A program. */
export interface Program {
  readonly hoist_program: 1;
  readonly body: readonly Stmt[];
  /** What the run comes to. */
  readonly ret: Expr;
}

/** What a program is given: the agent's call, whether it failed, the most lookups. */
export const INPUTS = ["call", "call_failed", "max_lookups"] as const;

/** How many arguments each distribution takes. */
export const DISTRIBUTIONS = { Decide: 2, Outcome: 1 } as const;
