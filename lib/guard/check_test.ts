import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ambiguityOf, checkCall, refusalText } from "./check.ts";
import { Facts } from "./facts.ts";
import type { JsonObject } from "../json/json.ts";
import { openGuardRules } from "./rules/open_rules.ts";
import { shippedRules } from "./rules/shipped_rules.ts";

const REASON_CALL = {
  tool: "cancel_pending_order",
  arguments: { order_id: "#W1", reason: "found it cheaper" },
};

async function rulesOf(...rules: readonly string[]) {
  return await openGuardRules(
    `hoist_guards: 1\nrules:\n${rules.map((r) => `- ${r}\n`).join("")}`,
    "r.yaml",
  );
}

function retail() {
  const rules = shippedRules("retail");
  assert(rules !== undefined);
  return rules;
}

Deno.test("refusalText() says what the seed says", () => {
  const rules = retail();
  const facts = new Facts(rules);
  facts.answered({ tool: "find_user_id_by_email", arguments: {}, error: false, content: "ann" });
  const order = { order_id: "#W1", user_id: "ann", status: "pending" };
  facts.answered({
    tool: "get_order_details",
    arguments: {},
    error: false,
    content: JSON.stringify(order),
  });
  assertEquals(
    refusalText("cancel_pending_order", checkCall(rules, REASON_CALL, facts)),
    "Refused by the policy check, so cancel_pending_order was not run and nothing changed: " +
      "'found it cheaper' is not an accepted reason (policy check retail.cancel_reason).",
  );
});

Deno.test("refusalText() names every failing rule, the most basic first", () => {
  const rules = retail();
  assertEquals(
    refusalText("cancel_pending_order", checkCall(rules, REASON_CALL, new Facts(rules))),
    "Refused by the policy check, so cancel_pending_order was not run and nothing changed: " +
      "the user has not been authenticated by email or by name and zip code; " +
      "the order's status was not checked first; 'found it cheaper' is not an accepted reason " +
      "(policy check retail.authenticated, retail.status_checked, retail.cancel_reason).",
  );
});

Deno.test("refusalText() lets a call pass that only logged rules refuse", async () => {
  const rules = await rulesOf("{id: a, for: ['*'], mode: log, refuse: 'true', because: no}");
  const rulings = checkCall(rules, { tool: "t", arguments: {} }, new Facts(rules));
  assertEquals([rulings[0]?.verdict, refusalText("t", rulings)], [
    { kind: "refuse", reason: "no" },
    undefined,
  ]);
});

Deno.test("checkCall() takes a rule that throws for unknown and says why", async () => {
  const rules = await rulesOf(
    `{id: a, for: [t], mode: enforce, refuse: 'args.n + 1 > 2', because: no}`,
  );
  const [ruling] = checkCall(rules, { tool: "t", arguments: { n: "x" } }, new Facts(rules));
  assertEquals(ruling?.verdict, { kind: "unknown", fault: "no such overload: dyn<string> + int" });
});

Deno.test("checkCall() abstains without a fault where the session has shown nothing", async () => {
  const rules = await rulesOf(
    `{id: a, for: [t], mode: enforce, refuse: 'args.a.b == 1.0', because: no}`,
  );
  for (const args of [{}, { a: {} }]) {
    const [ruling] = checkCall(rules, { tool: "t", arguments: args }, new Facts(rules));
    assertEquals(ruling?.verdict, { kind: "unknown" });
  }
});

Deno.test("checkCall() never takes what objects inherit for facts", async () => {
  const rules = await rulesOf(
    `{id: a, for: [t], mode: enforce, refuse: '"constructor" in args || has(args.__proto__)', because: no}`,
  );
  const [ruling] = checkCall(rules, { tool: "t", arguments: {} }, new Facts(rules));
  assertEquals(ruling?.verdict, { kind: "allow" });
});

Deno.test("checkCall() says nothing of a tool that no rule is for", () => {
  const rules = retail();
  const ids = checkCall(rules, { tool: "calculate", arguments: {} }, new Facts(rules)).map((r) =>
    r.rule.id
  );
  assertEquals(ids, ["retail.one_call"]);
});

