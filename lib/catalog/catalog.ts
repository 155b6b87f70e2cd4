/**
 * Reads tool lists: of a session, or of a file with what a server answered to `tools/list`.
 *
 * @module
 */

import { at, isObject, type JsonObject, textAt } from "../json/json.ts";
import { COMMIT_TOOL } from "../trace/calls.ts";
import { toolEntries } from "../trace/manifest.ts";
import type { Trace } from "../trace/trace.ts";

/** The tools of a server by name, each as its entry of `tools/list`. */
export type Catalog = ReadonlyMap<string, JsonObject>;

/**
 * The tools that a session's server listed.
 *
 * @param trace The session.
 * @returns The tools, without the one that `--commit` adds.
 */
export function catalogOf(trace: Trace): Catalog {
  const tools = toolEntries(trace);
  tools.delete(COMMIT_TOOL);
  return tools;
}

/**
 * Finds a tool list in parsed JSON: `[tool, …]`, `{"tools": […]}`, or a response that holds one.
 *
 * @param json The parsed JSON.
 * @returns The tools; undefined when there is no list.
 */
export function readCatalog(json: unknown): Catalog | undefined {
  const list = Array.isArray(json) ? json : at(json, "tools") ?? at(json, "result", "tools");
  if (!Array.isArray(list)) return undefined;
  const tools = new Map<string, JsonObject>();
  for (const tool of list) {
    const name = textAt(tool, "name");
    if (name === undefined || !isObject(tool)) return undefined;
    tools.set(name, tool);
  }
  return tools;
}

/** Whether a tool claims that it changes nothing. */
export function isReadOnly(tool: JsonObject | undefined): boolean {
  return at(tool, "annotations", "readOnlyHint") === true;
}
