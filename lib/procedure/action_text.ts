/**
 * Reads and writes actions as text: a tool name alone, or followed directly by its
 * arguments as JSON, with `, ` and `: ` as separators and sorted keys.
 *
 * @module
 */

import { isObject } from "../json/json.ts";
import type { Action, Argument } from "./procedure.ts";
import { parseReference } from "./reference.ts";

/**
 * Reads an action.
 *
 * @param text The action's text.
 * @param symbolic Whether texts that begin with `@` are references.
 * @returns The action.
 * @throws {SyntaxError} When the text cannot be read; the message says why.
 */
export function parseAction(text: string, symbolic: boolean): Action {
  const brace = text.indexOf("{");
  const tool = brace < 0 ? text : text.slice(0, brace);
  if (tool.trim() === "") throw new SyntaxError(`"${text}" names no tool`);
  if (brace < 0) return { text, tool, arguments: undefined };
  let json: unknown;
  try {
    json = JSON.parse(text.slice(brace));
  } catch {
    throw new SyntaxError(`the arguments of "${text}" are not JSON`);
  }
  if (!isObject(json)) throw new SyntaxError(`the arguments of "${text}" are not an object`);
  return { text, tool, arguments: fieldsOf(json, symbolic) };
}

function fieldsOf(json: Readonly<Record<string, unknown>>, symbolic: boolean) {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, argumentOf(value, symbolic)]),
  );
}

function argumentOf(json: unknown, symbolic: boolean): Argument {
  if (typeof json === "string" && symbolic && json.startsWith("@")) {
    return json.startsWith("@@")
      ? { kind: "value", json: json.slice(1) }
      : { kind: "reference", reference: parseReference(json) };
  }
  if (Array.isArray(json)) {
    return { kind: "list", items: json.map((item) => argumentOf(item, symbolic)) };
  }
  if (isObject(json)) return { kind: "object", fields: fieldsOf(json, symbolic) };
  return { kind: "value", json };
}

/**
 * Writes an action.
 *
 * @param tool The tool.
 * @param args Its arguments, references as texts.
 * @returns The text; equal actions have equal texts.
 */
export function actionText(tool: string, args: Readonly<Record<string, unknown>>): string {
  return tool + spaced(args);
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}: ${spaced(item)}`).join(", ")}}`;
}
