/**
 * Canonical JSON: keys sorted by code unit at every depth, no spaces.
 *
 * @module
 */

import { isObject } from "./json.ts";

/**
 * Prints a value as canonical JSON.
 *
 * @param value A JSON value.
 * @returns The same text for equal values.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  let text = "";
  // A stack, not recursion: arguments may be nested deeper than calls can be.
  const rest: { readonly before: string; readonly value?: unknown }[] = [{ before: "", value }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    text += next.before;
    if (!("value" in next)) continue;
    if (Array.isArray(next.value)) {
      const items = next.value.map((item, i) => ({ before: i === 0 ? "[" : ",", value: item }));
      rest.push({ before: items.length === 0 ? "[]" : "]" }, ...items.reverse());
    } else if (isObject(next.value)) {
      const object = next.value;
      const members = Object.keys(object).sort().map((key, i) => ({
        before: `${i === 0 ? "{" : ","}${JSON.stringify(key)}:`,
        value: object[key],
      }));
      rest.push({ before: members.length === 0 ? "{}" : "}" }, ...members.reverse());
    } else text += JSON.stringify(next.value) ?? "null";
  }
  return text;
}
