/**
 * Compares what a server says with its lock.
 *
 * @module
 */

import { type SchemaChange, schemaChanges } from "../catalog/schema_change.ts";
import { canonicalJson } from "../json/canonical_json.ts";
import { at, type JsonObject } from "../json/json.ts";
import { excerpt } from "../text/printable.ts";
import { comparedForm, LIST_KINDS, type ListKind } from "./locked_lists.ts";
import { type Mark, marksIn, nameMarks } from "./marks.ts";
import type { ToolsLock } from "./tools_lock.ts";

/** One change. */
export interface LockChange {
  /** The word for what changed: `tool`, `prompt`, `resource`, `instructions`. */
  readonly word: string;
  readonly name: string;
  readonly kind: "new" | "gone" | "changed";
  /** What changed, in words, each on a line. */
  readonly what: readonly string[];
  /** What a person easily misses in the new text. */
  readonly marks: readonly Mark[];
}

/**
 * Says in what an entry differs from the locked one.
 *
 * @param locked The locked entry; undefined when there is none of its name.
 * @param entry The entry that the server lists.
 * @returns The parts that differ, in a word each; empty when it is as it was locked.
 */
export function changedParts(locked: JsonObject | undefined, entry: JsonObject): string[] {
  if (locked === undefined) return ["new"];
  if (comparedForm(locked) === comparedForm(entry)) return [];
  return [...new Set([...Object.keys(locked), ...Object.keys(entry)])].filter((part) =>
    comparedForm({ [part]: locked[part] ?? null }) !== comparedForm({ [part]: entry[part] ?? null })
  );
}

/**
 * Compares two locks.
 *
 * @param locked The lock that a user took.
 * @param now The lock that the server would have now.
 * @returns The changes. A part that is not locked has none.
 */
export function lockChanges(locked: ToolsLock, now: ToolsLock): LockChange[] {
  const changes: LockChange[] = [];
  if (locked.instructions !== undefined && now.instructions !== undefined) {
    changes.push(...instructionChanges(locked.instructions, now.instructions));
  }
  for (const kind of LIST_KINDS) {
    const [old, next] = [locked.lists[kind.key], now.lists[kind.key]];
    if (old !== undefined && next !== undefined) changes.push(...listChanges(kind, old, next));
  }
  return changes;
}

/** The marks of everything a lock holds, as if all were new. */
export function lockMarks(lock: ToolsLock): LockChange[] {
  const empty: ToolsLock = {
    ...lock,
    instructions: lock.instructions === undefined ? undefined : "",
    lists: {
      tools: new Map(),
      prompts: new Map(),
      resources: new Map(),
      resource_templates: new Map(),
    },
  };
  return lockChanges(empty, lock).filter(({ marks }) => marks.length > 0);
}

function instructionChanges(old: string, next: string): LockChange[] {
  if (old === next) return [];
  const what = [`was ${shown(old)}`, `is ${shown(next)}`];
  return [{ word: "instructions", name: "", kind: "changed", what, marks: marksIn(next) }];
}

type Entries = ReadonlyMap<string, JsonObject>;

function listChanges({ word, id }: ListKind, old: Entries, next: Entries): LockChange[] {
  const changes: LockChange[] = [];
  for (const [name, entry] of next) {
    const locked = old.get(name);
    const parts = changedParts(locked, entry);
    if (parts.length === 0) continue;
    const others = id === "name" ? [...old.keys(), ...next.keys()] : [];
    const isNew = locked === undefined;
    changes.push({
      word,
      name,
      kind: isNew ? "new" : "changed",
      what: isNew
        ? [shown(entry.description)]
        : parts.flatMap((p) => partChanges(p, locked, entry)),
      marks: [...isNew ? nameMarks(name, others) : [], ...marksIn(entry)],
    });
  }
  for (const name of old.keys()) {
    if (next.has(name)) continue;
    changes.push({ word, name, kind: "gone", what: [], marks: [] });
  }
  return changes;
}

function partChanges(part: string, old: JsonObject, next: JsonObject): string[] {
  if (part === "inputSchema" || part === "outputSchema") {
    const changes: readonly SchemaChange[] = schemaChanges(old[part], next[part]);
    const words = changes.map(({ path, kind, what }) =>
      `${part} ${kind}: ${path === "" ? "" : `${path} `}${excerpt(what, 400)}`
    );
    return words.length > 0 ? words : [`${part} changed`];
  }
  if (part === "annotations") {
    const isWrite = at(old, part, "readOnlyHint") === true &&
      at(next, part, "readOnlyHint") !== true;
    return [
      ...isWrite ? ["turns a read into a write"] : [],
      `annotations were ${shown(old[part])}, are ${shown(next[part])}`,
    ];
  }
  return [`${part} was ${shown(old[part])}`, `${part} is ${shown(next[part])}`];
}

/** A value on one line, whole unless it is very long: what is cut cannot be reviewed. */
function shown(value: unknown): string {
  if (value === undefined) return "absent";
  return excerpt(typeof value === "string" ? `"${value}"` : canonicalJson(value), 4000);
}
