/**
 * The expressions of rule files: CEL, with a few functions for lists, texts and paths.
 *
 * CEL computes and nothing else: no loops without end, no code, no reach outside
 * the values it is given. Names that a rule file does not declare are found when
 * the file is read. JSON numbers are doubles, so rule files write `5.0`, not `5`,
 * where they compute.
 *
 * @module
 */

import { Environment, EvaluationError } from "@marcbachmann/cel-js";
import { isObject } from "../../json/json.ts";
import { insideFolder, plainPath } from "./plain_path.ts";
import { reasonOf } from "../../text/reason.ts";

/** The values an expression may name. */
export type Names = Record<string, unknown>;

/** An expression, ready to run. */
export type Expression = (names: Names) => unknown;

/** What came of running an expression. */
export type ExpressionResult =
  | { readonly kind: "value"; readonly value: unknown }
  /** It asked for something that is not there: nothing the session has shown. */
  | { readonly kind: "absent" }
  /** It went wrong. */
  | { readonly kind: "fault"; readonly message: string };

/** What expressions may ask of a session besides their names. */
export interface ShownTexts {
  /** Whether a text stands in a result or in a customer's message. */
  shown(text: string): boolean;
  /** Whether a text stands in a customer's message. */
  said(text: string): boolean;
}

/** The session that is asked while an expression runs. */
export interface CurrentSession {
  session: ShownTexts | undefined;
}

/** Compiles expressions that share a set of names. */
export class Expressions {
  readonly #env: Environment;
  readonly #asked: CurrentSession;

  /**
   * Starts with the functions of rule files and no names.
   *
   * @param asked Whose session `shown()` and `said()` speak of; shared by environments that run together.
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

  /**
   * Declares a name.
   *
   * @param name The name.
   * @param type Its CEL type.
   * @throws {Error} When the language keeps the name for itself, or it is declared already.
   */
  declare(name: string, type: "dyn" | "map" | "string" | "bool" | "list"): void {
    this.#env.registerVariable(name, type);
    const found = this.#env.check(name);
    if (!found.valid || !String(found.type).startsWith(type)) {
      throw new SyntaxError(`"${name}" is a word of CEL`);
    }
  }

  /**
   * Reads an expression.
   *
   * @param text Its text.
   * @param result The type it must have, where that is known before it runs.
   * @returns The expression.
   * @throws {SyntaxError} When it does not parse, names something undeclared or cannot have that type.
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
   * @returns Its value, or why there is none.
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

/** The strings and numbers in a value, as texts. */
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
