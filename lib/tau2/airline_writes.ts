/**
 * Executes the writes of the airline domain.
 *
 * As in the benchmark, new flights take no seats; a cancellation returns no seats, no gift card.
 *
 * @module
 */

import { at, isObject, type JsonObject } from "../json/json.ts";
import { refuseTool } from "./refusal.ts";
import type { Tau2Write } from "./retail_writes.ts";
import { recordsArg, textArg, wholeArg, wordArg } from "./tool_args.ts";
import type { World } from "./world.ts";

// The database is the benchmark's own, and trusted to have its shape.

interface Segment {
  readonly origin: unknown;
  readonly destination: unknown;
  readonly flight_number: string;
  readonly date: string;
  readonly price: number;
}

interface Payment {
  readonly payment_id: string;
  readonly amount: number;
}

interface Reservation extends JsonObject {
  readonly reservation_id: string;
  readonly user_id: string;
  readonly cabin: string;
  readonly flights: readonly Segment[];
  readonly passengers: readonly unknown[];
  readonly payment_history: readonly Payment[];
  readonly nonfree_baggages: number;
}

interface PaymentMethod {
  readonly source: string;
  readonly id: string;
  readonly amount: number;
}

interface User extends JsonObject {
  readonly user_id: string;
  readonly payment_methods: Readonly<Record<string, PaymentMethod>>;
  readonly reservations: readonly string[];
}

/** The benchmark's fixed time. */
const NOW = "2024-05-15T15:00:00";
/** The benchmark's only ids for new reservations and certificates. */
const NEW_RESERVATIONS = ["HATHAT", "HATHAU", "HATHAV"];
const NEW_CERTIFICATES = ["certificate_3221322", "certificate_3221323", "certificate_3221324"];

const CABINS = ["business", "economy", "basic_economy"] as const;
const FLIGHT = { model: "FlightInfo", fields: ["flight_number", "date"] } as const;
const PASSENGER = { model: "Passenger", fields: ["first_name", "last_name", "dob"] } as const;
const PAYMENT = { model: "Payment", fields: ["payment_id", "amount"] } as const;

/** The domain's writes. */
export const AIRLINE_WRITES: Readonly<Record<string, Tau2Write>> = {
  book_reservation: {
    names: [
      ...["user_id", "origin", "destination", "flight_type", "cabin", "flights", "passengers"],
      ...["payment_methods", "total_baggages", "nonfree_baggages", "insurance"],
    ],
    run: book,
  },
  cancel_reservation: { names: ["reservation_id"], run: cancel },
  send_certificate: { names: ["user_id", "amount"], run: sendCertificate },
  update_reservation_baggages: {
    names: ["reservation_id", "total_baggages", "nonfree_baggages", "payment_id"],
    run: updateBaggages,
  },
  update_reservation_flights: {
    names: ["reservation_id", "cabin", "flights", "payment_id"],
    run: updateFlights,
  },
  update_reservation_passengers: {
    names: ["reservation_id", "passengers"],
    run: updatePassengers,
  },
};

function book(world: World, args: JsonObject): unknown {
  const wanted = recordsArg(args, "flights", FLIGHT);
  const passengers = recordsArg(args, "passengers", PASSENGER);
  const payments = paymentsOf(args);
  const user = userOf(world, args.user_id);
  const id = NEW_RESERVATIONS.find((id) => world.record("reservations", id) === undefined) ??
    refuseTool("Too many reservations");
  const cabin = wordArg(args, "cabin", CABINS);
  const nonfree = wholeArg(args, "nonfree_baggages");
  const insurance = wordArg(args, "insurance", ["yes", "no"]);
  const count = passengers.length;
  const flights = wanted.map((flight) => newSegment(world, flight, { cabin, seats: count }));
  const reservation: Reservation = {
    reservation_id: id,
    user_id: user.user_id,
    origin: textArg(args, "origin"),
    destination: textArg(args, "destination"),
    flight_type: wordArg(args, "flight_type", ["round_trip", "one_way"]),
    cabin,
    flights,
    passengers,
    payment_history: payments,
    created_at: NOW,
    total_baggages: wholeArg(args, "total_baggages"),
    nonfree_baggages: nonfree,
    insurance,
    status: null,
  };
  const fares = flights.reduce((sum, { price }) => sum + price * count, 0);
  const total = fares + (insurance === "yes" ? 30 * count : 0) + 50 * nonfree;
  takePayments(world, user, { payments, total, reservation: id });
  for (const flight of flights) takeSeats(world, flight, { cabin, seats: count });
  world.put("reservations", id, reservation);
  return reservation;
}

