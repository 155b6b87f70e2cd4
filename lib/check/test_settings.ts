/**
 * `hoist.test.jsonc` beside logs: what may differ between a recording and another run.
 *
 * ```jsonc
 * {
 *   // Results: JSON pointers by pattern of a tool or a method; # leads into JSON in a text.
 *   "results": { "get_*": ["/content/0/text#/updated_at"], "tools/list": ["/nextCursor"] },
 *   // Params of requests, for hoist serve.
 *   "requests": { "search": ["/arguments/since"] }
 * }
 * ```
 *
 * @module
 */

import { isObject } from "../json/json.ts";
import { globPattern } from "../text/glob.ts";

/** Name of the file, in the folder of the logs. */
export const TEST_SETTINGS_FILE = "hoist.test.jsonc";

/** What may differ. */
export interface TestSettings {
  /** A result without what may differ in it. */
  maskResult(name: string, result: unknown): unknown;
  /** The params of a request without what may differ in them. */
  maskRequest(name: string, params: unknown): unknown;
}

/** Nothing may differ. */
export const NO_MASKS: TestSettings = {
  maskResult: (_name, result) => result,
  maskRequest: (_name, params) => params,
};

/** What stands where something may differ. */
const MASKED = "<masked>";

interface Mask {
  readonly pattern: RegExp;
  readonly pointers: readonly string[];
}

/**
 * Reads the settings.
 *
 * @param value The file's value.
 * @returns The settings.
 * @throws {SyntaxError} When a member is unknown or a pointer is none; says where.
 */
export function readTestSettings(value: unknown): TestSettings {
  if (!isObject(value)) throw new SyntaxError("it holds no object");
  const unknown = Object.keys(value).find((key) => key !== "results" && key !== "requests");
  if (unknown !== undefined) {
    throw new SyntaxError(`"${unknown}" is unknown: it takes "results" and "requests"`);
  }
  const [results, requests] = [
    masksOf(value.results, "results"),
    masksOf(value.requests, "requests"),
  ];
  return {
    maskResult: (name, result) => masked(result, results, name),
    maskRequest: (name, params) => masked(params, requests, name),
  };
}

function masksOf(value: unknown, place: string): Mask[] {
  if (value === undefined) return [];
  if (!isObject(value)) throw new SyntaxError(`"${place}" is no object`);
  return Object.entries(value).map(([glob, pointers]) => {
    const at = `"${place}"."${glob}"`;
    if (!Array.isArray(pointers)) throw new SyntaxError(`${at} is no list of JSON pointers`);
    for (const pointer of pointers) {
      if (typeof pointer !== "string" || !pointer.split("#").every((p) => /^(\/|$)/.test(p))) {
        throw new SyntaxError(`${at}: ${JSON.stringify(pointer)} is no JSON pointer, such as /a/0`);
      }
    }
    return { pattern: globPattern(glob), pointers: pointers.map(String) };
  });
}

function masked(value: unknown, masks: readonly Mask[], name: string): unknown {
  let made = value;
  for (const { pattern, pointers } of masks) {
    if (!pattern.test(name)) continue;
    for (const pointer of pointers) made = without(made, pointer);
  }
  return made;
}

/** A copy with `MASKED` at a pointer; unchanged where the pointer leads to nothing. */
function without(value: unknown, pointer: string): unknown {
  const hash = pointer.indexOf("#");
  const [outer, inner] = hash < 0
    ? [pointer, undefined]
    : [pointer.slice(0, hash), pointer.slice(hash + 1)];
  const steps = outer.split("/").slice(1).map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~"));
  return changed(value, steps, (found) => {
    if (inner === undefined) return MASKED;
    if (typeof found !== "string") return found;
    try {
      return JSON.stringify(without(JSON.parse(found), inner));
    } catch {
      return found;
    }
  });
}

/** A copy with what is at the end of the steps replaced; the step `*` is every member. */
function changed(
  value: unknown,
  [step, ...rest]: readonly string[],
  make: (found: unknown) => unknown,
): unknown {
  if (step === undefined) return make(value);
  if (Array.isArray(value)) {
    return value.map((item: unknown, i) =>
      step === "*" || step === String(i) ? changed(item, rest, make) : item
    );
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      step === "*" || step === key ? [key, changed(item, rest, make)] : [key, item]
    ),
  );
}
