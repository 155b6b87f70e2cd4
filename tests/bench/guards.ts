/**
 * What guards cost: reading the shipped rules, warming them up, and a call late in a session
 * of 500 results: checking the write, and adding an answer to the facts. Prints milliseconds;
 * asserts nothing.
 *
 * `deno run tests/bench/guards.ts`
 */

import { GuardInterceptor } from "../../lib/intercept/guard/guard.ts";
import { shippedRules } from "../../lib/guard/rules/shipped_rules.ts";
import { warmUp } from "../../lib/guard/warm.ts";

const ORDERS = 250;
const CHECKS = 2_000;

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(3);
  console.log(
    `${what}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, first ${times[0]?.toFixed(3)} ms`,
  );
}

/** How long each step takes. */
function* steps(work: Generator<void>): Generator<number> {
  for (let isOver = false; !isOver;) yield timed(() => isOver = work.next().done === true);
}

report("reading both rule files", [
  timed(() => ["retail", "airline"].forEach((d) => shippedRules(d))),
]);
const rules = shippedRules("retail");
if (rules === undefined) throw new Error("there are no retail rules");
report("warming them up, a step", Array.from(steps(warmUp(rules))));
const gate = new GuardInterceptor(rules, {
  confirmLog: () => {},
  say: console.error,
  monotonicMs: () => 0,
});
const show = (tool: string, result: unknown) =>
  gate.answered({
    tool,
    arguments: {},
    error: false,
    content: typeof result === "string" ? result : JSON.stringify(result),
  });
const six = [0, 1, 2, 3, 4, 5];

show("find_user_id_by_email", "ann_1");
const adding = Array.from({ length: ORDERS }, (_, n) =>
  timed(() => {
    show("get_order_details", {
      order_id: `#W${n}`,
      user_id: "ann_1",
      status: "pending",
      items: six.map((k) => ({
        item_id: `I${n}${k}`,
        product_id: `P${n}`,
        price: 3,
        options: { size: "L" },
      })),
      payment_history: [{ amount: 18, payment_method_id: "gift_card_1" }],
    });
    const variants = six.flatMap((
      k,
    ) => [[`I${n}${k}`, { available: true, price: 3 }], [`J${n}${k}`, {
      available: true,
      price: 3,
    }]]);
    show("get_product_details", { product_id: `P${n}`, variants: Object.fromEntries(variants) });
  }) / 2);
show("get_user_details", {
  user_id: "ann_1",
  payment_methods: { gift_card_1: { source: "gift_card", balance: 5 } },
  orders: Array.from({ length: ORDERS }, (_, n) => `#W${n}`),
});
gate.heard("assistant", "Change I0 of #W0?");
gate.heard("user", "yes");
report("adding an answer to the facts", adding);

const checks = Array.from({ length: CHECKS }, (_, i) => {
  const n = i % ORDERS;
  const args = {
    order_id: `#W${n}`,
    item_ids: [`I${n}0`, `I${n}1`],
    new_item_ids: [`J${n}0`, `J${n}1`],
    payment_method_id: "gift_card_1",
  };
  const call = {
    tool: "modify_pending_order_items",
    arguments: args,
    turn: { calls: 1, hasText: false },
  };
  return timed(() => gate.check(call));
});
report(`checking a write after ${2 * ORDERS + 2} answers, the first 50`, checks.slice(0, 50));
report("the same, all", checks);
