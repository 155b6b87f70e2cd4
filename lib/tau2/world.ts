/**
 * The benchmark's database as one episode sees it: its tables, with the records
 * that the episode's writes replaced.
 *
 * The starting database is shared and never changed.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { at, isObject, type JsonObject } from "../json/json.ts";

/** A domain's database: tables of records by id. */
export type WorldData = Readonly<Record<string, JsonObject>>;

/** Fields that a record shows even where the database leaves them out. */
const EMPTY_FIELDS: Readonly<Record<string, JsonObject>> = {
  orders: {
    cancel_reason: null,
    exchange_items: null,
    exchange_new_items: null,
    exchange_payment_method_id: null,
    exchange_price_difference: null,
    return_items: null,
    return_payment_method_id: null,
  },
  reservations: { status: null },
};

/** One episode's view of the database. */
export class World {
  readonly #data: WorldData;
  /** Whole tables that have a changed record. */
  readonly #tables = new Map<string, Record<string, unknown>>();
  /** The ids of their changed records. */
  readonly #put = new Map<string, Set<string>>();

  /** Starts from an unchanged database. */
  constructor(data: WorldData) {
    this.#data = data;
  }

  /** Adds a record, or replaces the one with its id. */
  put(table: string, id: string, record: JsonObject): void {
    const changed = this.#tables.get(table) ?? { ...this.#data[table] };
    changed[id] = record;
    this.#tables.set(table, changed);
    this.#put.set(table, (this.#put.get(table) ?? new Set()).add(id));
  }

  /** The current record of an id; undefined when there is none. */
  record(table: string, id: unknown): JsonObject | undefined {
    if (typeof id !== "string") return undefined;
    const found = at(this.all(table), id);
    const empty = EMPTY_FIELDS[table];
    // The record's own fields first, in their order.
    return isObject(found) ? empty ? { ...found, ...empty, ...found } : found : undefined;
  }

  /** Whether the database has such a table. */
  has(table: string): boolean {
    return Object.hasOwn(this.#data, table);
  }

  /** The current records of a table, without the fields that are always shown empty. */
  all(table: string): JsonObject {
    return this.#tables.get(table) ?? this.#data[table] ?? {};
  }

  /**
   * The records that differ from the starting database: `{table: {id: record}}` as canonical
   * JSON. Two worlds over one database are equal when these texts are equal.
   */
  state(): string {
    const untouched = new World(this.#data);
    const changed: Record<string, JsonObject> = {};
    for (const [table, ids] of this.#put) {
      const records = [...ids].flatMap((id) => {
        const record = this.record(table, id);
        const isSame = canonicalJson(record) === canonicalJson(untouched.record(table, id));
        return isSame ? [] : [[id, record] as const];
      });
      if (records.length > 0) changed[table] = Object.fromEntries(records);
    }
    return canonicalJson(changed);
  }
}
