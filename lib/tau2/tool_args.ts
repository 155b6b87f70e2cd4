/**
 * Arguments of the benchmark's tools, taken as its own tools take them: checked
 * by name, and hardly by type.
 *
 * @module
 */

import { isObject, type JsonObject } from "../json/json.ts";
import { refuseTool } from "./refusal.ts";

/**
 * Refuses arguments that a tool does not have, and calls that lack one it needs.
 *
 * @param tool The tool, with its class, as the message names it.
 * @param names Its arguments, in its order.
 * @param args What it was given.
 * @throws {ToolRefusal} When they do not fit.
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

/** A text; anything else is a text that no record has. */
export function textArg(args: JsonObject, name: string): string {
  const value = args[name];
  return typeof value === "string" ? value : "";
}

/** A list of texts. A text in its place is the list of its characters, as it is there. */
export function textsArg(args: JsonObject, name: string): string[] {
  const value = args[name];
  if (typeof value === "string") return [...value];
  return Array.isArray(value) ? value.map(String) : [];
}

/**
 * A whole number, also spelled as a text.
 *
 * @throws {ToolRefusal} When it is none.
 */
export function wholeArg(args: JsonObject, name: string): number {
  const value = args[name];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number)) return number;
  return refuseTool(`1 validation error\n${name}\n  Input should be a valid integer`);
}

/**
 * One of some words.
 *
 * @throws {ToolRefusal} When it is another.
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
 * A list of records, each with the fields it needs; other fields are dropped.
 *
 * @param model What a record is, as the message names it.
 * @param fields Its fields.
 * @throws {ToolRefusal} When the argument is no such list.
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