Deno.test("checkCall() survives arguments of every shape under the shipped rules", () => {
  const odd: readonly unknown[] = [null, 1, "", "x", [], [1], {}, { a: null }, [[{}]], true];
  for (const domain of ["retail", "airline"]) {
    const rules = shippedRules(domain);
    assert(rules !== undefined);
    const tools = new Set(rules.rules.flatMap(({ cases }) => cases.flatMap((c) => [...c.tools])));
    for (const tool of tools) {
      for (const value of odd) {
        const names = [
          "order_id",
          "item_ids",
          "new_item_ids",
          "flights",
          "passengers",
          "payment_methods",
          "reservation_id",
        ];
        const args = Object.fromEntries(names.map((name) => [name, value]));
        const facts = new Facts(rules);
        facts.answered({
          tool: "get_user_details",
          arguments: args,
          error: false,
          content: JSON.stringify(value),
        });
        facts.heard("yes");
        for (const { verdict } of checkCall(rules, { tool, arguments: args }, facts)) {
          assert(["allow", "refuse", "unknown"].includes(verdict.kind));
        }
      }
    }
  }
});

Deno.test("checkCall() gives a verdict for any arguments and any answer, and unknown never refuses", () => {
  const domains = ["retail", "airline"].flatMap((domain) => shippedRules(domain) ?? []);
  fc.assert(
    fc.property(
      fc.constantFrom(...domains),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.jsonValue(),
      (rules, args, result) => {
        const tools = new Set(
          rules.rules.flatMap(({ cases }) => cases.flatMap((c) => [...c.tools])),
        );
        for (const tool of tools) {
          const facts = new Facts(rules);
          facts.answered({ tool, arguments: args, error: false, content: JSON.stringify(result) });
          const rulings = checkCall(rules, { tool, arguments: args }, facts);
          const unknown = rulings.filter(({ verdict }) => verdict.kind !== "refuse");
          assertEquals(refusalText(tool, unknown), undefined);
        }
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("checkCall() refuses ambiguous arguments where an enforced rule reads them", async () => {
  const rules = await openGuardRules(
    `
hoist_guards: 1
let: {place: args.path, fixed: '"x"'}
rules:
- {id: r.let, for: [put], mode: enforce, refuse: place == "b", because: no}
- {id: r.log, for: [put], mode: log, refuse: args.path == "b", because: no}
- {id: r.other, for: [put], mode: enforce, refuse: fixed == "y" || tool == "args", because: no}
`,
    "r.yaml",
  );
  const text = '{"path":"b","Path":"a"}';
  const call = { tool: "put", arguments: JSON.parse(text), ambiguity: ambiguityOf(text) ?? "" };
  const reason =
    'its arguments have the keys "path" and "Path", which servers read in different ways';
  assertEquals(
    checkCall(rules, call, new Facts(rules)).map(({ rule, verdict }) => [rule.id, verdict]),
    [
      ["r.let", { kind: "refuse", reason }],
      ["r.log", { kind: "unknown", fault: reason }],
      ["r.other", { kind: "refuse", reason }],
    ],
  );
});

Deno.test("checkCall() judges a rule that does not read ambiguous arguments", async () => {
  const rules = await openGuardRules(
    "hoist_guards: 1\nrules: [{id: r.a, for: [put], mode: enforce, refuse: heard, because: no}]",
    "r.yaml",
  );
  const call = { tool: "put", arguments: {}, ambiguity: ambiguityOf('{"a":1,"a":2}') ?? "" };
  assertEquals(checkCall(rules, call, new Facts(rules))[0]?.verdict, { kind: "allow" });
});

Deno.test("checkCall() refuses an argument that differs in case only from one that rules read", async () => {
  const rules = await openGuardRules(
    `
hoist_guards: 1
rules:
- {id: r.a, for: [put], mode: enforce, refuse: has(args.order_id) && args.order_id == "b", because: no}
- {id: r.b, for: [get], mode: enforce, refuse: "args['kind'] == 'x'", because: no}
`,
    "r.yaml",
  );
  const verdict = (tool: string, args: JsonObject) =>
    checkCall(rules, { tool, arguments: args }, new Facts(rules))[0]?.verdict;
  assertEquals(verdict("put", { Order_Id: "b" }), {
    kind: "refuse",
    reason: 'its argument "Order_Id" is "order_id" to servers that ignore case',
  });
  assertEquals(verdict("get", { KIND: "y", kind: "y" })?.kind, "refuse");
  assertEquals(verdict("put", { order_id: "a", other: 1 })?.kind, "allow");
});
