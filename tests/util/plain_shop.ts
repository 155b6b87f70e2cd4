/**
 * A made-up shop with τ²-bench retail's tools and plain tickets: customers who
 * write to a shop's form, each kind of wish in several wordings. Everything
 * follows from the numbers it is asked with.
 *
 * @module
 */

import type { WorldData } from "../../lib/tau2/world.ts";
import type { JsonObject } from "../../lib/json/json.ts";

/** A call. */
export interface ShopCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A ticket, and what is right for it. */
export interface ShopTicket {
  readonly kind: string;
  readonly ticket: string;
  readonly email: string;
  /** The writes; none where a person has to go on. */
  readonly writes: readonly ShopCall[];
}

interface Variant {
  readonly item_id: string;
  readonly options: Readonly<Record<string, string>>;
  readonly available: boolean;
  readonly price: number;
}

interface Item {
  readonly name: string;
  readonly product_id: string;
  readonly item_id: string;
  readonly price: number;
  readonly options: Readonly<Record<string, string>>;
}

interface Order {
  readonly order_id: string;
  readonly items: readonly Item[];
  readonly status: string;
  readonly payment: string;
}

/** A customer, as the database holds them. */
interface Customer {
  readonly user_id: string;
  readonly email: string;
  readonly address: Readonly<Record<string, string>>;
  readonly orders: readonly Order[];
}

/** Numbers that look like chance and are the same each time. */
export class Chance {
  #state: number;

  /** The numbers of a seed. */
  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number below `n`. */
  below(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  }

  /** One of a list. */
  of<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error("nothing to choose from");
    return found;
  }
}

const COLORS = ["black", "white", "red", "green"];
const PRODUCTS: readonly (readonly [name: string, option: string, values: readonly string[]])[] = [
  ["Desk Lamp", "brightness", ["dim", "bright"]],
  ["Water Bottle", "material", ["steel", "glass"]],
  ["Office Chair", "armrest", ["fixed", "adjustable"]],
  ["Yoga Mat", "thickness", ["thin", "thick"]],
  ["Hiking Boots", "lining", ["wool", "mesh"]],
  ["Tea Kettle", "stovetop", ["gas", "induction"]],
  ["Wall Clock", "shape", ["round", "square"]],
  ["Garden Hose", "length", ["short", "long"]],
  ["Travel Backpack", "closure", ["zipper", "buckle"]],
  ["Phone Charger", "plug", ["flat", "angled"]],
];
const FIRST = ["Lea", "Omar", "Mei", "Ivan", "Sara", "Noah", "Yara", "Liam", "Aiko", "Juan"];
const LAST = ["Meier", "Haddad", "Chen", "Petrov", "Rossi", "Silva", "Kim", "Khan", "Brown", "Ito"];
const CITIES = [["Denver", "CO"], ["Austin", "TX"], ["Seattle", "WA"], ["Boston", "MA"]] as const;
const STREETS = ["Oak Street", "Pine Lane", "Lake Drive", "Hill Road", "Mill Avenue"];

/** A shop with so many customers, numbered from 0. */
export class PlainShop {
  readonly data: WorldData;
  readonly #customers: readonly Customer[];
  readonly #variants = new Map<string, readonly Variant[]>();

