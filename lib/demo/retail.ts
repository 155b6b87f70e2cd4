/**
 * The retail world of the demo: a tiny shop with four tools of τ²-bench retail.
 *
 * Its data is computed from the number in an id: `cN@example.com` is `user_N`, whose
 * orders `#WNa` and `#WNb` are pending. Nothing is stored: a cancelled order is
 * pending again in the next call.
 *
 * @module
 */

import type { DemoAnswer, DemoTool } from "./tools.ts";

/** The reasons that the shop's policy accepts. The tool takes any; a guard refuses the others. */
const REASONS = "'no longer needed' or 'ordered by mistake'";

/** The tools of the retail world. */
export const RETAIL_TOOLS: readonly DemoTool[] = [
  {
    name: "find_user_id_by_email",
    description:
      "Find user id by email. If the user is not found, the function will return an error.",
    properties: { email: { type: "string", description: "Such as 'c7@example.com'." } },
    required: ["email"],
    readOnlyHint: true,
    run: (args) =>
      found("User", idIn(args.email, /^c([1-9]\d{0,8})@example\.com$/), (n) => `user_${n}`),
  },
  {
    name: "get_user_details",
    description: "Get the details of a user, including their orders.",
    properties: { user_id: { type: "string", description: "Such as 'user_7'." } },
    required: ["user_id"],
    readOnlyHint: true,
    run: (args) => found("User", idIn(args.user_id, /^user_([1-9]\d{0,8})$/), user),
  },
  {
    name: "get_order_details",
    description: "Get the status and details of an order.",
    properties: { order_id: { type: "string", description: "Such as '#W7a'." } },
    required: ["order_id"],
    readOnlyHint: true,
    run: (args) => found("Order", idIn(args.order_id, ORDER), (id) => order(id)),
  },
  {
    name: "cancel_pending_order",
    description: "Cancel a pending order. The agent needs to explain the cancellation detail and " +
      "ask for explicit user confirmation (yes/no) to proceed.",
    properties: {
      order_id: { type: "string", description: "Such as '#W7a'." },
      reason: { type: "string", description: `Either ${REASONS}.` },
    },
    required: ["order_id", "reason"],
    readOnlyHint: false,
    run: (args) =>
      found(
        "Order",
        idIn(args.order_id, ORDER),
        (id) => JSON.stringify({ order_id: `#W${id}`, status: "cancelled" }),
      ),
  },
];

const ORDER = /^#W([1-9]\d{0,8}[ab])$/;

function idIn(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === "string" ? pattern.exec(value)?.[1] : undefined;
}

function found(what: string, id: string | undefined, answer: (id: string) => string): DemoAnswer {
  if (id === undefined) return { text: `Error: ${what} not found`, isError: true };
  return { text: answer(id), isError: false };
}

function user(n: string): string {
  return JSON.stringify({
    user_id: `user_${n}`,
    orders: [`#W${n}a`, `#W${n}b`],
    email: `c${n}@example.com`,
    payment_methods: { [`credit_card_${n}`]: { source: "credit_card" } },
  });
}

function order(id: string): string {
  const n = id.slice(0, -1);
  const isFirst = id.endsWith("a");
  return JSON.stringify({
    order_id: `#W${id}`,
    user_id: `user_${n}`,
    status: "pending",
    items: [
      isFirst
        ? { item_id: `${n}01`, name: "Desk Lamp", product_id: "9001" }
        : { item_id: `${n}02`, name: "Water Bottle", product_id: "9002" },
    ],
    payment_history: [{ payment_method_id: `credit_card_${n}` }],
  });
}
