/**
 * The shipped airline rules, a row for each way a rule can allow, refuse or abstain: one
 * table, which the mutants of tests/util/mutate_guards.ts are tried against.
 */

import { did, heard, type Row, spoke, type Step, testRows } from "../../tests/util/guard_rows.ts";
import airline from "./rules/airline_rules.json" with { type: "json" };
import { checkRuleFile } from "./rules/rule_file.ts";

type Json = Readonly<Record<string, unknown>>;

const USER = {
  user_id: "mia_1",
  membership: "silver",
  payment_methods: {
    credit_card_1: { source: "credit_card" },
    gift_card_1: { source: "gift_card", amount: 100 },
    certificate_1: { source: "certificate", amount: 50 },
  },
  reservations: ["R1"],
};
const OUT = {
  flight_number: "HAT1",
  origin: "JFK",
  destination: "SEA",
  date: "2024-05-20",
  price: 100,
};
const BACK = {
  flight_number: "HAT2",
  origin: "SEA",
  destination: "JFK",
  date: "2024-05-25",
  price: 120,
};
const PASSENGER = { first_name: "Mia", last_name: "Li", dob: "1990-04-05" };
const RESERVATION = {
  reservation_id: "R1",
  user_id: "mia_1",
  origin: "JFK",
  destination: "SEA",
  flight_type: "round_trip",
  cabin: "economy",
  flights: [OUT, BACK],
  passengers: [PASSENGER],
  created_at: "2024-05-01T10:00:00",
  total_baggages: 2,
  nonfree_baggages: 0,
  insurance: "no",
  status: null,
};
const PRICES = { basic_economy: 60, economy: 110, business: 400 };
const SEATS = { basic_economy: 9, economy: 2, business: 0 };

const user = did("get_user_details", { user_id: "mia_1" }, USER);
const regular = did("get_user_details", { user_id: "mia_1" }, { ...USER, membership: "regular" });
const stranger = did("get_user_details", { user_id: "bob_2" }, { ...USER, user_id: "bob_2" });
const transferred = did("transfer_to_human_agents", { summary: "x" }, "Transfer successful");
function booked(changes: Json = {}): Step {
  return did("get_reservation_details", { reservation_id: "R1" }, { ...RESERVATION, ...changes });
}
function search(date: string, ...flights: readonly Json[]): Step {
  const listed = flights.map((f) => ({ ...f, date: null, available_seats: SEATS, prices: PRICES }));
  return did("search_direct_flight", { origin: "JFK", destination: "SEA", date }, listed);
}
function status(flight: string, date: string, text: string): Step {
  return did("get_flight_status", { flight_number: flight, date }, text);
}
const searched = search("2024-05-20", OUT);
const searchedBack = search("2024-05-25", BACK);
const flownLeg = { ...OUT, date: "2024-05-10" };
const todayLeg = { ...OUT, date: "2024-05-15" };

const CANCEL = { tool: "cancel_reservation", args: { reservation_id: "R1" } };
function fly(flights: readonly Json[], cabin = "economy", payment = "credit_card_1") {
  const args = {
    reservation_id: "R1",
    cabin,
    flights: flights.map(({ flight_number, date }) => ({ flight_number, date })),
    payment_id: payment,
  };
  return { tool: "update_reservation_flights", args };
}
function bags(total: number, nonfree: number, payment = "credit_card_1") {
  const args = {
    reservation_id: "R1",
    total_baggages: total,
    nonfree_baggages: nonfree,
    payment_id: payment,
  };
  return { tool: "update_reservation_baggages", args };
}
function people(...passengers: readonly Json[]) {
  return { tool: "update_reservation_passengers", args: { reservation_id: "R1", passengers } };
}
function book(changes: Json = {}) {
  const args = {
    user_id: "mia_1",
    origin: "JFK",
    destination: "SEA",
    flight_type: "one_way",
    cabin: "economy",
    flights: [{ flight_number: "HAT1", date: "2024-05-20" }],
    passengers: [PASSENGER],
    payment_methods: [{ payment_id: "credit_card_1", amount: 110 }],
    total_baggages: 0,
    nonfree_baggages: 0,
    insurance: "no",
    ...changes,
  };
  return { tool: "book_reservation", args };
}
function paid(...methods: readonly (readonly [string, number])[]) {
  return book({ payment_methods: methods.map(([payment_id, amount]) => ({ payment_id, amount })) });
}
function certificate(amount: number, userId = "mia_1") {
  return { tool: "send_certificate", args: { user_id: userId, amount } };
}
const OTHER_OUT = { flight_number: "HAT3", origin: "JFK", destination: "SEA", date: "2024-05-21" };
const ELSEWHERE = { flight_number: "HAT4", origin: "JFK", destination: "LAX", date: "2024-05-20" };
const oneStop = did("search_onestop_flight", { date: "2024-05-20" }, [[
  { ...OUT, available_seats: SEATS, prices: PRICES },
]]);
const searchedOther = search("2024-05-21", OTHER_OUT);
const searchedElsewhere = search("2024-05-20", ELSEWHERE);

