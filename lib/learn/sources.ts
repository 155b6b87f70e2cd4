/**
 * Where the arguments of a recorded call came from.
 *
 * @module
 */

import { canonicalJson } from "../flow/call_key.ts";
import type { DataRecord, Leaf } from "../flow/output.ts";
import type { Output } from "../flow/session_state.ts";
import type { JsonObject } from "../trace/json.ts";

/** A source of one argument. */
export interface FoundValue {
  readonly tool: string;
  readonly path: string;
  /** Whether the argument is text and the source is not. */
  readonly isText: boolean;
}

/** A source of all arguments. */
export interface FoundRecord {
  readonly tool: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Whether an argument can be bound: a scalar. */
export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/**
 * Finds the most recent place of a value: in results first, then in arguments.
 *
 * @param outputs What the session showed, oldest first.
 * @param value The argument.
 * @returns The place; undefined when nothing showed it.
 */
export function findValue(
  outputs: readonly Output[],
  value: string | number | boolean,
): FoundValue | undefined {
  for (const side of ["result", "given"] as const) {
    for (let i = outputs.length - 1; i >= 0; i--) {
      const output = outputs[i];
      if (output === undefined) continue;
      for (const [path, leaves] of output[side].leaves) {
        const leaf = leaves.find((l) => equals(l, value));
        if (leaf !== undefined) {
          return {
            tool: output.tool,
            path,
            isText: typeof value === "string" && typeof leaf.json !== "string",
          };
        }
      }
    }
  }
  return undefined;
}

/**
 * Finds the most recent record that holds every argument.
 *
 * @param outputs What the session showed, oldest first.
 * @param args The required arguments.
 * @returns The record and which field is which argument; undefined when none holds them all.
 */
export function findRecord(
  outputs: readonly Output[],
  args: Readonly<Record<string, string | number | boolean>>,
): FoundRecord | undefined {
  for (let i = outputs.length - 1; i >= 0; i--) {
    const output = outputs[i];
    if (output === undefined) continue;
    for (const side of [output.result, output.given]) {
      for (const [path, records] of side.records) {
        for (const record of records) {
          const fields = fieldsOf(record, args);
          if (fields !== undefined) return { tool: output.tool, path, fields };
        }
      }
    }
  }
  return undefined;
}

function fieldsOf(
  record: DataRecord,
  args: Readonly<Record<string, string | number | boolean>>,
): Record<string, string> | undefined {
  const fields: Record<string, string> = {};
  for (const arg of Object.keys(args).sort()) {
    const value = args[arg];
    const field = value === undefined ? undefined : fieldHolding(record, arg, value);
    if (field === undefined) return undefined;
    fields[arg] = field;
  }
  return fields;
}

/** The field of that name first, then any that holds the value, then the records around. */
function fieldHolding(
  record: DataRecord,
  arg: string,
  value: string | number | boolean,
): string | undefined {
  let prefix = "";
  for (let here: DataRecord | undefined = record; here !== undefined; here = here.parent) {
    const named = here.fields.get(arg);
    if (named !== undefined && equals(named, value)) return prefix + arg;
    for (const [name, leaf] of here.fields) if (equals(leaf, value)) return prefix + name;
    prefix += "^";
  }
  return undefined;
}

function equals(leaf: Leaf, value: string | number | boolean): boolean {
  return leaf.json === value || (typeof value === "string" && leaf.text === value);
}

/** The scalar ones of some arguments. */
export function scalarArgs(
  args: JsonObject,
  names: readonly string[],
): Record<string, string | number | boolean> | undefined {
  const found: Record<string, string | number | boolean> = {};
  for (const name of names) {
    const value = args[name];
    if (!isScalar(value)) return undefined;
    found[name] = value;
  }
  return found;
}

/** The text that two sources share when they are the same. */
export function sourceKey(source: FoundValue | FoundRecord): string {
  return canonicalJson(
    "fields" in source ? [source.tool, source.path, source.fields] : [source.tool, source.path],
  );
}
