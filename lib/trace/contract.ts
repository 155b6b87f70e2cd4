/**
 * Prints a tool's input schema as one line: `parcel_id:string!, full:boolean`.
 *
 * @module
 */

import { at, isObject } from "../json/json.ts";
import { toolEntries } from "./manifest.ts";
import type { Trace } from "./trace.ts";

/**
 * Prints the contract of an input schema.
 *
 * @param inputSchema A JSON Schema of an object.
 * @returns Its arguments by name, each with its type, and `!` when required.
 */
export function contractOf(inputSchema: unknown): string {
  const properties = at(inputSchema, "properties");
  const required = at(inputSchema, "required");
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {})
    .sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)
    .map(([name, schema]) => `${name}:${typeText(schema)}${needed.includes(name) ? "!" : ""}`)
    .join(", ");
}

/** The contracts of all tools that a session's server listed; the last listing counts. */
export function contractsOf(trace: Trace): Record<string, string> {
  return Object.fromEntries(
    [...toolEntries(trace)].map(([name, { inputSchema }]) => [name, contractOf(inputSchema)]),
  );
}

function typeText(schema: unknown): string {
  const type = at(schema, "type");
  if (typeof type === "string") return type;
  return Array.isArray(type)
    ? type.map((t) => typeof t === "string" ? t : "any").sort().join("|")
    : "any";
}