/** Charges a booking to the user, and adds the reservation to the user's list. */
function takePayments(
  world: World,
  user: User,
  { payments, total, reservation }: {
    readonly payments: readonly Payment[];
    readonly total: number;
    readonly reservation: string;
  },
): void {
  for (const { payment_id, amount } of payments) {
    const method = methodOf(user, payment_id) ??
      refuseTool(`Payment method ${payment_id} not found`);
    if (method.source !== "credit_card" && method.amount < amount) {
      refuseTool(`Not enough balance in payment method ${payment_id}`);
    }
  }
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0);
  if (paid !== total) {
    refuseTool(`Payment amount does not add up, total price is ${total}, but paid ${paid}`);
  }
  const methods = new Map(Object.entries(user.payment_methods));
  for (const { payment_id, amount } of payments) {
    const method = methods.get(payment_id);
    if (method?.source === "certificate") methods.delete(payment_id);
    if (method?.source !== "gift_card") continue;
    methods.set(payment_id, { ...method, amount: method.amount - amount });
  }
  world.put("users", user.user_id, {
    ...user,
    payment_methods: Object.fromEntries(methods),
    reservations: [...user.reservations, reservation],
  });
}

function cancel(world: World, args: JsonObject): unknown {
  const reservation = reservationOf(world, args);
  const refunds = reservation.payment_history.map((p) => ({ ...p, amount: -p.amount }));
  return putReservation(world, {
    ...reservation,
    payment_history: [...reservation.payment_history, ...refunds],
    status: "cancelled",
  });
}

function sendCertificate(world: World, args: JsonObject): unknown {
  const user = userOf(world, args.user_id);
  const id = NEW_CERTIFICATES.find((id) => methodOf(user, id) === undefined) ??
    refuseTool("Too many certificates");
  const amount = wholeArg(args, "amount");
  const payment_methods = { ...user.payment_methods, [id]: { source: "certificate", id, amount } };
  world.put("users", user.user_id, { ...user, payment_methods });
  return `Certificate ${id} added to user ${user.user_id} with amount ${amount}.`;
}

function updateBaggages(world: World, args: JsonObject): unknown {
  const reservation = reservationOf(world, args);
  const total_baggages = wholeArg(args, "total_baggages");
  const nonfree_baggages = wholeArg(args, "nonfree_baggages");
  const price = 50 * Math.max(0, nonfree_baggages - reservation.nonfree_baggages);
  const payment_history = payUpdate(world, reservation, { args, price });
  return putReservation(world, {
    ...reservation,
    payment_history,
    total_baggages,
    nonfree_baggages,
  });
}

function updateFlights(world: World, args: JsonObject): unknown {
  const wanted = recordsArg(args, "flights", FLIGHT);
  const reservation = reservationOf(world, args);
  const cabin = textArg(args, "cabin");
  const seats = reservation.passengers.length;
  const flights = wanted.map((flight) => {
    const kept = reservation.flights.find(({ flight_number, date }) =>
      flight_number === flight.flight_number && date === flight.date && cabin === reservation.cabin
    );
    return kept ?? newSegment(world, flight, { cabin, seats });
  });
  const fares = (list: readonly Segment[]) =>
    list.reduce((sum, { price }) => sum + price, 0) * seats;
  const price = fares(flights) - fares(reservation.flights);
  const payment_history = payUpdate(world, reservation, { args, price });
  return putReservation(world, { ...reservation, cabin, flights, payment_history });
}

