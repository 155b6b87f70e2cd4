/**
 * Reads arguments as the benchmark's tools do: names are checked, types hardly.
 *
 * @module
 */

import { isObject, type JsonObject } from "../json/json.ts";
import { refuseTool } from "./refusal.ts";

/**
 * Refuses unknown and missing arguments.
 *
 * @param tool The tool with its class, as the message names it.
 * @param names The names of its arguments, in order.
 * @param args The given arguments.
 * @throws {ToolRefusal} When an argument is unknown or missing.
 */
export function checkNames(tool: string, names: readonly string[], args: JsonObject): void {
  const extra = Object.keys(args).find((name) => !names.includes(name));
  if (extra !== undefined) refuseTool(`${tool}() got an unexpected keyword argument '${extra}'`);
  const missing = names.filter((name) => !Object.hasOwn(args, name)).map((name) => `'${name}'`);
  if (missing.length === 0) return;
  const last = missing.pop() ?? "";
  const list = missing.length === 0
    ? last
    : `${missing.join(", ")}${missing.length > 1 ? "," : ""} and ${last}`;
  const count = missing.length + 1;
  refuseTool(
    `${tool}() missing ${count} required positional argument${count > 1 ? "s" : ""}: ${list}`,
  );
}

/** Reads a text; any other value reads as an empty text, which no record has. */
export function textArg(args: JsonObject, name: string): string {
  const value = args[name];
  return typeof value === "string" ? value : "";
}

/** Reads a list of texts. A text reads as the list of its characters, as in the benchmark. */
export function textsArg(args: JsonObject, name: string): string[] {
  const value = args[name];
  if (typeof value === "string") return [...value];
  return Array.isArray(value) ? value.map(String) : [];
}

/**
 * Reads a whole number, also from a text.
 *
 * @throws {ToolRefusal} When the value is not a whole number.
 */
export function wholeArg(args: JsonObject, name: string): number {
  const value = args[name];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number)) return number;
  return refuseTool(`1 validation error\n${name}\n  Input should be a valid integer`);
}

/**
 * Reads one of a set of words.
 *
 * @throws {ToolRefusal} When the value is another word.
 */
export function wordArg<const W extends string>(
  args: JsonObject,
  name: string,
  words: readonly W[],
): W {
  const found = words.find((word) => word === args[name]);
  if (found !== undefined) return found;
  const list = words.map((word) => `'${word}'`).join(" or ");
  return refuseTool(`1 validation error\n${name}\n  Input should be ${list}`);
}

/**
 * Reads a list of records; unknown fields are dropped.
 *
 * @param args The arguments.
 * @param name The argument that holds the list.
 * @param shape The name of the record's class, as messages use it, and its fields.
 * @throws {ToolRefusal} When the argument is not such a list.
 */
export function recordsArg<const F extends string>(
  args: JsonObject,
  name: string,
  { model, fields }: { readonly model: string; readonly fields: readonly F[] },
): Record<F, unknown>[] {
  const list = args[name];
  if (!Array.isArray(list)) {
    return refuseTool(`1 validation error\n${name}\n  Input should be a list`);
  }
  return list.map((item: unknown) => {
    const missing = fields.filter((field) => !isObject(item) || !Object.hasOwn(item, field));
    if (!isObject(item) || missing.length > 0) {
      const errors = missing.map((field) => `\n${field}\n  Field required`).join("");
      return refuseTool(
        `${missing.length} validation error${missing.length > 1 ? "s" : ""} for ${model}${errors}`,
      );
    }
    return Object.fromEntries(fields.map((field) => [field, item[field]])) as Record<F, unknown>;
  });
}
