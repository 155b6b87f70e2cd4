/**
 * Lists the tools of a session with their kinds.
 *
 * Kinds are the server's own claims: `readOnlyHint: true` is a read, `false` a
 * write, and no hint is generic, which means unknown. A tool that was called but
 * never listed is generic too.
 *
 * @module
 */

import type { SessionLog } from "../log/log.ts";
import { COMMIT_TOOL } from "./calls.ts";
import { at, isObject, type JsonObject, textAt } from "../json/json.ts";
import { type Trace, traceOf } from "./trace.ts";

/** The effect of a tool, as its server declares it. */
export type ToolKind = "read" | "write" | "generic";

/** The descriptions in a tool's listing. */
export interface ToolDoc {
  /** The tool's description. */
  readonly summary: string;
  /** The description of each argument that has one. */
  readonly args: Readonly<Record<string, string>>;
}

/** The tools of a domain. */
export interface Manifest {
  /** The domain's name. */
  readonly domain: string;
  /** Each tool's kind, sorted by name. */
  readonly tools: Readonly<Record<string, ToolKind>>;
  /** The descriptions of the tools that have one; absent when none has. */
  readonly docs?: Readonly<Record<string, ToolDoc>>;
}

/**
 * Lists the tools of a recorded session.
 *
 * Pages of a listing, and listings after a change, add up; the last listing of
 * a tool decides its kind.
 *
 * @example Usage
 * ```ts
 * import { manifest, readLog } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const tools = manifest(await readLog("testdata/sessions/v2/shop.jsonl"));
 * assertEquals(tools.tools.get_user_details, "read");
 * assertEquals(tools.tools.cancel_pending_order, "write");
 * ```
 *
 * @param log The session log.
 * @param domain The domain to name; by default the log's, else its server's name.
 * @returns The manifest.
 */
export function manifest(log: SessionLog, domain?: string): Manifest {
  const seen = traceOf(log);
  const { header } = log;
  return manifestOf(
    seen,
    domain ?? header.domain ?? header.server_name ?? seen.parties.server?.name ?? "",
  );
}

/** {@linkcode manifest} for a trace. */
export function manifestOf(seen: Trace, domain: string): Manifest {
  const listed = toolEntries(seen);
  const kinds = new Map<string, ToolKind>();
  for (const { call } of seen.steps.values()) kinds.set(call.name, "generic");
  for (const [name, tool] of listed) kinds.set(name, kindOf(tool));
  kinds.delete(COMMIT_TOOL);
  const docs = sorted(listed).flatMap(([name, tool]) => {
    const doc = docOf(tool);
    return doc === undefined || name === COMMIT_TOOL ? [] : [[name, doc] as const];
  });
  return {
    domain,
    tools: Object.fromEntries(sorted(kinds)),
    ...(docs.length > 0 ? { docs: Object.fromEntries(docs) } : {}),
  };
}

/**
 * The entries of all tools that a session's server listed.
 *
 * @param trace The session.
 * @returns Each tool's entry of `tools/list`, by name; the last listing of a tool counts.
 */
export function toolEntries({ pairs }: Trace): Map<string, JsonObject> {
  const tools = new Map<string, JsonObject>();
  for (const { request, answers } of pairs.exchanges) {
    if (request.method !== "tools/list" || request.from === "server") continue;
    const page = at(answers[0]?.result, "tools");
    for (const tool of Array.isArray(page) ? page : []) {
      const name = textAt(tool, "name");
      if (name !== undefined && isObject(tool)) tools.set(name, tool);
    }
  }
  return tools;
}

function kindOf(tool: JsonObject): ToolKind {
  const hint = at(tool, "annotations", "readOnlyHint");
  return hint === true ? "read" : hint === false ? "write" : "generic";
}

/** The descriptions of a listed tool; undefined when it has none. */
export function docOf(tool: JsonObject): ToolDoc | undefined {
  const summary = textAt(tool, "description");
  const properties = at(tool, "inputSchema", "properties");
  const args = Object.entries(isObject(properties) ? properties : {}).flatMap(([arg, schema]) => {
    const description = textAt(schema, "description");
    return description === undefined ? [] : [[arg, description] as const];
  });
  if (summary === undefined && args.length === 0) return undefined;
  return { summary: summary ?? "", args: Object.fromEntries(args) };
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
}
