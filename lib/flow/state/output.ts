/**
 * What one answered call showed: its values, each with the path it stands at
 * and the record it is a field of.
 *
 * Paths: `$` the whole result, `.key`, `[*]` any element, `.*` any entry of a map
 * whose keys are ids, `.*~` such a key; `@` instead of `$` the call's arguments.
 * A record is an object: an element of a list, an entry of a map, or the whole.
 * Plain nested objects belong to the record around them.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../json/json.ts";

/** A scalar in a result or in arguments. */
export interface Leaf {
  /** Where it stands. */
  readonly path: string;
  /** The value. */
  readonly json: string | number | boolean;
  /** The value as text. */
  readonly text: string;
  /** The record it is a field of; absent for an element of a list of scalars. */
  readonly record?: DataRecord;
}

/** An object in a result or in arguments. */
export interface DataRecord {
  /** Where it stands. */
  readonly path: string;
  /** Its scalars by path within the record. */
  readonly fields: ReadonlyMap<string, Leaf>;
  /** The record around it. */
  readonly parent?: DataRecord;
}

/** What a call showed. */
export interface Shown {
  /** Leaves by path, in order. */
  readonly leaves: ReadonlyMap<string, readonly Leaf[]>;
  /** Records by path, in order. */
  readonly records: ReadonlyMap<string, readonly DataRecord[]>;
  /** Lengths of lists by path; only lists in the outermost record. */
  readonly lengths: ReadonlyMap<string, number>;
}

/** More values than this are not looked at: a flow binds from short lists. */
const MAX_LEAVES = 5000;

/**
 * Takes a value apart.
 *
 * @param value A result, parsed, or the arguments.
 * @param root `$` for a result, `@` for arguments.
 * @returns Its leaves and records.
 */
export function shown(value: unknown, root: "$" | "@" = "$"): Shown {
  const taker = new Taker();
  taker.take(value, { path: root, rel: "", record: undefined, depth: 0 });
  return taker;
}

interface Draft extends DataRecord {
  readonly fields: Map<string, Leaf>;
}

interface Place {
  readonly path: string;
  readonly rel: string;
  readonly record: Draft | undefined;
  readonly depth: number;
}

class Taker implements Shown {
  readonly leaves = new Map<string, Leaf[]>();
  readonly records = new Map<string, Draft[]>();
  readonly lengths = new Map<string, number>();
  #count = 0;

  take(value: unknown, place: Place): void {
    if (this.#count > MAX_LEAVES || place.depth > 20) return;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      this.#leaf(value, place);
    } else if (Array.isArray(value)) this.#list(value, place);
    else if (isObject(value)) this.#object(value, place);
  }

  #leaf(json: string | number | boolean, { path, rel, record }: Place): void {
    this.#count++;
    const leaf: Leaf = { path, json, text: String(json), ...(record ? { record } : {}) };
    const list = this.leaves.get(path);
    if (list === undefined) this.leaves.set(path, [leaf]);
    else list.push(leaf);
    if (record !== undefined && !record.fields.has(rel)) record.fields.set(rel, leaf);
  }

  #list(list: readonly unknown[], { path, record, depth }: Place): void {
    if (record?.parent === undefined) this.lengths.set(path, list.length);
    for (const item of list) {
      const at = `${path}[*]`;
      const inner = isObject(item) ? this.#record(at, record) : undefined;
      if (inner === undefined && !Array.isArray(item)) {
        this.take(item, { path: at, rel: "", record: undefined, depth: depth + 1 });
      } else {
        this.take(item, { path: at, rel: "", record: inner ?? record, depth: depth + 1 });
      }
    }
  }

  #object(value: JsonObject, { path, rel, record, depth }: Place): void {
    const entries = Object.entries(value);
    if (isMap(entries)) {
      for (const [key, item] of entries) {
        const inner = this.#record(`${path}.*`, record);
        this.#leaf(key, { path: `${path}.*~`, rel: "*~", record: inner, depth });
        this.take(item, {
          path: `${path}.*`,
          rel: isObject(item) ? "" : "*",
          record: inner,
          depth: depth + 1,
        });
      }
      return;
    }
    const own = record ?? this.#record(path, undefined);
    for (const [key, item] of entries) {
      const step = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) ? key : JSON.stringify(key);
      const inner = rel === "" ? step : `${rel}.${step}`;
      this.take(item, { path: `${path}.${step}`, rel: inner, record: own, depth: depth + 1 });
    }
  }

  #record(path: string, parent: Draft | undefined): Draft {
    const record: Draft = { path, fields: new Map(), ...(parent ? { parent } : {}) };
    const list = this.records.get(path);
    if (list === undefined) this.records.set(path, [record]);
    else list.push(record);
    return record;
  }
}

/** Whether an object's keys are data: ids, or many names of like things. */
function isMap(entries: readonly [string, unknown][]): boolean {
  const ids = entries.filter(([key]) => (key.match(/\d/g)?.length ?? 0) >= 3).length;
  if (ids > 0 && ids * 2 >= entries.length) return true;
  if (entries.length < 10) return false;
  const kinds = new Set(entries.map(([, item]) => typeof item));
  return kinds.size === 1 && entries.some(([key]) => /[^a-z0-9_]/.test(key));
}

/** A field of a record or, with one `^` for each level, of a record around it. */
export function fieldOf(record: DataRecord, rel: string): Leaf | undefined {
  let here: DataRecord | undefined = record;
  let name = rel;
  while (name.startsWith("^")) {
    here = here?.parent;
    name = name.slice(1);
  }
  return here?.fields.get(name);
}
