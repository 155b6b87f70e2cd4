/**
 * Reads everything that a server lists, as `hoist lock` keeps it.
 *
 * @module
 */

import { ambiguousKey } from "../json/ambiguous_key.ts";
import { at, isObject, type JsonObject, jsonText, textAt } from "../json/json.ts";
import type { ReadLists } from "../ports/read_lists.ts";
import { entryId, LIST_KINDS, type ListKey, type ListKind } from "../tool_lock/locked_lists.ts";
import { RawClient } from "./raw_client.ts";

const LIST_MS = 60_000;
const MAX_PAGES = 1000;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Starts a server, reads its lists, and ends it. */
export const readLists: ReadLists = async (command, runtime) => {
  const client = new RawClient({ command, say: runtime.say });
  try {
    const opened = await client.open();
    const capabilities = at(opened, "capabilities");
    const lists: Partial<Record<ListKey, JsonObject[]>> = {};
    for (const kind of LIST_KINDS) {
      lists[kind.key] = at(capabilities, kind.capability) === undefined
        ? []
        : await readList(kind, client);
    }
    const { tools = [], prompts = [], resources = [], resource_templates = [] } = lists;
    return {
      name: textAt(opened, "serverInfo", "name"),
      version: textAt(opened, "serverInfo", "version"),
      instructions: textAt(opened, "instructions") ?? "",
      lists: { tools, prompts, resources, resource_templates },
    };
  } finally {
    await client.close();
  }
};

async function readList(kind: ListKind, client: RawClient): Promise<JsonObject[]> {
  const found = new Map<string, JsonObject>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { line, value } = await client.request(kind.method, params, LIST_MS);
    const error = at(value, "error");
    // Servers with resources need not have templates.
    if (error !== undefined && kind.key === "resource_templates") return [];
    const entries = at(value, "result", kind.member);
    if (!Array.isArray(entries)) {
      throw new Error(`${kind.method} lists nothing: ${jsonText(error ?? value)}`);
    }
    const twice = ambiguousKey(strict.decode(line));
    if (twice !== undefined) {
      throw new Error(
        `the answer to ${kind.method} has ${jsonText(twice[0])} beside ${jsonText(twice[1])}`,
      );
    }
    for (const entry of entries) {
      const id = entryId(kind, entry);
      if (!isObject(entry) || id === undefined) {
        throw new Error(`${kind.method} lists an entry without a "${kind.id}"`);
      }
      if (found.has(id)) throw new Error(`${kind.method} lists ${jsonText(id)} twice`);
      found.set(id, entry);
    }
    cursor = textAt(at(value, "result"), "nextCursor") || undefined;
    if (cursor === undefined) return [...found.values()];
  }
  throw new Error(`${kind.method} has more than ${MAX_PAGES} pages`);
}
