/**
 * The one spelling of a JSON value: keys sorted by code unit at every depth, no spaces.
 *
 * @module
 */

import { isObject } from "./json.ts";

/**
 * JSON with sorted keys and without spaces.
 *
 * @param value A JSON value.
 * @returns Its one spelling.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value).sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${members.join(",")}}`;
}
