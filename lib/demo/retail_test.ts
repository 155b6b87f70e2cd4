import { assertEquals } from "@std/assert";
import { RETAIL_TOOLS } from "./retail.ts";

function run(name: string, args: Record<string, unknown>): string {
  const answer = RETAIL_TOOLS.find((tool) => tool.name === name)?.run(args);
  return `${answer?.isError ? "! " : ""}${answer?.text}`;
}

for (
  const [name, args, expected] of [
    ["find_user_id_by_email", { email: "c7@example.com" }, "user_7"],
    ["find_user_id_by_email", { email: "c@example.com" }, "! Error: User not found"],
    ["find_user_id_by_email", { email: "C7@example.com" }, "! Error: User not found"],
    [
      "get_user_details",
      { user_id: "user_7" },
      '{"user_id":"user_7","orders":["#W7a","#W7b"],' +
      '"email":"c7@example.com","payment_methods":{"credit_card_7":{"source":"credit_card"}}}',
    ],
    ["get_user_details", { user_id: "user_07" }, "! Error: User not found"],
    [
      "get_order_details",
      { order_id: "#W12a" },
      '{"order_id":"#W12a","user_id":"user_12","status":"pending",' +
      '"items":[{"item_id":"1201","name":"Desk Lamp","product_id":"9001"}],' +
      '"payment_history":[{"payment_method_id":"credit_card_12"}]}',
    ],
    [
      "get_order_details",
      { order_id: "#W12b" },
      '{"order_id":"#W12b","user_id":"user_12","status":"pending",' +
      '"items":[{"item_id":"1202","name":"Water Bottle","product_id":"9002"}],' +
      '"payment_history":[{"payment_method_id":"credit_card_12"}]}',
    ],
    ["get_order_details", { order_id: "W7a" }, "! Error: Order not found"],
    [
      "cancel_pending_order",
      { order_id: "#W7a", reason: "any" },
      '{"order_id":"#W7a","status":"cancelled"}',
    ],
    ["cancel_pending_order", { order_id: "#W7c", reason: "any" }, "! Error: Order not found"],
  ] as const
) {
  Deno.test(`${name}() answers ${JSON.stringify(args)}`, () =>
    assertEquals(run(name, args), expected));
}

Deno.test("cancel_pending_order() stores nothing", () => {
  run("cancel_pending_order", { order_id: "#W7a", reason: "any" });
  assertEquals(JSON.parse(run("get_order_details", { order_id: "#W7a" })).status, "pending");
});
