import { assertEquals } from "@std/assert";
import { shown } from "../../flow/state/output.ts";
import { parseAction } from "../action_text.ts";
import { bindAction } from "./bind_action.ts";
import { RunState } from "./run_state.ts";

const read = (text: string) => {
  const value: unknown = JSON.parse(text);
  return { value, shown: shown(value) };
};
const variant = (color: string, size: string, available = true) => ({
  options: { color, size },
  available,
});
const SHIRTS = {
  "1001": variant("black", "M"),
  "1002": variant("red", "M"),
  "1003": variant("red", "L"),
  "1004": variant("sea green", "M", false),
  "1005": variant("green", "M"),
};
const EXCHANGE = parseAction(
  'exchange{"old": "@order$.item", "new": "@product$.variants.*~?{\\"available\\":true}?instead(old)"}',
  true,
);

function exchanged(ticket: string): unknown {
  const state = new RunState({ ticket, inputs: {} }, read);
  const seen = { order: { item: "1001" }, product: { name: "T-Shirt", variants: SHIRTS } };
  for (const [tool, value] of Object.entries(seen)) {
    const call = { tool, arguments: {}, isRead: true, text: tool };
    state.answered(call, { error: false, content: JSON.stringify(value) });
  }
  const bound = bindAction(EXCHANGE, state);
  return bound.kind === "bound" ? bound.arguments.new : bound.reason;
}

const NONE = '@product$.variants.*~?{"available":true}?instead(old) finds no single replacement';
const TICKETS: readonly (readonly [string, string, string])[] = [
  ["says one thing, and keeps the rest", "The same shirt, but in red.", "1002"],
  ["says two", "I want it in red, size L.", "1003"],
  ["repeats what it has", "Exchange the black shirt for a red one.", "1002"],
  ["says nothing of it", "I want another shirt.", NONE],
  ["leaves a choice", "Red or green, I do not care.", NONE],
  ["wants what is sold out", "I want it in sea green.", NONE],
  ["has a size as a word of its own only", "I'm sure: l is for later. Red.", "1002"],
];
for (const [what, ticket, item] of TICKETS) {
  Deno.test(`?instead(ARGUMENT): a ticket that ${what}`, () =>
    assertEquals(exchanged(ticket), item));
}

Deno.test("?instead(ARGUMENT)?all replaces each value of a list", () => {
  const ticket = "Both in red, please.";
  const state = new RunState({ ticket, inputs: {} }, read);
  const mugs = { "2001": variant("blue", "S"), "2002": variant("red", "S") };
  for (const [n, variants] of [SHIRTS, mugs].entries()) {
    const call = { tool: "product", arguments: { n }, isRead: true, text: "product" };
    state.answered(call, { error: false, content: JSON.stringify({ variants }) });
  }
  const action = parseAction(
    'exchange{"new": ["@product$.variants.*~?instead(old)?all"], "old": ["1001", "2001"]}',
    true,
  );
  const bound = bindAction(action, state);
  assertEquals(bound.kind === "bound" && bound.arguments.new, ["1002", "2002"]);
});
