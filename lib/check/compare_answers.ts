/**
 * Compares what a server answers with what was recorded.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { at, isObject, type JsonObject, jsonOrUndefined, textAt } from "../json/json.ts";
import type { RecordedAnswer } from "./recorded_session.ts";
import type { TestSettings } from "./test_settings.ts";

/** How an answer relates to the recorded one. */
export type CheckKind =
  | "equal"
  | "masked"
  | "changed"
  | "error"
  | "missing"
  | "unanswered"
  | "skipped";

/** What differs at one place. */
export interface Difference {
  /** JSON pointer; `#` leads into JSON in a text, `[NAME]` to an entry of a list. */
  readonly at: string;
  /** JSON of the value, undefined where there is none. */
  readonly before: string | undefined;
  readonly now: string | undefined;
}

/** A comparison. */
export interface AnswerComparison {
  readonly kind: CheckKind;
  /** Why, where it is not equal. */
  readonly why?: string;
  readonly differences?: readonly Difference[];
}

/** Differences that are listed. */
const MAX_LISTED = 20;
/** JSON-RPC codes of what is not there: the method, or the tool by its params. */
const NOT_FOUND = new Set([-32601]);

/**
 * Compares two answers.
 *
 * @param name The tool, else the method.
 * @param before The recorded answer.
 * @param now The answer now.
 * @param settings What may differ.
 * @returns How they differ.
 */
export function compareAnswers(
  name: string,
  before: RecordedAnswer,
  now: RecordedAnswer,
  settings: TestSettings,
): AnswerComparison {
  if (now.error !== undefined) {
    if (before.error !== undefined) {
      const same = before.error.code === now.error.code;
      return same ? { kind: "equal" } : differing("error", before.error, now.error);
    }
    const kind = NOT_FOUND.has(Number(now.error.code)) ? "missing" : "error";
    return { kind, why: `now an error: ${messageOf(now)}` };
  }
  if (before.error !== undefined) {
    return { kind: "changed", why: `was an error: ${messageOf(before)}` };
  }
  const [was, is] = [before.result ?? {}, now.result ?? {}].map((one) => plain(name, one));
  if (isAlike(was, is)) return { kind: "equal" };
  const [wasMasked, isMasked] = [settings.maskResult(name, was), settings.maskResult(name, is)];
  if (isAlike(wasMasked, isMasked)) return { kind: "masked" };
  const becameError = at(was, "isError") !== true && at(is, "isError") === true;
  return differing(becameError ? "error" : "changed", wasMasked, isMasked);
}

function differing(kind: CheckKind, before: unknown, now: unknown): AnswerComparison {
  return { kind, differences: [...differencesOf(before, now, "")].slice(0, MAX_LISTED) };
}

/** Entries of a list by their own name or URI: their places mean nothing. */
function byName(list: readonly unknown[]): Map<string, unknown> | undefined {
  const named = new Map<string, unknown>();
  for (const entry of list) {
    const name = textAt(entry, "name") ?? textAt(entry, "uri");
    if (name === undefined || named.has(name)) return undefined;
    named.set(name, entry);
  }
  return named.size === 0 ? undefined : named;
}

/** A result without what means nothing: the order of a list, and `isError: false`. */
function plain(method: string, { isError, ...rest }: JsonObject): JsonObject {
  const result: JsonObject = isError === false || isError === undefined
    ? rest
    : { ...rest, isError };
  if (!method.endsWith("/list")) return result;
  return Object.fromEntries(
    Object.entries(result).map(([key, value]) => {
      const named = Array.isArray(value) ? byName(value) : undefined;
      if (named === undefined) return [key, value];
      return [key, [...named].sort(([a], [b]) => a < b ? -1 : 1).map(([, entry]) => entry)];
    }),
  );
}

const isAlike = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);

function messageOf({ error }: RecordedAnswer): string {
  return typeof error?.message === "string" ? error.message : canonicalJson(error ?? null);
}

function* differencesOf(a: unknown, b: unknown, path: string): Generator<Difference> {
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const step = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      yield* differencesOf(a[key], b[key], step);
    }
    return;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    const [inA, inB] = [byName(a), byName(b)];
    if (inA !== undefined && inB !== undefined) {
      for (const name of new Set([...inA.keys(), ...inB.keys()])) {
        yield* differencesOf(inA.get(name), inB.get(name), `${path}/[${name}]`);
      }
      return;
    }
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      yield* differencesOf(a[i], b[i], `${path}/${i}`);
    }
    return;
  }
  if (typeof a === "string" && typeof b === "string" && a !== b) {
    const [inA, inB] = [jsonOrUndefined(a), jsonOrUndefined(b)];
    const isJson = (value: unknown) => isObject(value) || Array.isArray(value);
    if (isJson(inA) && isJson(inB)) {
      const inside = [...differencesOf(inA, inB, `${path}#`)];
      if (inside.length > 0) return yield* inside;
    }
  }
  if (a === b || (a !== undefined && b !== undefined && isAlike(a, b))) return;
  const json = (value: unknown) => value === undefined ? undefined : JSON.stringify(value);
  yield { at: path === "" ? "/" : path, before: json(a), now: json(b) };
}
