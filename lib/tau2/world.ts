/**
 * The benchmark's world, as far as lookups can see it: answers reads from the
 * domain's database, kept current by the writes that a recording shows accepted.
 *
 * A write's result is the record as it stands afterwards, so it replaces the one
 * it names. What a write does to other records (a gift card's balance) is not
 * followed; nothing that a flow passes on depends on it.
 *
 * @module
 */

import { at, isObject, type JsonObject, textAt } from "../trace/json.ts";

/** A domain's database. */
export type WorldData = Readonly<Record<string, JsonObject>>;

/** An answer of the world. */
export interface WorldAnswer {
  readonly error: boolean;
  readonly content: string;
}

type Read = (world: World, args: JsonObject) => unknown;

/** The world of one episode. Starts from the database and never changes it. */
export class World {
  readonly #data: WorldData;
  readonly #changed = new Map<string, JsonObject>();

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

  /** A write was accepted: its result, read, is how its record stands now. */
  wrote(result: unknown): void {
    if (!isObject(result)) return;
    const [table, id] = ["reservation_id", "order_id", "user_id"].flatMap((key) => {
      const value = textAt(result, key);
      return value === undefined ? [] : [[`${key.slice(0, -3)}s`, value] as const];
    })[0] ?? ["", ""];
    if (table === "") return;
    const isNew = this.record(table, id) === undefined;
    this.#changed.set(`${table} ${id}`, result);
    const owner = textAt(result, "user_id");
    if (!isNew || table !== "reservations" || owner === undefined) return;
    const user = this.record("users", owner);
    const list = at(user, "reservations");
    if (user === undefined || !Array.isArray(list)) return;
    this.#changed.set(`users ${owner}`, { ...user, reservations: [...list, id] });
  }

  /** A record as it stands. */
  record(table: string, id: unknown): JsonObject | undefined {
    if (typeof id !== "string") return undefined;
    const found = this.#changed.get(`${table} ${id}`) ?? at(this.#data[table], id);
    return isObject(found) ? found : undefined;
  }

  /** Every record of a table, as the database has it. */
  all(table: string): JsonObject {
    return this.#data[table] ?? {};
  }
}

function byId(table: string, arg: string, what: string): Read {
  return (world, args) => world.record(table, args[arg]) ?? new Error(`${what} not found`);
}

const READS: Readonly<Record<string, Read>> = {
  get_user_details: byId("users", "user_id", "User"),
  get_order_details: byId("orders", "order_id", "Order"),
  get_product_details: byId("products", "product_id", "Product"),
  get_reservation_details: byId("reservations", "reservation_id", "Reservation"),
  find_user_id_by_email: (world, args) =>
    findUser(world, (user) => same(textAt(user, "email"), args.email)),
  find_user_id_by_name_zip: (world, args) =>
    findUser(world, (user) =>
      same(textAt(user, "name", "first_name"), args.first_name) &&
      same(textAt(user, "name", "last_name"), args.last_name) &&
      textAt(user, "address", "zip") === args.zip),
  list_all_product_types: (world) =>
    Object.fromEntries(
      Object.entries(world.all("products")).map(([id, p]) => [textAt(p, "name") ?? id, id])
        .sort(([a = ""], [b = ""]) => a < b ? -1 : 1),
    ),
  get_item_details: (world, args) =>
    Object.values(world.all("products")).map((p) => at(p, "variants", String(args.item_id)))
      .find(isObject) ?? new Error("Item not found"),
  get_flight_status: (world, args) => {
    const flight = at(world.all("flights"), String(args.flight_number));
    if (flight === undefined) return new Error(`Flight ${args.flight_number} not found`);
    return textAt(flight, "dates", String(args.date), "status") ??
      new Error(`Flight ${args.flight_number} not found on date ${args.date}`);
  },
  search_direct_flight: (world, args) =>
    flightsFrom(world, args.origin, String(args.date)).filter((f) =>
      f.destination === args.destination
    ),
  search_onestop_flight: (world, args) => {
    const date = String(args.date);
    return flightsFrom(world, args.origin, date).flatMap((first) => {
      const nextDay = textAt(first, "scheduled_arrival_time_est")?.includes("+1") ?? false;
      const second = nextDay ? dayAfter(date) : date;
      return flightsFrom(world, first.destination, second)
        .filter((f) =>
          f.destination === args.destination &&
          (nextDay ||
            String(first.scheduled_arrival_time_est) <= String(f.scheduled_departure_time_est))
        )
        .map((f) => [{ ...first, date }, { ...f, date: second }]);
    });
  },
};

function findUser(world: World, fits: (user: unknown) => boolean): unknown {
  for (const [id, user] of Object.entries(world.all("users"))) if (fits(user)) return id;
  return new Error("User not found");
}

function same(a: string | undefined, b: unknown): boolean {
  return a !== undefined && typeof b === "string" && a.toLowerCase() === b.toLowerCase();
}

function flightsFrom(world: World, origin: unknown, date: string): JsonObject[] {
  return Object.values(world.all("flights")).flatMap((flight) => {
    const day = at(flight, "dates", date);
    if (!isObject(flight) || flight.origin !== origin || at(day, "status") !== "available") {
      return [];
    }
    const { dates: _, ...rest } = flight;
    const { available_seats, prices } = isObject(day) ? day : {};
    return [{ ...rest, status: "available", date: null, available_seats, prices }];
  });
}

function dayAfter(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return date;
  return new Date(day.getTime() + 86_400_000).toISOString().slice(0, 10);
}
