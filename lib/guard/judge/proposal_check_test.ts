import { assertEquals } from "@std/assert";
import { ProposalCheck } from "./proposal_check.ts";

const USER = {
  orders: ["#W1111", "#W2222"],
  payment_methods: {
    credit_card_4421: { source: "credit_card" },
    paypal_9000: { source: "paypal" },
  },
};
const ORDER = {
  order_id: "#W1111",
  items: [
    { item_id: "I1", name: "Skateboard", price: 20 },
    { item_id: "I2", name: "Lamp", price: 8 },
  ],
};

Deno.test.each<
  {
    why: string;
    args: Record<string, unknown>;
    reply: string;
    proposal?: string;
    flags: readonly string[];
  }
>([
  { why: "the reply names it", args: { order_id: "#W1111" }, reply: "Yes, W1111.", flags: [] },
  {
    why: "the reply names another order",
    args: { order_id: "#W1111" },
    reply: "No, cancel 2222.",
    flags: ["order_id #W1111"],
  },
  {
    why: "the reply names both",
    args: { order_id: "#W1111" },
    reply: "1111 and 2222",
    flags: [],
  },
  { why: "nobody names any", args: { order_id: "#W1111" }, reply: "Yes", flags: [] },
  {
    why: "the proposal names another",
    args: { order_id: "#W1111" },
    proposal: "Cancel #W2222?",
    reply: "Yes",
    flags: ["order_id #W1111"],
  },
  {
    why: "the proposal names two",
    args: { item_ids: ["I1"] },
    proposal: "The skateboard or the lamp?",
    reply: "Yes",
    flags: [],
  },
  {
    why: "a field of another record is named",
    args: { item_ids: ["I1"] },
    reply: "The lamp, please.",
    flags: ["item_ids I1"],
  },
  {
    why: "the other record is passed too",
    args: { item_ids: ["I1", "I2"] },
    reply: "The lamp, please.",
    flags: [],
  },
  {
    why: "a payment method is named by its kind",
    args: { payment_method_id: "credit_card_4421" },
    reply: "Use PayPal.",
    flags: ["payment_method_id credit_card_4421"],
  },
  {
    why: "a word only contains a name",
    args: { item_ids: ["I1"] },
    reply: "The lamps?",
    flags: [],
  },
  { why: "no list has the value", args: { order_id: "#W9999" }, reply: "2222", flags: [] },
  { why: "a value has no digit", args: { reason: "lamp" }, reply: "skateboard", flags: [] },
])("otherChoices() gives $flags when $why", ({ args, reply, proposal = "", flags }) => {
  const check = new ProposalCheck();
  for (const result of ["ann_1", "Error 1", JSON.stringify(USER), JSON.stringify(ORDER)]) {
    check.answered(result);
  }
  const found = check.otherChoices({ tool: "t", arguments: args, reply, proposal });
  assertEquals(found.map(({ argument, value }) => `${argument} ${value}`), flags);
});

Deno.test("otherChoices() looks at the newest results, and at no list too long to choose from", () => {
  const write = { tool: "t", arguments: { order_id: "#W1111" }, reply: "2222", proposal: "" };
  const forgetful = new ProposalCheck();
  forgetful.answered(JSON.stringify(USER));
  forgetful.answered(`["${"x".repeat(3_000_000)}"]`);
  assertEquals(forgetful.otherChoices(write).length, 1, "one that is too long is left out");
  for (let i = 0; i < 3; i++) forgetful.answered(`["${"x".repeat(900_000)}"]`);
  assertEquals(forgetful.otherChoices(write), []);
  const long = new ProposalCheck();
  long.answered(JSON.stringify({ orders: [...USER.orders, ...Array(500).fill("#W3333")] }));
  assertEquals(long.otherChoices(write), []);
});
