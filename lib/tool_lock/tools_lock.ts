/**
 * The lock file: what a server said about itself when a user took it, entry by entry, each
 * with its hash. docs/formats.md describes it.
 *
 * @module
 */

import { at, isObject, type JsonObject, textAt } from "../json/json.ts";
import { reasonOf } from "../text/reason.ts";
import {
  entryHash,
  entryId,
  LIST_KINDS,
  type ListKey,
  type ServerLists,
  textSha256,
} from "./locked_lists.ts";

/** The name of a lock by default. */
export const LOCK_FILE = "tools.lock.json";

/** A part of a server that a lock may leave out. */
export type LockedPart = ListKey | "instructions";

/** A lock. A part that is undefined is not locked. */
export interface ToolsLock {
  readonly server: { readonly name: string | null; readonly version: string | null };
  /** The instructions; empty for none. */
  readonly instructions: string | undefined;
  readonly lists: Readonly<Record<ListKey, ReadonlyMap<string, JsonObject> | undefined>>;
}

/**
 * Makes the lock of a server.
 *
 * @param given What the server says.
 * @param without The parts that are left out.
 * @returns The lock.
 */
export function lockOf(given: ServerLists, without: ReadonlySet<string> = new Set()): ToolsLock {
  return {
    server: { name: given.name ?? null, version: given.version ?? null },
    instructions: without.has("instructions") ? undefined : given.instructions,
    lists: listsBy((kind) => {
      if (without.has(kind.key)) return undefined;
      return new Map(
        given.lists[kind.key].map((entry) => [entryId(kind, entry) ?? "", entry] as const),
      );
    }),
  };
}

/** Prints a lock as the text of its file. */
export function printLock({ server, instructions, lists }: ToolsLock): string {
  const json = {
    hoist_tools_lock: 1,
    server,
    instructions: instructions === undefined
      ? null
      : { sha256: textSha256(instructions), text: instructions },
    ...listsBy(({ key, id }) =>
      lists[key] === undefined
        ? null
        : [...lists[key]].toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)
          .map(([name, entry]) => ({ [id]: name, sha256: entryHash(entry), entry }))
    ),
  };
  return JSON.stringify(json, null, 2) + "\n";
}

/**
 * Reads a lock.
 *
 * @param text The text of its file.
 * @param path The file's name, for errors.
 * @returns The lock.
 * @throws {SyntaxError} When it is no lock, or an entry does not fit its hash; names the place.
 */
export function readLock(text: string, path: string): ToolsLock {
  const fault = (why: string) => new SyntaxError(`Cannot read "${path}": ${why}`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw fault(reasonOf(error));
  }
  const version = at(json, "hoist_tools_lock");
  if (version !== 1) {
    throw fault(
      version === undefined
        ? 'it is no lock: "hoist_tools_lock" is missing'
        : `"hoist_tools_lock" is ${JSON.stringify(version)}, only 1 is known`,
    );
  }
  return {
    server: {
      name: textAt(json, "server", "name") ?? null,
      version: textAt(json, "server", "version") ?? null,
    },
    instructions: readInstructions(at(json, "instructions"), fault),
    lists: listsBy((kind) => {
      const list = at(json, kind.key);
      if (list === null) return undefined;
      if (!Array.isArray(list)) throw fault(`"${kind.key}" must be a list, or null`);
      const entries = list.map((item: unknown, i) => {
        const entry = at(item, "entry");
        const place = `${kind.key}[${i}]`;
        const id = entryId(kind, entry);
        if (!isObject(entry) || id === undefined) {
          throw fault(`${place}.entry must be an object with a "${kind.id}"`);
        }
        if (textAt(item, "sha256") !== entryHash(entry)) {
          throw fault(`${place}: "${id}" does not fit its sha256; make the lock again`);
        }
        return [id, entry] as const;
      });
      const found = new Map(entries);
      if (found.size < entries.length) throw fault(`"${kind.key}" has an entry twice`);
      return found;
    }),
  };
}

function readInstructions(json: unknown, fault: (why: string) => Error): string | undefined {
  if (json === null) return undefined;
  const text = textAt(json, "text");
  if (text === undefined) throw fault('"instructions" must be an object with a "text", or null');
  if (textAt(json, "sha256") !== textSha256(text)) {
    throw fault('"instructions" do not fit their sha256; make the lock again');
  }
  return text;
}

function listsBy<T>(make: (kind: typeof LIST_KINDS[number]) => T): Record<ListKey, T> {
  const [tools, prompts, resources, templates] = LIST_KINDS.map(make);
  // The table has a row of each.
  return { tools, prompts, resources, resource_templates: templates } as Record<ListKey, T>;
}
