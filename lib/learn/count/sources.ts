/**
 * Where the arguments of a recorded call came from.
 *
 * @module
 */

import { canonicalJson } from "../../flow/state/call_key.ts";
import type { DataRecord, Leaf } from "../../flow/state/output.ts";
import type { Output } from "../../flow/state/flow_state.ts";
import type { JsonObject } from "../../json/json.ts";

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
 * Finds every kind of record that holds every argument: the same call can be read off
 * several, and which of them carries over is known only from all calls together.
 *
 * @param outputs What the session showed, oldest first.
 * @param args The required arguments.
 * @returns Each place of such a record, and which field is which argument, once.
 */
export function findRecords(
  outputs: readonly Output[],
  args: Readonly<Record<string, string | number | boolean>>,
): FoundRecord[] {
  const found = new Map<string, FoundRecord>();
  for (const output of outputs) {
    for (const side of [output.result, output.given]) {
      for (const [path, records] of side.records) {
        for (const record of records) {
          for (const fields of fieldsOf(record, args)) {
            const source = { tool: output.tool, path, fields };
            found.set(sourceKey(source), source);
          }
        }
      }
    }
  }
  return [...found.values()];
}

/** Ways to read one call off one record; more are names for the same. */
const MAX_WAYS = 16;

function fieldsOf(
  record: DataRecord,
  args: Readonly<Record<string, string | number | boolean>>,
): Record<string, string>[] {
  let ways: Record<string, string>[] = [{}];
  for (const arg of Object.keys(args).sort()) {
    const value = args[arg];
    const fields = value === undefined ? [] : fieldsHolding(record, arg, value);
    ways = ways.flatMap((way) => fields.map((field) => ({ ...way, [arg]: field })))
      .slice(0, MAX_WAYS);
    if (ways.length === 0) return [];
  }
  return ways;
}

/** The fields that hold the value, of the record and of those around it; that of its name first. */
function fieldsHolding(
  record: DataRecord,
  arg: string,
  value: string | number | boolean,
): string[] {
  const found: string[] = [];
  let prefix = "";
  for (let here: DataRecord | undefined = record; here !== undefined; here = here.parent) {
    const named = here.fields.get(arg);
    if (named !== undefined && equals(named, value)) found.push(prefix + arg);
    for (const [name, leaf] of here.fields) {
      if (name !== arg && equals(leaf, value)) found.push(prefix + name);
    }
    prefix += "^";
  }
  return found;
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
