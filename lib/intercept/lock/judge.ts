/**
 * Judges the entries of a server's lists by the lock, and remembers for the session what
 * differed. An entry that differed once stays refused: what a server shows may change with who
 * asks.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../json/json.ts";
import { printable } from "../../text/printable.ts";
import { changedParts } from "../../tool_lock/lock_changes.ts";
import { entryId, LIST_KINDS, type ListKey, type ListKind } from "../../tool_lock/locked_lists.ts";
import type { ToolsLock } from "../../tool_lock/tools_lock.ts";
import type { EntryEdit } from "../chain/edit_list.ts";

/** What differs in a list. */
export class LockJudge {
  readonly #lock: ToolsLock;
  readonly #bad = new Map<ListKey, Map<string, string>>(
    LIST_KINDS.map(({ key }) => [key, new Map()]),
  );
  /** Names of the tools in the last whole list. */
  #listed: ReadonlySet<string> | undefined;

  /** Judges by `lock`. */
  constructor(lock: ToolsLock) {
    this.#lock = lock;
  }

  /** Whether a list is locked. */
  isLocked({ key }: ListKind): boolean {
    return this.#lock.lists[key] !== undefined;
  }

  /** What is wrong with one entry, in words; undefined when it is as it was locked. */
  fault(kind: ListKind, entry: unknown): string | undefined {
    const name = entryId(kind, entry);
    if (name === undefined || !isObject(entry)) return `an entry without a ${kind.id}`;
    const parts = changedParts(this.#entry(kind, name), entry);
    if (parts.length === 0) return undefined;
    return parts[0] === "new" ? "not in the lock" : `${parts.map(printable).join(", ")} changed`;
  }

  /**
   * Judges a page of a list.
   *
   * @param kind The list.
   * @param entries Its entries.
   * @returns What differs and was not known to differ, in words for the user.
   */
  page(kind: ListKind, entries: readonly unknown[]): string[] {
    const bad = this.#bad.get(kind.key);
    return entries.flatMap((entry) => {
      const fault = this.fault(kind, entry);
      if (fault === undefined) return [];
      const name = entryId(kind, entry) ?? "";
      if (bad?.get(name) === fault) return [];
      bad?.set(name, fault);
      return [`${kind.word} ${printable(name)}: ${fault}`];
    });
  }

  /** The tools of a whole list; returns the locked ones that are gone, in words for the user. */
  whole(names: ReadonlySet<string>): string[] {
    this.#listed = names;
    return [...this.#lock.lists.tools?.keys() ?? []].filter((name) => !names.has(name)).map((
      name,
    ) => `tool ${printable(name)}: gone`);
  }

  /** Why an entry may not be used, in words; undefined when nothing is known against it. */
  refusal(kind: ListKind, name: string): string | undefined {
    if (!this.isLocked(kind)) return undefined;
    if (this.#entry(kind, name) === undefined) {
      // Resources come and go, and may be read without being listed.
      return kind.key === "resources" ? undefined : "not in the lock";
    }
    const known = this.#bad.get(kind.key)?.get(name);
    if (known !== undefined) return known;
    return kind.key === "tools" && this.#listed?.has(name) === false
      ? "the server lists it no more"
      : undefined;
  }

  /** What becomes of an entry in a list that goes to the host. */
  edit(kind: ListKind, entry: unknown, isHidden: boolean): EntryEdit {
    if (this.fault(kind, entry) === undefined) return "keep";
    const locked = isHidden ? undefined : this.#entry(kind, entryId(kind, entry) ?? "");
    return locked === undefined ? "cut" : { text: JSON.stringify(locked) };
  }

  #entry({ key }: ListKind, name: string): JsonObject | undefined {
    return this.#lock.lists[key]?.get(name);
  }
}
