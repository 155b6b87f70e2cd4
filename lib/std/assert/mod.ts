/**
 * Stand-in for `jsr:@std/assert`, for machines that cannot reach JSR.
 *
 * Only the assertions this repository uses, over `node:assert` and
 * `node:util`. Remove `links` in `deno.json` and the real package takes over.
 *
 * @module
 */

import { AssertionError } from "node:assert";
import { inspect, isDeepStrictEqual } from "node:util";

// deno-lint-ignore no-explicit-any
type ErrorClass<E extends Error> = new (...args: any[]) => E;

function fail(message: string, note: string | undefined): never {
  throw new AssertionError({ message: note === undefined ? message : `${message}: ${note}` });
}

function show(value: unknown): string {
  return inspect(value, { depth: 20, breakLength: 100, maxStringLength: 4000, sorted: true });
}

/** Throws unless `expr` is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError({ message: msg });
}

/** Throws unless both values are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  fail(`Values are not equal.\n  actual:   ${show(actual)}\n  expected: ${show(expected)}\n`, msg);
}

/** Throws unless `actual` matches `expected`. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) fail(`Expected ${show(actual)} to match ${expected}`, msg);
}

/** Throws unless `actual` contains `expected`. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (!actual.includes(expected)) {
    fail(`Expected ${show(actual)} to contain ${show(expected)}`, msg);
  }
}

function checkError<E extends Error>(
  error: unknown,
  ErrorClass: ErrorClass<E> | undefined,
  msgIncludes: string | undefined,
  note: string | undefined,
): E {
  if (!(error instanceof Error)) fail(`Expected an Error, got ${show(error)}`, note);
  if (ErrorClass !== undefined && !(error instanceof ErrorClass)) {
    fail(`Expected ${ErrorClass.name}, got ${error.name}: ${error.message}`, note);
  }
  if (msgIncludes !== undefined && !error.message.includes(msgIncludes)) {
    fail(`Expected message to contain ${show(msgIncludes)}, got ${show(error.message)}`, note);
  }
  return error as E;
}

/** Throws unless `fn` throws an error of the class, with the text in its message; returns it. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass?: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E {
  let thrown: unknown;
  let threw = false;
  try {
    fn();
  } catch (error) {
    thrown = error;
    threw = true;
  }
  if (!threw) fail("Expected function to throw", msg);
  return checkError(thrown, ErrorClass, msgIncludes, msg);
}

/** Throws unless `fn` rejects with an error of the class, with the text in its message; returns it. */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass?: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E> {
  let thrown: unknown;
  let threw = false;
  try {
    await fn();
  } catch (error) {
    thrown = error;
    threw = true;
  }
  if (!threw) fail("Expected function to reject", msg);
  return checkError(thrown, ErrorClass, msgIncludes, msg);
}
