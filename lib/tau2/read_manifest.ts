/**
 * Reads manifests, task splits and rewards from files.
 *
 * @module
 */

import { at, isObject, textAt } from "../json/json.ts";
import { docOf, type Manifest, type ToolDoc, type ToolKind } from "../trace/manifest.ts";
import { contractOf } from "../trace/contract.ts";
import { parseResults, ResultsSyntaxError } from "./results_error.ts";

/** A manifest, with contracts if the file has input schemas. */
export interface ManifestFile {
  readonly manifest: Manifest;
  readonly contracts: Readonly<Record<string, string>> | undefined;
}

/**
 * Reads a manifest: `{domain, tools: {name: kind}}`, or a list of tools with kind and schema.
 *
 * @param text The file's text.
 * @param path The file's name, for messages.
 * @returns The manifest.
 * @throws {ResultsSyntaxError} When the file is neither.
 */
export function readManifest(text: string, path: string): ManifestFile {
  const json = parseResults(text, path);
  const tools = at(json, "tools");
  const kinds: [string, ToolKind][] = [];
  const contracts: Record<string, string> = {};
  const docs: Record<string, ToolDoc> = {};
  const add = (where: string, name: string | undefined, kind: unknown) => {
    if (name === undefined) throw new ResultsSyntaxError(path, where, "has no name");
    if (kind !== "read" && kind !== "write" && kind !== "generic") {
      throw new ResultsSyntaxError(path, where, "has a kind that is not read, write or generic");
    }
    kinds.push([name, kind]);
  };
  if (Array.isArray(tools)) {
    tools.forEach((tool, i) => {
      const name = textAt(tool, "name");
      add(`$.tools[${i}]`, name, at(tool, "kind"));
      const schema = at(tool, "inputSchema");
      if (name !== undefined && schema !== undefined) contracts[name] = contractOf(schema);
      const doc = docOf(isObject(tool) ? tool : {});
      if (name !== undefined && doc !== undefined) docs[name] = doc;
    });
  } else if (isObject(tools)) {
    for (const [name, kind] of Object.entries(tools)) add(`$.tools.${name}`, name, kind);
    Object.assign(docs, docsOf(at(json, "docs"), path));
  } else throw new ResultsSyntaxError(path, "$.tools", "is missing");
  kinds.sort(([a], [b]) => a < b ? -1 : 1);
  return {
    manifest: {
      domain: textAt(json, "domain") ?? "",
      tools: Object.fromEntries(kinds),
      ...(Object.keys(docs).length === 0 ? {} : { docs }),
    },
    contracts: Object.keys(contracts).length === 0 ? undefined : contracts,
  };
}

function docsOf(given: unknown, path: string): Record<string, ToolDoc> {
  const docs: Record<string, ToolDoc> = {};
  for (const [tool, doc] of Object.entries(isObject(given) ? given : {})) {
    const args = Object.entries(at(doc, "args") ?? {});
    const summary = textAt(doc, "summary");
    if (summary === undefined || args.some(([, words]) => typeof words !== "string")) {
      throw new ResultsSyntaxError(
        path,
        `$.docs.${tool}`,
        "is not a summary and words of arguments",
      );
    }
    docs[tool] = { summary, args: Object.fromEntries(args) };
  }
  return docs;
}

/**
 * Reads the tasks of one part of a split.
 *
 * @param text The file's text: `{part: [task, …]}`.
 * @param path The file's name, for messages.
 * @param part The part.
 * @returns The ids of the tasks.
 * @throws {ResultsSyntaxError} When the file has no such part.
 */
export function readSplit(text: string, path: string, part: string): Set<string> {
  const list = at(parseResults(text, path), part);
  if (!Array.isArray(list)) {
    throw new ResultsSyntaxError(path, `$.${part}`, "is not a list of tasks");
  }
  return new Set(list.map(String));
}

/** Reads a file of rewards: an object from session to number. */
export function readRewards(text: string, path: string): Map<string, number> {
  const json = parseResults(text, path);
  if (!isObject(json)) throw new ResultsSyntaxError(path, "$", "is not an object");
  return new Map(
    Object.entries(json).map(([session, reward]) => {
      if (typeof reward !== "number") {
        throw new ResultsSyntaxError(path, `$.${session}`, "is not a number");
      }
      return [session, reward];
    }),
  );
}
