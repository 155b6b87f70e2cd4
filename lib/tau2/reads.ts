/**
 * Executes the benchmark's read tools over a {@linkcode World}.
 *
 * @module
 */

import { at, isObject, type JsonObject, textAt } from "../json/json.ts";
import type { World } from "./world.ts";

/** Returns the answer of a read tool, or an `Error` with the message of its refusal. */
type Read = (world: World, args: JsonObject) => unknown;

/**
 * Calls a read tool.
 *
 * @param world The database.
 * @param tool The tool's name.
 * @param args Its arguments.
 * @returns The answer's text, and whether it is an error.
 */
export function callRead(
  world: World,
  tool: string,
  args: JsonObject,
): { readonly text: string; readonly isError: boolean } {
  const read = Object.hasOwn(READS, tool) ? READS[tool] : undefined;
  if (read === undefined) throw new TypeError(`Cannot call "${tool}": it is not a read tool`);
  const found = read(world, args);
  if (found instanceof Error) return { text: `Error: ${found.message}`, isError: true };
  return { text: typeof found === "string" ? found : JSON.stringify(found), isError: false };
}

/** The airline's errors name what they did not find, the shop's do not. */
function byId(table: string, arg: string, what: string): Read {
  return (world, args) =>
    world.record(table, args[arg]) ??
      new Error(`${what}${world.has("reservations") ? ` ${args[arg]}` : ""} not found`);
}

/** The read tools of both domains, by name. */
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
  list_all_airports: () => AIRPORTS.map(([iata, city]) => ({ iata, city })),
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
      // The benchmark compares times as texts, so that after an arrival "01:00:00+1" a departure
      // of the next day counts from "01:00:00" on.
      const arrival = String(first.scheduled_arrival_time_est);
      return flightsFrom(world, first.destination, second)
        .filter((f) =>
          f.destination === args.destination && arrival <= String(f.scheduled_departure_time_est)
        )
        .map((f) => [{ ...first, date }, { ...f, date: second }]);
    });
  },
};

const AIRPORTS = [
  ["SFO", "San Francisco"],
  ["JFK", "New York"],
  ["LAX", "Los Angeles"],
  ["ORD", "Chicago"],
  ["DFW", "Dallas"],
  ["DEN", "Denver"],
  ["SEA", "Seattle"],
  ["ATL", "Atlanta"],
  ["MIA", "Miami"],
  ["BOS", "Boston"],
  ["PHX", "Phoenix"],
  ["IAH", "Houston"],
  ["LAS", "Las Vegas"],
  ["MCO", "Orlando"],
  ["EWR", "Newark"],
  ["CLT", "Charlotte"],
  ["MSP", "Minneapolis"],
  ["DTW", "Detroit"],
  ["PHL", "Philadelphia"],
  ["LGA", "LaGuardia"],
];

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