  /** Opens it. */
  constructor(customers: number) {
    const products: Record<string, JsonObject> = {};
    PRODUCTS.forEach(([name, option, values], p) => {
      const variants = COLORS.flatMap((color, c) =>
        values.map((value, v): Variant => ({
          item_id: String(4_000_000_000 + p * 1_000_003 + c * 10_007 + v * 101),
          options: { color, [option]: value },
          available: (p + c + v) % 5 !== 0,
          price: 20 + p * 7 + c * 3 + v,
        }))
      );
      const product_id = String(9_100_000_000 + p * 77_777);
      this.#variants.set(product_id, variants);
      products[product_id] = {
        name,
        product_id,
        variants: Object.fromEntries(variants.map((one) => [one.item_id, one])),
      };
    });
    this.#customers = Array.from({ length: customers }, (_, n) => this.#customer(n));
    const users: Record<string, JsonObject> = {};
    const orders: Record<string, JsonObject> = {};
    this.#customers.forEach((customer, n) => {
      const { user_id, email, address } = customer;
      users[user_id] = {
        user_id,
        name: { first_name: FIRST[n % 10], last_name: LAST[Math.floor(n / 10) % 10] },
        address,
        email,
        payment_methods: Object.fromEntries(
          [`credit_card_${1_000_000 + n}`, `paypal_${2_000_000 + n}`].map((id) => [
            id,
            { source: id.replace(/_\d+$/, ""), id },
          ]),
        ),
        orders: customer.orders.map(({ order_id }) => order_id),
      };
      for (const { order_id, items, status, payment } of customer.orders) {
        const amount = items.reduce((sum, { price }) => sum + price, 0);
        orders[order_id] = {
          order_id,
          user_id,
          address: { ...address, address1: `${7 + n} Old Town Road`, zip: "10001" },
          items,
          status,
          fulfillments: [],
          payment_history: [{ transaction_type: "payment", amount, payment_method_id: payment }],
        };
      }
    });
    this.data = { products, users, orders };
  }

  /** A customer's ticket of a kind, in one of the wordings given for it. */
  ticket(n: number, kind: string, wordings: readonly string[], chance: Chance): ShopTicket {
    const customer = this.#customers[n];
    if (customer === undefined) throw new Error(`There is no customer ${n}`);
    const { email, address } = customer;
    const [first, second, third] = customer.orders;
    if (first === undefined || second === undefined || third === undefined) throw new Error("few");
    // The first two orders are pending, the third was delivered.
    const [thing, other] = (kind === "return" || kind === "exchange" ? third : first).items;
    const reason = chance.of(["no longer needed", "ordered by mistake"]);
    const swap = thing === undefined ? undefined : this.#swap(thing, chance);
    const words: Record<string, string> = {
      thing: thing?.name.toLowerCase() ?? "",
      other: other?.name.toLowerCase() ?? "",
      because: reason === "no longer needed" ? "I no longer need it" : "I ordered it by mistake",
      new: Object.values(swap?.change ?? {}).join(" and "),
      email,
    };
    const wording = chance.of(wordings);
    const text = wording.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? "");
    const closing = chance.of(["Thank you!", "Many thanks.", "Please and thank you.", ""]);
    const ticket = `${text} My e-mail address is ${email}. ${closing}`.trim();
    const named = wording.includes("{other}") ? [thing, other] : [thing];
    const item_ids = named.flatMap((item) => item === undefined ? [] : item.item_id);
    const order = { order_id: third.order_id, item_ids, payment_method_id: third.payment };
    const writes: Record<string, readonly ShopCall[]> = {
      cancel: [call("cancel_pending_order", { order_id: first.order_id, reason })],
      "cancel all": [first, second].map(({ order_id }) =>
        call("cancel_pending_order", { order_id, reason })
      ),
      return: [call("return_delivered_order_items", order)],
      exchange: swap === undefined
        ? []
        : [call("exchange_delivered_order_items", { ...order, new_item_ids: [swap.item_id] })],
      address: [
        call("modify_pending_order_address", { order_id: first.order_id, ...address }),
      ],
    };
    return { kind, ticket, email, writes: writes[kind] ?? [] };
  }

  #customer(n: number): Customer {
    const chance = new Chance(n + 1);
    const [first = "", last = ""] = [FIRST[n % 10], LAST[Math.floor(n / 10) % 10]];
    const [city, state] = chance.of(CITIES);
    const products = [...this.#variants];
    const start = chance.below(10);
    let next = 0;
    const order = (i: number, status: string): Order => {
      const items = Array.from({ length: 2 + chance.below(2) }, (): Item => {
        const at = (start + next++) % PRODUCTS.length;
        const [product_id, variants] = products[at] ?? ["", []];
        const { item_id, price, options } = chance.of(variants);
        return { name: PRODUCTS[at]?.[0] ?? "", product_id, item_id, price, options };
      });
      const payment = chance.of([`credit_card_${1_000_000 + n}`, `paypal_${2_000_000 + n}`]);
      return { order_id: `#W${5_000_000 + n * 13 + i}`, items, status, payment };
    };
    return {
      user_id: `${first}_${last}_${4000 + n}`.toLowerCase(),
      email: `${first}.${last}${4000 + n}@example.com`.toLowerCase(),
      address: {
        address1: `${100 + n} ${chance.of(STREETS)}`,
        address2: `Suite ${1 + chance.below(99)}`,
        city,
        country: "USA",
        state,
        zip: String(80_000 + n),
      },
      orders: [order(0, "pending"), order(1, "pending"), order(2, "delivered")],
    };
  }

  /** Another variant that is there, and what is said of it. */
  #swap(
    { product_id, item_id, options }: Item,
    chance: Chance,
  ): { readonly item_id: string; readonly change: Readonly<Record<string, string>> } | undefined {
    const others = (this.#variants.get(product_id) ?? [])
      .filter((one) => one.available && one.item_id !== item_id);
    const one = chance.of(others);
    const change = Object.entries(one.options).filter(([name, value]) => options[name] !== value);
    return { item_id: one.item_id, change: Object.fromEntries(change) };
  }
}

function call(tool: string, args: JsonObject): ShopCall {
  return { tool, arguments: args };
}
