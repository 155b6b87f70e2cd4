/**
 * The benchmark's world: a database that one episode has for itself, and the
 * answers to reads from it.
 *
 * The database it starts from is shared and never changed: a write puts a new
 * record over the old one. Writes come from a recording ({@linkcode World.wrote})
 * or are executed (`tools.ts`).
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { at, isObject, type JsonObject, textAt } from "../json/json.ts";
import { READS } from "./reads.ts";

/** A domain's database: tables of records by id. */
export type WorldData = Readonly<Record<string, JsonObject>>;

/** An answer of the world. */
export interface WorldAnswer {
  readonly error: boolean;
  readonly content: string;
}

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

/** The world of one episode. Starts from the database and never changes it. */
export class World {
  readonly #data: WorldData;
  /** Tables with changed records, whole. */
  readonly #tables = new Map<string, Record<string, unknown>>();
  /** Which of their records were put. */
  readonly #put = new Map<string, Set<string>>();

  /** A world as the database has it. */
  constructor(data: WorldData) {
    this.#data = data;
  }

  /** The answer to a read; undefined when the world has no such tool. */
  answer(tool: string, args: JsonObject): WorldAnswer | undefined {
    const read = Object.hasOwn(READS, tool) ? READS[tool] : undefined;
    if (read === undefined) return undefined;
    const found = read(this, args);
    if (found instanceof Error) return { error: true, content: `Error: ${found.message}` };
    return { error: false, content: typeof found === "string" ? found : JSON.stringify(found) };
  }

  /**
   * A write was accepted: its result, read, is how its record stands now. What it
   * does to other records (a gift card's balance) is not followed; nothing that a
   * flow passes on depends on it.
   */
  wrote(result: unknown): void {
    if (!isObject(result)) return;
    const [table, id] = ["reservation_id", "order_id", "user_id"].flatMap((key) => {
      const value = textAt(result, key);
      return value === undefined ? [] : [[`${key.slice(0, -3)}s`, value] as const];
    })[0] ?? ["", ""];
    if (table === "") return;
    const isNew = this.record(table, id) === undefined;
    this.put(table, id, result);
    const owner = textAt(result, "user_id");
    if (!isNew || table !== "reservations" || owner === undefined) return;
    const user = this.record("users", owner);
    const list = at(user, "reservations");
    if (user === undefined || !Array.isArray(list)) return;
    this.put("users", owner, { ...user, reservations: [...list, id] });
  }

  /** Puts a record in the place of the one with its id, or adds it. */
  put(table: string, id: string, record: JsonObject): void {
    const changed = this.#tables.get(table) ?? { ...this.#data[table] };
    changed[id] = record;
    this.#tables.set(table, changed);
    this.#put.set(table, (this.#put.get(table) ?? new Set()).add(id));
  }

  /** A record as it stands. */
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

  /** Every record of a table as it stands, without its empty fields. */
  all(table: string): JsonObject {
    return this.#tables.get(table) ?? this.#data[table] ?? {};
  }

  /**
   * How this world differs from the database it started from: `{table: {id: record}}`
   * as canonical JSON. Two worlds over one database are equal when their texts are.
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
