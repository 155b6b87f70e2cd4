import { assertEquals, assertMatch } from "@std/assert";
import { compileRules } from "../guard/compile_rules.ts";
import { readConfirmLog } from "../guard/confirm_log.ts";
import { ConfirmJudge } from "../guard/judge.ts";
import { checkRuleFile } from "../guard/rule_file.ts";
import { shippedRules } from "../guard/shipped_rules.ts";
import { mockOracle } from "../oracle/mock.ts";
import { GuardGate } from "./guard_gate.ts";

const RETAIL = shippedRules("retail");
const CANCEL = (args: Record<string, unknown>) => ({
  tool: "cancel_pending_order",
  arguments: { order_id: "#W1", ...args },
  turn: { calls: 1, hasText: false },
});
const GOOD = CANCEL({ reason: "no longer needed" });
const ORDERS = JSON.stringify([{ order_id: "#W1" }, { order_id: "#W2" }]);

function gate(yes?: number, rules = RETAIL) {
  if (rules === undefined) throw new Error("there are no retail rules");
  const said: string[] = [];
  const lines: string[] = [];
  const judge = yes === undefined ? undefined : new ConfirmJudge({
    threshold: 0.5,
    isEnforced: true,
    model: "m",
    known: mockOracle(() => ({ type: "noul", noul: yes })),
    maxQuestions: 0,
    monotonicMs: () => 0,
  });
  const made = new GuardGate(rules, {
    ...(judge === undefined ? {} : { judge }),
    confirmLog: (line) => lines.push(line + "\n"),
    say: (line) => said.push(line),
  });
  const answer = (tool: string, content: string) =>
    made.answered({ tool, arguments: {}, error: false, content });
  return { made, answer, said, log: () => readConfirmLog(lines.join(""), "log") };
}

/** A session in which the order was read. */
function shown(yes?: number) {
  const session = gate(yes);
  session.answer("find_user_id_by_email", "ann_1");
  session.answer("get_user_details", JSON.stringify({ user_id: "ann_1", orders: ["#W1", "#W2"] }));
  session.answer(
    "get_order_details",
    JSON.stringify({ order_id: "#W1", user_id: "ann_1", status: "pending" }),
  );
  return session;
}

Deno.test("GuardGate refuses by the rules, in their order, with the seed's words", () => {
  const { made, answer } = gate();
  assertEquals(
    made.check(CANCEL({ reason: "found it cheaper" })),
    "Refused by the policy check, so cancel_pending_order was not run and nothing changed: the user has not been authenticated by email or by name and zip code; the order's status was not checked first; 'found it cheaper' is not an accepted reason (policy check retail.authenticated, retail.status_checked, retail.cancel_reason).",
  );
  answer("find_user_id_by_email", "ann_1");
  answer("get_order_details", '{"order_id":"#W1","user_id":"ann_1","status":"pending"}');
  assertEquals(made.check(GOOD), undefined);
});

Deno.test("GuardGate asks the judge about what the rules let pass, and logs it", async () => {
  const { made, log } = shown(0.15);
  made.heard("assistant", "Shall I cancel #W1?");
  made.heard("user", "The other one, 2.");
  assertMatch(
    await made.check(GOOD) ?? "",
    /^Refused by the policy check, .* \(confirmation judge: p_yes 0\.15\); describe the change/,
  );
  const bad = made.check(CANCEL({ reason: "x" }));
  assertMatch(String(bad), /'x' is not an accepted reason/);
  assertEquals(log().map(({ word_list, enforced }) => ({ word_list, enforced })), [
    { word_list: false, enforced: true },
  ]);
});

Deno.test("GuardGate lets pass what the judge passes, and asks about no lookup", async () => {
  const { made, answer, log } = shown(0.9);
  answer("search", ORDERS);
  made.heard("assistant", "Shall I cancel #W2222 or #W1?");
  made.heard("user", "Yes");
  assertEquals(await made.check(GOOD), undefined);
  const lookup = { ...GOOD, tool: "get_order_details" };
  assertEquals(made.check(lookup), undefined);
  assertEquals(log().map(({ word_list, p_yes }) => [word_list, p_yes]), [[true, 0.9]]);
});

Deno.test("GuardGate counts a rule that goes wrong as unknown and says so once", () => {
  const rules = compileRules(
    checkRuleFile({
      hoist_guards: 1,
      rules: [{
        id: "p.sum",
        for: ["hold"],
        mode: "enforce",
        refuse: "args.n + 1.0 > 2.0",
        because: "too many",
      }],
    }, "r"),
    "r",
  );
  const { made, said } = gate(undefined, rules);
  const hold = (n: unknown) => made.check({ ...GOOD, tool: "hold", arguments: { n } });
  assertEquals([hold("1"), hold("2"), hold(9) !== undefined], [undefined, undefined, true]);
  assertEquals(said.length, 1);
  assertMatch(said[0] ?? "", /^rule "p\.sum" counts as unknown: /);
});
