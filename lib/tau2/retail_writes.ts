/**
 * Executes the writes of the retail domain.
 *
 * Amounts are added in the benchmark's order, so that the last digits agree. One of
 * the benchmark's faults is kept because recordings show it: after a change of several
 * items, every new item has the price and options of the last one.
 *
 * @module
 */

import type { JsonObject } from "../json/json.ts";
import { roundCents } from "./calculate.ts";
import { refuseTool } from "./refusal.ts";
import { textArg, textsArg } from "./tool_args.ts";
import type { World } from "./world.ts";

/** A write tool and the names of its arguments. */
export interface Tau2Write {
  readonly names: readonly string[];
  /** Executes the call; a refusal throws `ToolRefusal` and changes nothing. */
  readonly run: (world: World, args: JsonObject) => unknown;
}

// The database is the benchmark's own, and trusted to have its shape.

interface Item extends JsonObject {
  readonly product_id: string;
  readonly item_id: string;
  readonly price: number;
}

interface Payment {
  readonly transaction_type: string;
  readonly amount: number;
  readonly payment_method_id: string;
}

interface Order extends JsonObject {
  readonly order_id: string;
  readonly user_id: string;
  readonly status: string;
  readonly items: readonly Item[];
  readonly payment_history: readonly Payment[];
}

interface PaymentMethod {
  readonly source: string;
  readonly balance: number;
}

interface User extends JsonObject {
  readonly user_id: string;
  readonly payment_methods: Readonly<Record<string, PaymentMethod>>;
}

interface Variant {
  readonly available: boolean;
  readonly price: number;
  readonly options: unknown;
}

const ADDRESS = ["address1", "address2", "city", "state", "country", "zip"];
const ITEMS = ["order_id", "item_ids", "new_item_ids", "payment_method_id"];

/** The domain's writes. */
export const RETAIL_WRITES: Readonly<Record<string, Tau2Write>> = {
  cancel_pending_order: { names: ["order_id", "reason"], run: cancelOrder },
  exchange_delivered_order_items: { names: ITEMS, run: exchangeItems },
  modify_pending_order_address: { names: ["order_id", ...ADDRESS], run: modifyOrderAddress },
  modify_pending_order_items: { names: ITEMS, run: modifyItems },
  modify_pending_order_payment: { names: ["order_id", "payment_method_id"], run: modifyPayment },
  modify_user_address: { names: ["user_id", ...ADDRESS], run: modifyUserAddress },
  return_delivered_order_items: {
    names: ["order_id", "item_ids", "payment_method_id"],
    run: returnItems,
  },
};

function cancelOrder(world: World, args: JsonObject): unknown {
  const order = orderOf(world, args);
  if (order.status !== "pending") refuseTool("Non-pending order cannot be cancelled");
  const reason = textArg(args, "reason");
  if (!["no longer needed", "ordered by mistake"].includes(reason)) refuseTool("Invalid reason");
  const refunds = order.payment_history.map((payment) => ({
    ...payment,
    transaction_type: "refund",
  }));
  for (const { payment_method_id, amount } of refunds) {
    credit(world, order.user_id, payment_method_id, amount);
  }
  return putOrder(world, {
    ...order,
    status: "cancelled",
    payment_history: [...order.payment_history, ...refunds],
    cancel_reason: reason,
  });
}

function modifyOrderAddress(world: World, args: JsonObject): unknown {
  const order = orderOf(world, args);
  if (!order.status.includes("pending")) refuseTool("Non-pending order cannot be modified");
  return putOrder(world, { ...order, address: addressOf(args) });
}

function modifyItems(world: World, args: JsonObject): unknown {
  const order = orderOf(world, args);
  if (order.status !== "pending") refuseTool("Non-pending order cannot be modified");
  const old = textsArg(args, "item_ids");
  const missing = missingItem(order, old);
  if (missing !== undefined) refuseTool(`${missing} not found`);
  const wanted = textsArg(args, "new_item_ids");
  if (old.length !== wanted.length) refuseTool("The number of items to be exchanged should match");
  const { difference, last } = compare(world, order, { old, wanted, mustDiffer: true });
  const method = textArg(args, "payment_method_id");
  requireBalance(world, { order, method, amount: difference }, "new item");
  const items = order.items.map((item) => ({ ...item }));
  old.forEach((id, i) => {
    const item = items.find(({ item_id }) => item_id === id);
    if (item === undefined || last === undefined) return refuseTool(`Item ${id} not found`);
    Object.assign(item, { item_id: wanted[i], price: last.price, options: last.options });
  });
  credit(world, order.user_id, method, -difference);
  const payment = {
    transaction_type: difference > 0 ? "payment" : "refund",
    amount: Math.abs(difference),
    payment_method_id: method,
  };
  return putOrder(world, {
    ...order,
    items,
    status: "pending (item modified)",
    payment_history: [...order.payment_history, payment],
  });
}

function modifyPayment(world: World, args: JsonObject): unknown {
  const order = orderOf(world, args);
  if (!order.status.includes("pending")) refuseTool("Non-pending order cannot be modified");
  const method = textArg(args, "payment_method_id");
  methodOf(world, order.user_id, method);
  const [paid] = order.payment_history;
  if (paid?.transaction_type !== "payment" || order.payment_history.length !== 1) {
    return refuseTool("There should be exactly one payment for a pending order");
  }
  if (paid.payment_method_id === method) {
    refuseTool("The new payment method should be different from the current one");
  }
  const { amount } = paid;
  requireBalance(world, { order, method, amount }, "order");
  credit(world, order.user_id, method, -amount);
  credit(world, order.user_id, paid.payment_method_id, amount);
  return putOrder(world, {
    ...order,
    payment_history: [
      paid,
      { transaction_type: "payment", amount, payment_method_id: method },
      { transaction_type: "refund", amount, payment_method_id: paid.payment_method_id },
    ],
  });
}

