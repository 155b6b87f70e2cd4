/**
 * Compiles and runs the expressions of rule files: CEL, plus functions for lists, texts and paths.
 *
 * CEL always ends, runs no code and reads only the values it is given. Undeclared
 * names are errors when the file is read. JSON numbers are doubles, so rule files
 * write `5.0`, not `5`, in arithmetic.
 *
 * @module
 */

import { Environment, EvaluationError } from "@marcbachmann/cel-js";
import { isObject } from "../../json/json.ts";
import { insideFolder, plainPath } from "./plain_path.ts";
import { reasonOf } from "../../text/reason.ts";

/** The values of the names that an expression may use. */
export type Names = Record<string, unknown>;

/** A compiled expression. */
export type Expression = (names: Names) => unknown;

/** The result of running an expression. */
export type ExpressionResult =
  | { readonly kind: "value"; readonly value: unknown }
  /** It read a key or an element that does not exist: the session has not shown it. */
  | { readonly kind: "absent" }
  /** It failed. */
  | { readonly kind: "fault"; readonly message: string };

/** The texts that a session has shown, for the functions `shown()` and `said()`. */
export interface ShownTexts {
  /** Whether a result or a customer's message contains a text. */
  shown(text: string): boolean;
  /** Whether a customer's message contains a text. */
  said(text: string): boolean;
}

/** The session that `shown()` and `said()` read while an expression runs. */
export interface CurrentSession {
  session: ShownTexts | undefined;
}

/** Compiles and runs expressions over one set of declared names. */
export class Expressions {
  readonly #argumentNames = new Set<string>();
  readonly #env: Environment;
  readonly #asked: CurrentSession;

  /**
   * Starts with the functions of rule files and no names.
   *
   * @param asked Holds the session that `shown()` and `said()` read; environments that run together share it.
   */
  constructor(asked: CurrentSession = { session: undefined }) {
    this.#asked = asked;
    this.#env = new Environment({ homogeneousAggregateLiterals: false });
    for (const [signature, run] of FUNCTIONS) this.#env.registerFunction(signature, run);
    this.#env.registerFunction(
      "shown(dyn): bool",
      (text: unknown) => this.#asked.session?.shown(String(text)) ?? false,
    );
    this.#env.registerFunction(
      "said(dyn): bool",
      (text: unknown) => this.#asked.session?.said(String(text)) ?? false,
    );
  }

  /** The arguments of calls that the compiled expressions name. */
  get argumentNames(): ReadonlySet<string> {
    return this.#argumentNames;
  }

  /**
   * Declares a name.
   *
   * @param name The name.
   * @param type Its CEL type.
   * @throws {Error} When CEL reserves the name, or it is declared already.
   */
  declare(name: string, type: "dyn" | "map" | "string" | "bool" | "list"): void {
    this.#env.registerVariable(name, type);
    const found = this.#env.check(name);
    if (!found.valid || !String(found.type).startsWith(type)) {
      throw new SyntaxError(`"${name}" is a word of CEL`);
    }
  }

  /**
   * Compiles an expression.
   *
   * @param text The expression's text.
   * @param result The type it must have, checked where CEL can infer it.
   * @returns The compiled expression.
   * @throws {SyntaxError} When it does not parse, uses an undeclared name or has another type.
   */
  compile(text: string, result?: "bool" | "list" | "string"): Expression {
    let run: ReturnType<Environment["parse"]>;
    let found: ReturnType<Environment["check"]>;
    try {
      run = this.#env.parse(text);
      found = this.#env.check(text);
    } catch (error) {
      throw new SyntaxError(firstLine(error), { cause: error });
    }
    if (!found.valid) throw new SyntaxError(firstLine(found.error));
    for (const [, dotted, quoted] of text.matchAll(ARGUMENT)) {
      this.#argumentNames.add(dotted ?? quoted ?? "");
    }
    const type = String(found.type);
    if (result !== undefined && type !== "dyn" && !type.startsWith(result)) {
      throw new SyntaxError(`is a ${type}, not a ${result}`);
    }
    return (names) => run(names);
  }

  /**
   * Runs an expression.
   *
   * @param expression The expression.
   * @param names The values of its names.
   * @param session Answers `shown()` and `said()`.
   * @returns Its value, or the reason there is none.
   */
  run(expression: Expression, names: Names, session: ShownTexts): ExpressionResult {
    this.#asked.session = session;
    try {
      return { kind: "value", value: expression(names) };
    } catch (error) {
      const code = error instanceof EvaluationError ? error.code : "";
      if (code === "no_such_key" || code === "index_out_of_bounds") return { kind: "absent" };
      return { kind: "fault", message: firstLine(error) };
    } finally {
      this.#asked.session = undefined;
    }
  }
}

/** An argument that an expression names. */
const ARGUMENT = /\bargs(?:\.([A-Za-z_]\w*)|\[(?:'|")([^'"]+)(?:'|")\])/g;

type Function_ = readonly [signature: string, run: (...args: never[]) => unknown];

const FUNCTIONS: readonly Function_[] = [
  [
    "sum(list): double",
    (list: Iterable<unknown>) => [...list].reduce((sum: number, n) => sum + Number(n), 0),
  ],
  [
    "range(dyn): list",
    (n: unknown) => Array.from({ length: Math.min(Number(n), 10_000) }, (_, i) => BigInt(i)),
  ],
  [
    "count(list, dyn): double",
    (list: Iterable<unknown>, value: unknown) => [...list].filter((v) => v === value).length,
  ],
  [
    "flatten(list): list",
    (list: Iterable<unknown>) => [...list].flatMap((v) => Array.isArray(v) ? v : [v]),
  ],
  ["leaves(dyn): list", leaves],
  ["at_least_zero(double): double", (n: number) => Math.max(0, n)],
  ["plain_path(dyn): string", (path: unknown) => plainPath(String(path))],
  [
    "inside(dyn, dyn): bool",
    (path: unknown, folder: unknown) => insideFolder(String(path), String(folder)),
  ],
];

/** All strings and numbers inside a value, as texts. */
export function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "bigint") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(leaves);
  return isObject(value) ? Object.values(value).flatMap(leaves) : [];
}

function firstLine(error: unknown): string {
  const text = reasonOf(error);
  return text.split("\n")[0] ?? text;
}