function updatePassengers(world: World, args: JsonObject): unknown {
  const passengers = recordsArg(args, "passengers", PASSENGER);
  const reservation = reservationOf(world, args);
  if (passengers.length !== reservation.passengers.length) {
    refuseTool("Number of passengers does not match");
  }
  return putReservation(world, { ...reservation, passengers });
}

/** Makes the segment of a flight; refuses when it has too few seats. */
function newSegment(
  world: World,
  wanted: Readonly<Record<"flight_number" | "date", unknown>>,
  { cabin, seats }: { readonly cabin: string; readonly seats: number },
): Segment {
  const flight_number = String(wanted.flight_number);
  const date = String(wanted.date);
  const flight = world.record("flights", flight_number) ??
    refuseTool(`Flight ${flight_number} not found`);
  const day = at(flight, "dates", date) ??
    refuseTool(`Flight ${flight_number} not found on date ${date}`);
  if (at(day, "status") !== "available") {
    refuseTool(`Flight ${flight_number} not available on date ${date}`);
  }
  const free = Number(at(day, "available_seats", cabin) ?? refuseTool(`'${cabin}'`));
  if (free < seats) refuseTool(`Not enough seats on flight ${flight_number}`);
  const price = Number(at(day, "prices", cabin));
  return { origin: flight.origin, destination: flight.destination, flight_number, date, price };
}

function takeSeats(
  world: World,
  { flight_number, date }: Segment,
  { cabin, seats }: { readonly cabin: string; readonly seats: number },
): void {
  const flight = world.record("flights", flight_number);
  const dates = at(flight, "dates");
  const day = at(dates, date);
  const free = at(day, "available_seats");
  if (!isObject(dates) || !isObject(day) || !isObject(free)) return;
  const available_seats = { ...free, [cabin]: Number(free[cabin]) - seats };
  const changed = { ...dates, [date]: { ...day, available_seats } };
  world.put("flights", flight_number, { ...flight, dates: changed });
}

/** Charges or refunds the price of an update; returns the new payment history. */
function payUpdate(
  world: World,
  { user_id, payment_history }: Reservation,
  { args, price }: { readonly args: JsonObject; readonly price: number },
): readonly Payment[] {
  const user = userOf(world, user_id);
  const payment_id = textArg(args, "payment_id");
  const method = methodOf(user, payment_id) ?? refuseTool("Payment method not found");
  if (method.source === "certificate") {
    refuseTool("Certificate cannot be used to update reservation");
  }
  if (method.source === "gift_card") {
    if (method.amount < price) refuseTool("Gift card balance is not enough");
    const changed = { ...method, amount: method.amount - price };
    const payment_methods = { ...user.payment_methods, [payment_id]: changed };
    world.put("users", user.user_id, { ...user, payment_methods });
  }
  return price === 0 ? payment_history : [...payment_history, { payment_id, amount: price }];
}

function paymentsOf(args: JsonObject): Payment[] {
  return recordsArg(args, "payment_methods", PAYMENT).map((payment) => ({
    payment_id: String(payment.payment_id),
    amount: wholeArg(payment, "amount"),
  }));
}

function userOf(world: World, id: unknown): User {
  return (world.record("users", id) ?? refuseTool(`User ${id} not found`)) as User;
}

function methodOf({ payment_methods }: User, id: string): PaymentMethod | undefined {
  return Object.hasOwn(payment_methods, id) ? payment_methods[id] : undefined;
}

function reservationOf(world: World, { reservation_id: id }: JsonObject): Reservation {
  return (world.record("reservations", id) ??
    refuseTool(`Reservation ${id} not found`)) as Reservation;
}

function putReservation(world: World, reservation: Reservation): Reservation {
  world.put("reservations", reservation.reservation_id, reservation);
  return reservation;
}
