/**
 * Counts the recorded calls that a changed input schema no longer accepts.
 *
 * @module
 */

import { z } from "zod";
import { at, isObject, type JsonObject } from "../json/json.ts";
import type { ToolUse } from "./recorded_use.ts";

/** Recorded calls under a new schema. */
export interface BrokenCalls {
  /** Calls that the old schema accepts and the new one does not. */
  readonly broken: number;
  /** Whether the schemas could be applied; if not, `broken` is every call. */
  readonly isChecked: boolean;
}

/**
 * Counts the calls that break.
 *
 * @param before The tool's old input schema.
 * @param after Its new one.
 * @param use The recorded use of the tool.
 * @returns The number of calls that break. A call with a field that is gone breaks too.
 */
export function brokenCalls(before: unknown, after: unknown, use: ToolUse): BrokenCalls {
  const gone = Object.keys(fieldsOf(before)).filter((name) =>
    !Object.hasOwn(fieldsOf(after), name)
  );
  const [old, next] = [checkerOf(before), checkerOf(after)];
  if (next === undefined) return { broken: use.calls, isChecked: false };
  let broken = 0;
  for (const { value, calls } of use.arguments.values()) {
    const wasAccepted = old?.(value) ?? true;
    const isAccepted = next(value) && gone.every((name) => !Object.hasOwn(value, name));
    if (wasAccepted && !isAccepted) broken += calls;
  }
  return { broken, isChecked: true };
}

/** A function that applies a schema; undefined when the schema uses what zod cannot. */
function checkerOf(schema: unknown): ((value: JsonObject) => boolean) | undefined {
  try {
    const checker = z.fromJSONSchema(
      (isObject(schema) ? schema : {}) as Parameters<typeof z.fromJSONSchema>[0],
    );
    return (value) => checker.safeParse(value).success;
  } catch {
    return undefined;
  }
}

function fieldsOf(schema: unknown): JsonObject {
  const properties = at(schema, "properties");
  return isObject(properties) ? properties : {};
}
