import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Option } from "../deciding/option.ts";
import { explored, outlooksOf, sessionContent } from "./explore.ts";
import type { FlowDecision } from "./flow_decision.ts";
import { resultReader } from "../state/read_result.ts";
import { FlowState } from "../state/flow_state.ts";

function option(tool: string, p: number, chance: number | undefined): Option {
  if (chance === undefined) return { tool, p, habit: p, best: undefined };
  const candidate = {
    tool,
    arguments: { of: tool },
    key: `${tool} {"of":"${tool}"}`,
    list: undefined,
    index: 0,
    record: undefined,
    isNamed: false,
    isDescribed: false,
  };
  return { tool, p, habit: p, best: { candidate, chance } };
}

function decisionOf(options: readonly Option[], threshold = 0.3): FlowDecision {
  let best: Option | undefined;
  for (const o of options) {
    if (
      o.best !== undefined && o.p * o.best.chance > (best ? best.p * (best.best?.chance ?? 0) : 0)
    ) {
      best = o;
    }
  }
  const chosen = best?.best !== undefined && best.p * best.best.chance >= threshold
    ? best.best.candidate
    : undefined;
  return {
    address: "decide#0",
    site: "s",
    options,
    threshold,
    best,
    action: chosen === undefined
      ? { kind: "hand_back", reason: "low" }
      : { kind: "lookup", tool: chosen.tool, arguments: chosen.arguments, key: chosen.key },
  };
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
const decisions = fc.array(
  fc.tuple(share, fc.option(share, { nil: undefined })),
  { maxLength: 6 },
).map((list) => decisionOf(list.map(([p, chance], i) => option(`t${i}`, p, chance))));

Deno.test("outlooksOf() gives chances that sum to one", () => {
  fc.assert(fc.property(decisions, share, (decision, epsilon) => {
    const sum = outlooksOf(decision, epsilon).reduce((n, o) => n + o.propensity, 0);
    assert(Math.abs(sum - 1) < 1e-9, String(sum));
  }));
});

Deno.test("explored() takes what its propensity says, and what binds", () => {
  fc.assert(fc.property(decisions, share, fc.nat(), (decision, epsilon, seed) => {
    const { decision: taken, policy } = explored(decision, { epsilon, seed, events: "{}" });
    const tool = taken.action.kind === "lookup" ? taken.action.tool : null;
    const isGreedy = tool === policy.greedy;
    const outlook = outlooksOf(decision, epsilon).find((o) =>
      isGreedy ? o.option === undefined : o.option?.tool === tool
    );
    assertEquals(policy.propensity, outlook?.propensity);
    assert(policy.propensity > 0);
    assertEquals(
      policy.options.map((o) => o.tool),
      decision.options.map((o) => o.tool),
    );
    if (!isGreedy) assert(taken.options.find((o) => o.tool === tool)?.best !== undefined);
    assertEquals(explored(decision, { epsilon, seed, events: "{}" }).decision, taken);
  }));
});

Deno.test("explored() with ε = 0 explores nothing and gives the policy", () => {
  const decision = decisionOf([option("a", 0.9, 0.9), option("b", 0.5, undefined)]);
  const { decision: same, policy } = explored(decision, { epsilon: 0, seed: 1, events: "x" });
  assertEquals(same, decision);
  assertEquals(policy, {
    options: [
      { tool: "a", p: 0.9, habit: 0.9, binding: 0.9, arguments: { of: "a" } },
      { tool: "b", p: 0.5, habit: 0.5, binding: null },
    ],
    greedy: "a",
    epsilon: 0,
    propensity: 1,
  });
});

Deno.test("explored() draws as often as it says, over sessions", () => {
  const decision = decisionOf([
    option("a", 0.9, 0.9),
    option("b", 0.6, 0.2),
    option("c", 0.2, 0.2),
  ]);
  const n = 4000;
  const counts = new Map<string, number>();
  for (let i = 0; i < n; i++) {
    const { action } = explored(decision, { epsilon: 0.4, seed: 7, events: `${i}` }).decision;
    const tool = action.kind === "lookup" ? action.tool : "-";
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  for (const [tool, wanted] of [["a", 0.6], ["b", 0.3], ["c", 0.1]] as const) {
    assert(Math.abs((counts.get(tool) ?? 0) / n - wanted) < 0.03, `${tool} ${counts.get(tool)}`);
  }
});

Deno.test("explored() may look up where the rule hands back, and never the other way", () => {
  const low = decisionOf([option("a", 0.2, 0.5)]);
  const { decision, policy } = explored(low, { epsilon: 1, seed: 0, events: "" });
  assertEquals(decision.action, {
    kind: "lookup",
    tool: "a",
    arguments: { of: "a" },
    key: 'a {"of":"a"}',
  });
  assertEquals([policy.greedy, policy.propensity], [null, 1]);
  const high = decisionOf([option("a", 0.9, 0.9)]);
  assertEquals(explored(high, { epsilon: 1, seed: 0, events: "" }).decision, high);
});

Deno.test("sessionContent() holds what happened and no call's id", () => {
  const state = (id: string, answer: string) => {
    const session = new FlowState(
      { domain: "d", tools: { a: "read" } },
      resultReader(JSON.parse),
    );
    session.hear("hello");
    session.send(id, "a", { of: 1 });
    session.answer(id, false, answer);
    return sessionContent(session);
  };
  assertEquals(state("7", "{}"), state("hoist-1", "{}"));
  assert(state("7", "{}") !== state("7", "[]"));
});
