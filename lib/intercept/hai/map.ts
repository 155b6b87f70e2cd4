/**
 * The map of a server: what each of its tools is, and which arguments are paths. A tool or an
 * argument that it does not name is refused, so a server that grows gains nothing.
 *
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../json/json.ts";
import type { GatedUse } from "../../ports/tool_gate.ts";
import { messageOf } from "../../text/reason.ts";

const name = z.string().min(1, "must not be empty");

const toolSchema = z.strictObject({
  /** A capability of a session. */
  action: z.string().regex(/^[a-z][a-z_]*$/, "must be a word such as read"),
  /** Arguments that are paths, or lists of paths. */
  paths: z.array(name).optional(),
  /** Arguments that are anything else. */
  other: z.array(name).optional(),
});

const mapSchema = z.strictObject({
  hoist_hai_map: z.literal(1),
  /** The server's name in contracts. */
  server: name,
  /** The folder that relative paths start from; without it they are refused. */
  base: z.string().regex(/^\//, "must be an absolute path").optional(),
  tools: z.record(name, toolSchema),
});

/** A server's map. */
export type HaiMap = z.infer<typeof mapSchema>;

/** The schema of map files, as JSON Schema. */
export function haiMapJsonSchema(): unknown {
  return z.toJSONSchema(mapSchema);
}

/**
 * Reads a map.
 *
 * @param text The file's text, JSON or YAML.
 * @param path The file, for messages.
 * @returns The map.
 * @throws {SyntaxError} When it cannot be used; names the place.
 */
export async function readHaiMap(text: string, path: string): Promise<HaiMap> {
  const fault = (what: string) => new SyntaxError(`--hai-map "${path}": ${what}`);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    try {
      // Loaded for YAML only.
      content = (await import("yaml")).parse(text);
    } catch (error) {
      throw fault(`it is neither JSON nor YAML: ${messageOf(error).split("\n")[0]}`);
    }
  }
  const parsed = mapSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw fault(`$.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is wrong"}`);
}

/**
 * Says what a call does.
 *
 * @param map The server's map.
 * @param tool The tool.
 * @param args Its arguments.
 * @returns What it does, or why that cannot be told.
 */
export function useOf(
  map: HaiMap,
  tool: string,
  args: JsonObject,
): GatedUse | { readonly fault: string } {
  const entry = Object.hasOwn(map.tools, tool) ? map.tools[tool] : undefined;
  if (entry === undefined) return { fault: `the map does not know the tool ${tool}` };
  const { action, paths: named = [], other = [] } = entry;
  const paths: string[] = [];
  for (const [key, value] of Object.entries(args)) {
    if (other.includes(key)) continue;
    if (!named.includes(key)) {
      return { fault: `the map does not know the argument ${key} of ${tool}` };
    }
    if (value === null) continue;
    for (const path of Array.isArray(value) ? value : [value]) {
      const found = typeof path === "string" ? plainPath(path, map.base) : undefined;
      if (found === undefined) {
        return { fault: `the argument ${key} of ${tool} is no absolute path without ".."` };
      }
      paths.push(found);
    }
  }
  return { tool, action, paths };
}

/** A path as the server opens it; undefined for what servers read in different ways, such as `..`. */
function plainPath(path: string, base: string | undefined): string | undefined {
  if (path === "" || path.startsWith("~") || path.includes("\0") || path.includes("\\")) {
    return undefined;
  }
  if (path.split("/").includes("..")) return undefined;
  if (/^[a-z][a-z\d+.-]*:/i.test(path) || path !== path.trim()) return undefined;
  if (path.startsWith("/")) return path;
  return base === undefined ? undefined : `${base}/${path}`;
}
