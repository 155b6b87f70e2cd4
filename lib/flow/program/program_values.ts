/**
 * The values of a program, and what its operators make of them.
 *
 * Two whole numbers give a whole number, also divided (towards zero); with a
 * fraction among them the result is a fraction. Lists are not compared.
 *
 * @module
 */

import type { BINARY, FUNCTIONS } from "./program.ts";

/** A value. */
export type Value =
  | { readonly kind: "int" | "f64"; readonly value: number }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "array"; readonly items: readonly Value[] };

/** What can be computed of values that are all known. */
export type Operation =
  | Exclude<typeof BINARY[number], "and" | "or">
  | keyof typeof FUNCTIONS
  | "neg";

const COMPARE: Partial<Record<Operation, (a: number, b: number) => boolean>> = {
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

const COMPUTE: Partial<Record<Operation, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  max: Math.max,
  min: Math.min,
  neg: (a) => -a,
  abs: Math.abs,
};

const REAL: Partial<Record<Operation, (a: number) => number>> = { exp: Math.exp, log: Math.log };

/**
 * Computes.
 *
 * @param what The operation.
 * @param values Its operands, one or two.
 * @returns The result, or in words why there is none.
 */
export function arithmetic(what: Operation, values: readonly Value[]): Value | string {
  const [left, right] = values;
  if (what === "eq" || what === "ne") return equality(what, left, right);
  const numbers = values.flatMap((v) => v.kind === "int" || v.kind === "f64" ? [v.value] : []);
  if (numbers.length !== values.length) return `${what} needs numbers`;
  const [a = NaN, b = NaN] = numbers;
  const compare = COMPARE[what];
  if (compare !== undefined) return { kind: "bool", value: compare(a, b) };
  const real = REAL[what];
  if (real !== undefined) return finite({ kind: "f64", value: real(a) }, what);
  const isInt = values.every((v) => v.kind === "int");
  const value = COMPUTE[what]?.(a, b) ?? NaN;
  return finite({ kind: isInt ? "int" : "f64", value: isInt ? Math.trunc(value) : value }, what);
}

function equality(
  what: "eq" | "ne",
  left: Value | undefined,
  right: Value | undefined,
): Value | string {
  if (
    left === undefined || left.kind === "array" || right === undefined || right.kind === "array"
  ) {
    return `${what} does not compare lists`;
  }
  if ((left.kind === "bool") !== (right.kind === "bool")) {
    return `${what} does not compare a number with true or false`;
  }
  return { kind: "bool", value: (left.value === right.value) === (what === "eq") };
}

function finite(value: Extract<Value, { kind: "int" | "f64" }>, what: Operation): Value | string {
  const isGood = value.kind === "int"
    ? Number.isSafeInteger(value.value)
    : Number.isFinite(value.value);
  return isGood ? value : `${what} gives no number that can be written`;
}
