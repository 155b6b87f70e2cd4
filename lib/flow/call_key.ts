/**
 * The identity of a call: its tool and its arguments, however their keys are ordered.
 *
 * @module
 */

import { isObject, type JsonObject } from "../trace/json.ts";

/**
 * Names a call.
 *
 * @param tool The tool.
 * @param args Its arguments.
 * @returns Text that two calls share when they are the same.
 */
export function callKey(tool: string, args: JsonObject): string {
  return `${tool} ${canonicalJson(args)}`;
}

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