type Short = readonly [
  Row["says"],
  string,
  readonly Step[],
  Pick<Row, "tool" | "args">,
  Partial<Row>?,
];

const RULES: Readonly<Record<string, readonly Short[]>> = {
  "airline.reservation_read": [
    ["allow", "it was read", [booked()], CANCEL],
    ["refuse", "it was not", [user], CANCEL],
    [
      "allow",
      "it was booked in the session",
      [did("book_reservation", book().args, RESERVATION)],
      CANCEL,
    ],
  ],
  "airline.own_reservation": [
    ["allow", "it is the customer's", [user, booked()], CANCEL],
    ["refuse", "another profile came first", [stranger, user, booked()], CANCEL],
    ["unknown", "no profile was read", [booked()], CANCEL],
  ],
  "airline.own_profile": [
    ["allow", "it is the customer's", [user], certificate(50)],
    ["refuse", "it is another's", [user], certificate(50, "bob_2")],
    ["unknown", "no profile was read", [], book()],
  ],
  "airline.user_stated": [
    ["allow", "the customer gave it", [heard("I am mia_1")], book()],
    ["refuse", "the customer did not", [heard("Hello"), booked()], CANCEL],
    ["unknown", "there is no conversation", [booked()], CANCEL],
  ],
  "airline.not_cancelled": [
    ["allow", "it stands", [booked()], CANCEL],
    ["refuse", "it is cancelled", [booked({ status: "cancelled" })], bags(3, 0)],
    ["unknown", "it was not read", [], CANCEL],
  ],
  "airline.cancel_not_flown": [
    ["allow", "all lies ahead", [booked()], CANCEL],
    ["refuse", "a segment was yesterday", [booked({ flights: [flownLeg, BACK] })], CANCEL],
    ["refuse", "a segment is in the air", [
      booked({ flights: [todayLeg] }),
      status("HAT1", "2024-05-15", "flying"),
    ], CANCEL],
    ["allow", "the airline cancelled the past one", [
      booked({ flights: [flownLeg, BACK] }),
      status("HAT1", "2024-05-10", "cancelled"),
    ], CANCEL],
    ["unknown", "a segment of today has no status", [booked({ flights: [todayLeg] })], CANCEL],
    ["unknown", "it was not read", [], CANCEL],
  ],
  "airline.cancel_allowed": [
    ["allow", "it was booked today", [booked({ created_at: "2024-05-15T01:00:00" })], CANCEL],
    ["allow", "it is business", [booked({ cabin: "business" })], CANCEL],
    [
      "allow",
      "the airline cancelled",
      [booked(), status("HAT2", "2024-05-25", "cancelled")],
      CANCEL,
    ],
    ["refuse", "nothing holds", [booked()], CANCEL, {
      reason:
        "none of the cancellation conditions holds (24 hours, cancelled by the airline, business, insurance)",
    }],
    ["unknown", "insurance may cover it", [booked({ insurance: "yes" })], CANCEL],
    ["unknown", "it was not read", [], CANCEL],
  ],
  "airline.cancel_reason_covered": [
    ["unknown", "there is no insurance", [heard("x"), booked()], CANCEL, { yes: 0.1 }],
    ["unknown", "there is no conversation", [booked({ insurance: "yes" })], CANCEL, { yes: 0.1 }],
    ["allow", "the answer is yes", [heard("I am ill"), booked({ insurance: "yes" })], CANCEL, {
      yes: 0.9,
    }],
    ["refuse", "the answer is no", [heard("New plans"), booked({ insurance: "yes" })], CANCEL, {
      yes: 0.1,
    }],
    ["unknown", "nobody answers", [heard("I am ill"), booked({ insurance: "yes" })], CANCEL],
    [
      "unknown",
      "another ground holds",
      [heard("x"), booked({ insurance: "yes", cabin: "business" })],
      CANCEL,
      { yes: 0.1 },
    ],
  ],
  "airline.basic_economy_no_change": [
    ["allow", "only the cabin changes", [booked({ cabin: "basic_economy" })], fly([BACK, OUT])],
    ["refuse", "a flight changes", [booked({ cabin: "basic_economy" })], fly([OTHER_OUT, BACK])],
    ["refuse", "a flight is dropped", [booked({ cabin: "basic_economy" })], fly([OUT])],
    ["allow", "it is economy", [booked()], fly([OTHER_OUT, BACK])],
    ["unknown", "it was not read", [], fly([OUT])],
  ],
  "airline.same_route": [
    ["allow", "it goes there and back", [booked(), searchedOther], fly([OTHER_OUT, BACK])],
    ["refuse", "it does not come back", [booked(), searchedOther], fly([OTHER_OUT])],
    ["refuse", "it goes elsewhere", [booked(), searchedElsewhere], fly([ELSEWHERE, BACK])],
    ["refuse", "it starts elsewhere", [booked()], fly([BACK, OUT])],
    [
      "allow",
      "one way ends there",
      [booked({ flight_type: "one_way", flights: [OUT] })],
      fly([OUT]),
    ],
    ["refuse", "one way comes back", [booked({ flight_type: "one_way" })], fly([OUT, BACK])],
    ["refuse", "nothing is flown", [booked()], fly([])],
    ["unknown", "a flight was never shown", [booked()], fly([OTHER_OUT, BACK])],
  ],
  "airline.cabin_not_flown": [
    ["allow", "nothing was flown", [booked()], fly([OUT, BACK], "business")],
    [
      "refuse",
      "a segment was",
      [booked({ flights: [flownLeg, BACK] })],
      fly([flownLeg, BACK], "business"),
    ],
    ["allow", "the cabin stays", [booked({ flights: [flownLeg, BACK] })], fly([flownLeg, BACK])],
    [
      "unknown",
      "a segment is today",
      [booked({ flights: [todayLeg, BACK] })],
      fly([todayLeg, BACK], "business"),
    ],
  ],
  "airline.seats": [
    ["allow", "there are enough", [searched], book()],
    [
      "refuse",
      "there are too few",
      [searched],
      book({ passengers: [PASSENGER, PASSENGER, PASSENGER] }),
      { reason: "flight HAT1 has not enough seats" },
    ],
    [
      "refuse",
      "the new cabin is full",
      [booked(), searched, searchedBack],
      fly([OUT, BACK], "business"),
    ],
    ["allow", "a kept flight is not asked", [booked(), searchedOther], fly([OTHER_OUT, BACK])],
    ["unknown", "it was not searched", [], book()],
  ],
  "airline.flight_bookable": [
    ["allow", "it is available", [status("HAT1", "2024-05-20", "available")], book()],
    ["refuse", "it is delayed", [status("HAT1", "2024-05-20", "delayed")], book(), {
      reason: "flight HAT1 cannot be booked",
    }],
    [
      "refuse",
      "its day is over",
      [],
      book({ flights: [{ flight_number: "HAT1", date: "2024-05-14" }] }),
    ],
    ["unknown", "its status was not read", [searched], book()],
  ],
  "airline.update_payment_kind": [
    ["allow", "it is a card", [], fly([OUT])],
    ["refuse", "it is a certificate", [], fly([OUT], "economy", "certificate_1")],
    ["unknown", "none is given", [], {
      tool: "update_reservation_flights",
      args: { reservation_id: "R1" },
    }],
  ],
  "airline.own_payment": [
    ["allow", "the profile has it", [user], bags(2, 0)],
    ["refuse", "the profile lacks it", [user], bags(2, 0, "credit_card_9")],
    ["refuse", "one of a booking's has no id", [user], book({ payment_methods: [{ amount: 5 }] })],
    ["unknown", "no profile was read", [], book()],
  ],
  "airline.booking_passengers": [
    ["allow", "there is one", [], book()],
    ["refuse", "there are six", [], book({ passengers: Array(6).fill(PASSENGER) })],
    ["refuse", "there is none", [], book({ passengers: [] })],
    ["unknown", "they are not given", [], { tool: "book_reservation", args: {} }],
  ],
  "airline.booking_payments": [
    [
      "allow",
      "there is one of each",
      [],
      paid(["credit_card_1", 1], ["gift_card_1", 1], ["certificate_1", 1]),
    ],
    ["refuse", "there are two certificates", [], paid(["certificate_1", 1], ["certificate_2", 1])],
    ["refuse", "there are two credit cards", [], paid(["credit_card_1", 1], ["credit_card_2", 1])],
    [
      "refuse",
      "there are four gift cards",
      [],
      paid(["gift_card_1", 1], ["gift_card_2", 1], ["gift_card_3", 1], ["gift_card_4", 1]),
    ],
    ["unknown", "they are not given", [], { tool: "book_reservation", args: {} }],
  ],
  "airline.balance": [
    [
      "unknown",
      "a change is paid by a gift card of unknown balance",
      [user, booked(), searchedOther, did("send_certificate", {}, "sent")],
      fly([OTHER_OUT, BACK], "economy", "gift_card_1"),
    ],
    ["allow", "it holds enough", [user], paid(["gift_card_1", 100])],
    ["refuse", "it holds less", [user], paid(["certificate_1", 60]), {
      reason: "certificate_1 holds less than 60",
    }],
    [
      "unknown",
      "a write came since",
      [user, did("send_certificate", {}, "sent")],
      paid(["certificate_1", 60]),
    ],
    ["unknown", "no profile was read", [], paid(["gift_card_1", 100])],
    [
      "allow",
      "a change costs a credit card",
      [user, booked(), searchedOther],
      fly([OTHER_OUT, BACK]),
    ],
    [
      "allow",
      "a gift card covers a change",
      [user, booked(), searchedOther],
      fly([OTHER_OUT, BACK], "economy", "gift_card_1"),
    ],
    [
      "refuse",
      "a gift card does not cover a change",
      [user, booked(), searched, searchedBack],
      fly([OUT, BACK], "business", "gift_card_1"),
      {
        reason: "gift_card_1 holds less than 580",
      },
    ],
  ],
  "airline.payment_total": [
    ["allow", "the fare stood in a search with one stop", [oneStop], book()],
    ["allow", "it adds up", [searched], book()],
    ["allow", "insurance and bags add up", [searched], {
      ...book({
        insurance: "yes",
        nonfree_baggages: 1,
        payment_methods: [{ payment_id: "credit_card_1", amount: 190 }],
      }),
    }],
    ["refuse", "it is too little", [searched], paid(["credit_card_1", 100]), {
      reason: "the payments do not add up to 110",
    }],
    ["refuse", "it is too much", [searched], paid(["credit_card_1", 120])],
    ["unknown", "a fare was not shown", [], book()],
  ],
  "airline.booking_route": [
    ["allow", "the flight stood in a search with one stop", [oneStop], book()],
    ["allow", "the flight was booked before", [did("book_reservation", {}, RESERVATION)], book()],
    ["allow", "the flight came by a change", [did(CANCEL.tool, CANCEL.args, RESERVATION)], book()],
    ["allow", "it goes there", [searched], book()],
    ["refuse", "it goes elsewhere", [searchedElsewhere], book({ flights: [ELSEWHERE] })],
    ["unknown", "a flight was never shown", [], book()],
  ],
  "airline.bag_fee": [
    ["allow", "two are free for silver in economy", [user], book({ total_baggages: 2 })],
    ["refuse", "a third is not paid", [user], book({ total_baggages: 3 }), {
      reason: "2 bags are free here, so 1 are paid",
    }],
    ["refuse", "regular members have one", [regular, booked()], bags(2, 0)],
    ["allow", "fewer than the free ones cost nothing", [user, booked()], bags(1, 0)],
    ["unknown", "the profile was not read", [booked()], bags(2, 0)],
  ],
  "airline.keep_bags": [
    [
      "refuse",
      "some were added in the session",
      [booked(), did(bags(4, 2).tool, bags(4, 2).args, { ...RESERVATION, total_baggages: 4 })],
      bags(3, 1),
    ],
    ["allow", "there are more", [booked()], bags(3, 1)],
    ["refuse", "there are fewer", [booked()], bags(1, 0)],
    ["unknown", "it was not read", [], bags(1, 0)],
  ],
  "airline.same_passenger_count": [
    ["allow", "there are as many", [booked()], people(PASSENGER)],
    ["refuse", "there is one more", [booked()], people(PASSENGER, PASSENGER)],
    ["unknown", "it was not read", [], people(PASSENGER)],
  ],
  "airline.passenger_fields": [
    ["allow", "all are there", [], people(PASSENGER)],
    ["refuse", "a birthday is missing", [], people({ first_name: "Mia", last_name: "Li" })],
    ["refuse", "a name is empty", [], book({ passengers: [{ ...PASSENGER, last_name: "" }] })],
    ["unknown", "nobody is given", [], { tool: "update_reservation_passengers", args: {} }],
  ],
  "airline.compensation_eligible": [
    ["allow", "the customer is silver", [user, booked()], certificate(100)],
    ["refuse", "nothing speaks for it", [regular, booked()], certificate(100)],
    ["allow", "there is insurance", [regular, booked({ insurance: "yes" })], certificate(100)],
    ["unknown", "no reservation was read", [regular], certificate(100)],
    ["unknown", "no profile was read", [booked()], certificate(100)],
  ],
  "airline.compensation_facts": [
    [
      "allow",
      "a delay was read",
      [booked(), status("HAT1", "2024-05-20", "delayed")],
      certificate(50),
    ],
    [
      "allow",
      "a cancellation was read",
      [booked(), status("HAT1", "2024-05-20", "cancelled")],
      certificate(100),
    ],
    ["refuse", "no status was read", [booked()], certificate(50)],
    ["unknown", "no reservation was read", [], certificate(50)],
  ],
  "airline.compensation_amount": [
    ["allow", "it is 100 a passenger", [booked()], certificate(100)],
    [
      "allow",
      "it is 50 a passenger",
      [booked({ passengers: [PASSENGER, PASSENGER, PASSENGER] })],
      certificate(150),
    ],
    ["refuse", "it is neither", [booked()], certificate(75)],
    ["unknown", "no reservation was read", [], certificate(100)],
  ],
  "airline.compensation_delay_changed": [
    [
      "allow",
      "its flights were changed",
      [
        booked(),
        status("HAT1", "2024-05-20", "delayed"),
        did(fly([OUT]).tool, fly([OUT]).args, RESERVATION),
      ],
      certificate(50),
    ],
    [
      "unknown",
      "another flight was cancelled by the airline",
      [
        booked(),
        status("HAT1", "2024-05-20", "delayed"),
        status("HAT2", "2024-05-25", "cancelled"),
      ],
      certificate(50),
    ],
    ["allow", "it was cancelled", [
      booked(),
      status("HAT1", "2024-05-20", "delayed"),
      did(CANCEL.tool, CANCEL.args, RESERVATION),
    ], certificate(50)],
    [
      "refuse",
      "it stands as it was",
      [booked(), status("HAT1", "2024-05-20", "delayed")],
      certificate(50),
    ],
    ["unknown", "no delay was read", [booked()], certificate(50)],
  ],
  "airline.compensation_asked": [
    ["unknown", "there is no conversation", [], certificate(50), { yes: 0.2 }],
    ["allow", "the answer is yes", [heard("I want compensation")], certificate(50), { yes: 0.9 }],
    ["refuse", "the answer is no", [heard("Never mind")], certificate(50), { yes: 0.2 }],
    ["unknown", "nobody answers", [heard("I want compensation")], certificate(50)],
  ],
  "airline.not_transferred": [
    ["allow", "nobody was transferred", [user], CANCEL],
    ["refuse", "the customer was", [transferred], CANCEL],
  ],
  "airline.confirmed": [
    ["allow", "the customer agrees", [spoke("Cancel R1?"), heard("OK")], CANCEL],
    ["refuse", "the word is part of another", [
      spoke("Cancel R1?"),
      heard("I am unsure, yesterday I booked"),
    ], CANCEL],
    ["unknown", "there is no conversation", [], CANCEL],
  ],
  "airline.proposed": [
    ["allow", "the agent named it", [spoke("Cancel R1?"), heard("yes")], CANCEL],
    ["refuse", "the agent did not", [spoke("Well?"), heard("yes")], CANCEL],
    ["unknown", "there is no conversation", [], CANCEL],
  ],
  "airline.known_ids": [
    [
      "allow",
      "all were shown",
      [heard("mia_1"), user, booked(), searchedOther],
      fly([OTHER_OUT, BACK]),
    ],
    ["refuse", "a flight was not", [heard("mia_1"), user, booked()], fly([OTHER_OUT, BACK]), {
      reason: "HAT3 was never shown",
    }],
    ["unknown", "there is no conversation", [], CANCEL],
  ],
  "airline.one_call": [
    ["allow", "it stands alone", [], CANCEL, { turn: { calls: 1, hasText: false } }],
    ["refuse", "there are two", [], CANCEL, { turn: { calls: 2, hasText: false } }],
    ["unknown", "the turn is not known", [], CANCEL],
  ],
};

/** Every row, also for tests/util/mutate_guards.ts. */
export const ROWS = Object.entries(RULES).flatMap(([rule, rows]) =>
  rows.map(([says, why, shown, call, more]): Row => ({ rule, says, why, shown, ...call, ...more }))
);

testRows(checkRuleFile(airline, "airline_rules.json"), ROWS, {
  never: { "airline.reservation_read": ["unknown"], "airline.not_transferred": ["unknown"] },
});
