/**
 * The lists of a server that a lock keeps, and the form in which their entries are compared.
 *
 * Two entries are equal if they say the same to a host: the order of keys, a dialect's
 * `$schema`, and members that state what the specification takes for granted do not count.
 * Every other byte of a text does.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { canonicalJson } from "../json/canonical_json.ts";
import { at, isObject, type JsonObject, textAt } from "../json/json.ts";

/** A list of a server. */
export interface ListKind {
  /** Its key in the lock. */
  readonly key: "tools" | "prompts" | "resources" | "resource_templates";
  /** The word for one of its entries. */
  readonly word: string;
  /** The request that lists it. */
  readonly method: string;
  /** The member of the result that holds it. */
  readonly member: string;
  /** The member that tells its entries apart. */
  readonly id: "name" | "uri" | "uriTemplate";
  /** The capability that a server with this list has. */
  readonly capability: "tools" | "prompts" | "resources";
}

/** The lists, in the order of the lock. */
export const LIST_KINDS: readonly ListKind[] = [
  {
    key: "tools",
    word: "tool",
    method: "tools/list",
    member: "tools",
    id: "name",
    capability: "tools",
  },
  {
    key: "prompts",
    word: "prompt",
    method: "prompts/list",
    member: "prompts",
    id: "name",
    capability: "prompts",
  },
  {
    key: "resources",
    word: "resource",
    method: "resources/list",
    member: "resources",
    id: "uri",
    capability: "resources",
  },
  {
    key: "resource_templates",
    word: "resource template",
    method: "resources/templates/list",
    member: "resourceTemplates",
    id: "uriTemplate",
    capability: "resources",
  },
];

/** The key of a list in the lock. */
export type ListKey = ListKind["key"];

/** Everything a server says about itself that a model reads. */
export interface ServerLists {
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Its instructions; empty when it has none. */
  readonly instructions: string;
  /** Its lists; a server without the capability has an empty one. */
  readonly lists: Readonly<Record<ListKey, readonly JsonObject[]>>;
}

/** What each hint of a tool means when it is left out. */
const HINTS: Readonly<Record<string, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Hints that mean nothing for a tool that only reads. */
const OF_WRITES = ["destructiveHint", "idempotentHint"];

/**
 * The form of an entry that is compared.
 *
 * @param entry An entry of a list.
 * @returns The same for entries that say the same.
 */
export function comparedForm(entry: JsonObject): string {
  return canonicalJson(without(entry, {
    inputSchema: withoutDialect,
    outputSchema: withoutDialect,
    annotations: withoutDefaults,
    execution: (execution) =>
      isObject(execution) && Object.keys(execution).length === 1 &&
        execution.taskSupport === "forbidden"
        ? undefined
        : execution,
  }));
}

/** The hash of an entry's compared form. */
export function entryHash(entry: JsonObject): string {
  return textSha256(comparedForm(entry));
}

/** The SHA-256 of a text, in hex. */
export function textSha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The value that tells an entry of a list apart; undefined when it has none. */
export function entryId({ id }: ListKind, entry: unknown): string | undefined {
  return textAt(entry, id);
}

/** An object with some members changed; a member that becomes undefined is left out. */
function without(
  object: JsonObject,
  changes: Readonly<Record<string, (value: unknown) => unknown>>,
): JsonObject {
  const members = Object.entries(object).map(([key, value]) => {
    const change = Object.hasOwn(changes, key) ? changes[key] : undefined;
    return [key, change === undefined ? value : change(value)] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function withoutDialect(schema: unknown): unknown {
  if (!isObject(schema) || typeof schema.$schema !== "string") return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function withoutDefaults(annotations: unknown): unknown {
  if (!isObject(annotations)) return annotations;
  const isRead = at(annotations, "readOnlyHint") === true;
  const kept = Object.entries(annotations).filter(([hint, value]) =>
    !(Object.hasOwn(HINTS, hint) && HINTS[hint] === value) &&
    !(isRead && OF_WRITES.includes(hint) && typeof value === "boolean")
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