function modifyUserAddress(world: World, args: JsonObject): unknown {
  const user = { ...userOf(world, textArg(args, "user_id")), address: addressOf(args) };
  world.put("users", user.user_id, user);
  return user;
}

function returnItems(world: World, args: JsonObject): unknown {
  const order = orderOf(world, args);
  if (order.status !== "delivered") refuseTool("Non-delivered order cannot be returned");
  const method = textArg(args, "payment_method_id");
  const { source } = methodOf(world, order.user_id, method);
  if (source !== "gift_card" && method !== order.payment_history[0]?.payment_method_id) {
    refuseTool("Payment method should be the original payment method");
  }
  const items = textsArg(args, "item_ids");
  if (missingItem(order, items) !== undefined) refuseTool("Some item not found");
  return putOrder(world, {
    ...order,
    status: "return requested",
    return_items: items.sort(),
    return_payment_method_id: method,
  });
}

function exchangeItems(world: World, args: JsonObject): unknown {
  const order = orderOf(world, args);
  if (order.status !== "delivered") refuseTool("Non-delivered order cannot be exchanged");
  const old = textsArg(args, "item_ids");
  const missing = missingItem(order, old);
  if (missing !== undefined) refuseTool(`Number of ${missing} not found.`);
  const wanted = textsArg(args, "new_item_ids");
  if (old.length !== wanted.length) refuseTool("The number of items to be exchanged should match.");
  const difference = roundCents(
    compare(world, order, { old, wanted, mustDiffer: false }).difference,
  );
  const method = textArg(args, "payment_method_id");
  requireBalance(world, { order, method, amount: difference }, "price difference");
  return putOrder(world, {
    ...order,
    status: "exchange requested",
    exchange_items: old.sort(),
    exchange_new_items: wanted.sort(),
    exchange_payment_method_id: method,
    exchange_price_difference: difference,
  });
}

/** The price difference between the wanted and the old items, and the last wanted item. */
function compare(
  world: World,
  order: Order,
  { old, wanted, mustDiffer }: {
    readonly old: readonly string[];
    readonly wanted: readonly string[];
    readonly mustDiffer: boolean;
  },
): { readonly difference: number; readonly last: Variant | undefined } {
  let difference = 0;
  let last: Variant | undefined;
  wanted.forEach((id, i) => {
    if (mustDiffer && id === old[i]) {
      refuseTool("The new item id should be different from the old item id");
    }
    const item = order.items.find(({ item_id }) => item_id === old[i]);
    if (item === undefined) return refuseTool(`Item ${old[i]} not found`);
    last = variantOf(world, item.product_id, id);
    if (!last.available) refuseTool(`New item ${id} not found or available`);
    difference += last.price - item.price;
  });
  return { difference, last };
}

/** The first item that is named more often than the order contains it. */
function missingItem({ items }: Order, ids: readonly string[]): string | undefined {
  const left = items.map(({ item_id }) => item_id);
  const count = (list: readonly string[], id: string) => list.filter((i) => i === id).length;
  return ids.find((id) => count(ids, id) > count(left, id));
}

function requireBalance(
  world: World,
  { order, method, amount }: { order: Order; method: string; amount: number },
  what: string,
): void {
  const { source, balance } = methodOf(world, order.user_id, method);
  if (source === "gift_card" && balance < amount) {
    refuseTool(`Insufficient gift card balance to pay for the ${what}`);
  }
}

/** Adds an amount to a gift card; other payment methods have no balance. */
function credit(world: World, userId: string, method: string, amount: number): void {
  const found = methodOf(world, userId, method);
  if (found.source !== "gift_card") return;
  const user = userOf(world, userId);
  const payment_methods = {
    ...user.payment_methods,
    [method]: { ...found, balance: roundCents(found.balance + amount) },
  };
  world.put("users", userId, { ...user, payment_methods });
}

function orderOf(world: World, args: JsonObject): Order {
  const found = world.record("orders", args.order_id);
  return found === undefined ? refuseTool("Order not found") : found as Order;
}

function putOrder(world: World, order: Order): Order {
  world.put("orders", order.order_id, order);
  return order;
}

function userOf(world: World, id: string): User {
  const found = world.record("users", id);
  return found === undefined ? refuseTool("User not found") : found as User;
}

function methodOf(world: World, userId: string, id: string): PaymentMethod {
  const { payment_methods } = userOf(world, userId);
  const found = Object.hasOwn(payment_methods, id) ? payment_methods[id] : undefined;
  return found ?? refuseTool("Payment method not found");
}

function variantOf(world: World, productId: string, id: string): Variant {
  const product = world.record("products", productId);
  if (product === undefined) return refuseTool("Product not found");
  const variants = product.variants as Readonly<Record<string, Variant>>;
  return (Object.hasOwn(variants, id) ? variants[id] : undefined) ??
    refuseTool("Variant not found");
}

function addressOf(args: JsonObject): JsonObject {
  return Object.fromEntries(ADDRESS.map((name) => [name, args[name]]));
}
