import { assert, assertEquals, assertThrows } from "@std/assert";
import { asPrinted, learned, read } from "../../../tests/util/parcels.ts";
import { FlowDecider, habitAfter } from "../deciding/decider.ts";
import { chanceAfter } from "../backoff.ts";
import type { Flow } from "../flow.ts";
import { FlowSyntaxError } from "../file/flow_syntax_error.ts";
import { printFlow } from "../file/print_flow.ts";
import { readFlow } from "../file/read_flow.ts";
import { runFlow } from "./run_flow.ts";
import { FlowState } from "../state/flow_state.ts";
import { SESSION_START, symbolOf } from "../symbols.ts";

const FIND = symbolOf(1, "ok", 0);
const PARCEL = symbolOf(2, "ok", 0);
const SENDER = symbolOf(3, "ok", 0);

Deno.test("learnFlow() reproduces the numbers of the formats' worked example", async () => {
  const flow = await learned();
  const near = (actual: number | undefined, expected: number) => {
    assert(
      actual !== undefined && Math.abs(actual - expected) < 5e-6,
      `${actual} is not ${expected}`,
    );
  };
  assertEquals([FIND, PARCEL, SENDER], [16384, 32768, 49152]);
  near(chanceAfter({ ...flow.habit.base, order: 0 }, [], 3), 0.14360);
  near(chanceAfter({ ...flow.habit.base, order: 1 }, [FIND], 3), 0.84270);
  near(chanceAfter(flow.habit.base, [SESSION_START, FIND], 3), 0.97111);
  near(habitAfter(flow, [SESSION_START, FIND], "get_sender"), 0.99469);
  assert(flow.reach !== undefined);
  near(chanceAfter(flow.reach, [SESSION_START, FIND], 2), 0.98512);
  near(chanceAfter(flow.reach, [SENDER, PARCEL], 2), 0.90926);
  near(chanceAfter(flow.reach, [PARCEL, PARCEL], 2), 0.09293);
  assertEquals(
    [...flow.reach.levels[0]?.values() ?? []].map((c) => [c.total, [...c.by_action].sort()]),
    [
      [28, [[0, 24], [1, 4], [2, 16], [3, 8]]],
    ],
  );
});

function run(flow: Flow, heard: string) {
  const state = new FlowState(flow.manifest, read);
  state.hear(heard);
  state.send("7", "find_sender", { email: "lea@post.example" });
  state.answer("7", false, "S-20");
  const site = { tool: "find_sender", failed: false, steps: state.stepsTo("7") };
  const answers: Record<string, string> = {
    get_sender: '{"sender_id":"S-20","parcels":["P-7","P-8"]}',
  };
  const lines: string[] = [];
  const decisions = runFlow(new FlowDecider(flow), state, site, { threshold: 0.3 }, { lookups: 0 });
  for (let next = decisions.next(); !next.done;) {
    const { action, best, address } = next.value;
    const q = best?.best === undefined
      ? ""
      : ` ${best.p.toFixed(4)} × ${best.best.chance.toFixed(4)}`;
    lines.push(
      `${address} ${
        action.kind === "lookup" ? JSON.stringify(action.arguments) : action.reason
      }${q}`,
    );
    if (action.kind === "hand_back") break;
    next = decisions.next({ error: false, content: answers[action.tool] ?? "{}" });
  }
  return lines;
}

Deno.test("runFlow() reproduces the worked run", async () => {
  assertEquals(run(asPrinted(await learned()), "Where is my parcel?"), [
    'decide#0 {"sender_id":"S-20"} 0.9758 × 0.8333',
    'decide#1 {"parcel_id":"P-7"} 0.9851 × 0.8000',
    'decide#2 {"parcel_id":"P-8"} 0.9093 × 0.8000',
    "decide#3 get_parcel at 0.09, below 0.3",
  ]);
});

Deno.test("runFlow() takes what the customer named, and stops at what they did not", async () => {
  const flow = asPrinted(await learned(), new Map([["get_parcel", [2, 17]]]));
  assertEquals(run(flow, "Where is P-8?"), [
    'decide#0 {"sender_id":"S-20"} 0.9758 × 0.8333',
    'decide#1 {"parcel_id":"P-8"} 0.9851 × 0.5000',
    "decide#2 get_parcel at 0.17, below 0.3 0.9093 × 0.1895",
  ]);
});

Deno.test("printFlow() and readFlow() are each other's inverse", async () => {
  const text = printFlow(await learned());
  assertEquals(printFlow(readFlow(text, "f")), text);
  assertEquals(text, printFlow(await learned()));
});

Deno.test("printFlow() writes no value of a customer", async () => {
  const text = printFlow(await learned());
  assertEquals(/lea\d|S-\d|P-\d/.test(text), false);
});

for (
  const [why, change, wanted] of [
    [
      "another version",
      { hoist_flow: 2 },
      'Cannot read "f": it is of version 2, this program reads version 3; relearn it from its sessions',
    ],
    ["no version", { hoist_flow: undefined }, 'Cannot read "f": it is no flow'],
    [
      "a wrong type",
      { threshold: "high" },
      'Cannot read "f": $.threshold: Invalid input: expected number, received string',
    ],
    [
      "a wrong kind",
      { manifest: { domain: "", tools: { t: "reads" } } },
      'Cannot read "f": $.manifest.tools.t: Invalid option: expected one of "read"|"write"|"generic"',
    ],
  ] as const
) {
  Deno.test(`readFlow() refuses ${why}`, async () => {
    const json = { ...JSON.parse(printFlow(await learned())), ...change };
    assertThrows(() => readFlow(JSON.stringify(json), "f"), FlowSyntaxError, wanted);
  });
}
