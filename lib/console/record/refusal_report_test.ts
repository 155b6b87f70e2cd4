import { assertEquals } from "@std/assert";
import { refusalLines, type RefusedCall, ruleOf } from "./refusal_report.ts";

const TOLD = "Refused by the policy check, so pay was not run and nothing changed: ";

for (
  const [reply, rule] of [
    [`${TOLD}over 100 (policy check shop.limit)`, "shop.limit"],
    [`${TOLD}not agreed (confirmation judge: p_yes 0.15)`, "confirmation judge"],
    ["No.", "another check"],
  ] as const
) {
  Deno.test(`ruleOf() finds ${rule}`, () => assertEquals(ruleOf(reply), rule));
}

Deno.test("refusalLines() groups by rule and tool, and keeps the newest call of each", () => {
  const call = (key: string, n: number, rule: string): RefusedCall => ({
    key,
    n,
    tool: "pay",
    server: "shop",
    unixMs: n,
    reply: `${TOLD}no (policy check ${rule})`,
  });
  const lines = refusalLines([
    call("b", 9, "x"),
    call("a", 5, "y"),
    call("b", 3, "x"),
    call("a", 2, "x"),
  ]);
  assertEquals(
    lines.map(({ rule, times, sessions, latest }) => [rule, times, sessions, latest.n]),
    [
      ["x", 3, 2, 9],
      ["y", 1, 1, 5],
    ],
  );
});
