import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { changePoints } from "../evaluate/change_point.ts";
import { readLabelled } from "../evaluate/labelled_line.ts";
import { evaluateRule } from "../evaluate/off_policy.ts";
import { seeded } from "./summary.ts";
import { wilsonLower } from "../evaluate/wilson.ts";

Deno.test("wilsonLower() gives the worked bounds", () => {
  assertEquals(
    [[3, 3], [4, 4], [7, 8], [5, 7], [0, 0]].map(([a = 0, b = 0]) => wilsonLower(a, b).toFixed(4)),
    [
      "0.5258",
      "0.5965",
      "0.5888",
      "0.4087",
      "0.0000",
    ],
  );
});

/** Scores of 30 quiet sessions, then of 8 that are so much higher. */
function sessions(step: number): number[][] {
  const draw = seeded(3);
  return Array.from({ length: 38 }, (_, i) => {
    const noise = () => (draw() + draw() + draw() - 1.5) * 0.2;
    return [0.6 + noise() + (i >= 30 ? step : 0), 0.3 + noise(), 0];
  });
}

Deno.test("changePoints() sounds after a step of one nat, and not in noise", () => {
  const options = { hazard: 0.01, window: 10 };
  const after = changePoints(sessions(1), options).at(-1);
  assert((after?.alarm ?? 0) > 0.5, String(after?.alarm));
  assertEquals(after?.likeliest, 8);
  for (const { alarm } of changePoints(sessions(0), options)) assert(alarm < 0.5);
});

const decision = fc.record({
  p: fc.double({ min: 0.01, max: 1, noNaN: true }),
  binding: fc.double({ min: 0.01, max: 1, noNaN: true }),
  used: fc.integer({ min: 0, max: 1 }),
}).map(({ p, binding, used }) => {
  const isLookup = p * binding >= 0.3;
  return {
    site: "s",
    action: isLookup ? "lookup" : "hand_back",
    ...(isLookup ? { tool: "t" } : {}),
    policy: {
      options: [{ tool: "t", p, habit: p, binding }],
      greedy: isLookup ? "t" : null,
      propensity: 1,
    },
    labels: [{ used, detour: 1 - used, turn: used }],
  };
});

Deno.test("evaluateRule() gives the logged value when the target is the logging policy", () => {
  fc.assert(fc.property(fc.array(decision, { minLength: 1 }), (list) => {
    const decisions = readLabelled(list.map((d) => JSON.stringify(d)).join("\n"), "f");
    const { metrics, unsupported } = evaluateRule(decisions, {
      name: "same",
      decider: "logged",
      threshold: 0.3,
    });
    const made = decisions.filter((d) => d.action === "lookup");
    const used = made.reduce((n, d) => n + (d.labels[0]?.used ?? 0), 0);
    for (
      const value of [
        metrics.used.direct,
        metrics.used.ips.value,
        metrics.used.snips,
        metrics.used.dr.value,
      ]
    ) {
      assert(Math.abs(value - used) < 1e-9);
    }
    assertEquals([metrics.lookups.direct, unsupported], [made.length, 0]);
  }));
});

Deno.test("evaluateRule() finds the truth of another rule from explored decisions", () => {
  const draw = seeded(11);
  const lines = Array.from({ length: 4000 }, () => {
    const used = draw() < 0.6 ? 1 : 0;
    const explores = draw() < 0.5;
    return JSON.stringify({
      site: "s",
      action: explores ? "lookup" : "hand_back",
      ...(explores ? { tool: "t" } : {}),
      policy: {
        options: [{ tool: "t", p: 0.5, habit: 0.5, binding: 1 }],
        greedy: null,
        propensity: 0.5,
      },
      labels: [{ used, detour: 1 - used, turn: 0 }],
    });
  });
  const { metrics, ess } = evaluateRule(readLabelled(lines.join("\n"), "f"), {
    name: "t",
    decider: "logged",
    threshold: 0.4,
  });
  const truth = metrics.used.direct;
  for (const { value, error } of [metrics.used.ips, metrics.used.dr]) {
    assert(Math.abs(value - truth) < 4 * error);
  }
  assert(Math.abs(metrics.used.snips - truth) < 150);
  assert(ess > 1800 && ess < 2200);
});
