import { assertEquals } from "@std/assert";
import { asPrinted, learned, read } from "../../../tests/util/parcels.ts";
import { FlowDecider } from "../deciding/decider.ts";
import { diffFlows } from "../report/diff_flows.ts";
import type { Flow } from "../flow.ts";
import { printFlow } from "../file/print_flow.ts";
import { readFlow } from "../file/read_flow.ts";
import { RunChances } from "../deciding/run_chances.ts";
import { FlowState } from "../state/flow_state.ts";
import { flowMarkdown } from "../report/show_flow.ts";
import { Vocabulary } from "../symbols.ts";

const plain = asPrinted(await learned());
const tools = { ...plain.manifest.tools, get_claim: "read", list_depots: "read" } as const;

/** The flow with two lookups that no session made. */
const flow: Flow = {
  ...plain,
  everyRead: true,
  vocab: new Vocabulary(Object.keys(tools).sort()),
  manifest: { ...plain.manifest, tools },
  reads: Object.keys(tools).filter((t) => t !== "hold_parcel").sort(),
  contracts: { get_claim: "full:boolean, number:string!, parcel_id:string!", list_depots: "" },
};

function session(answer: string): FlowState {
  const state = new FlowState(flow.manifest, read);
  state.send("1", "hold_parcel", { parcel_id: "P-1" });
  state.answer("1", false, answer);
  return state;
}

function options(answer: string, by: Flow = flow) {
  const state = session(answer);
  const site = { tool: "hold_parcel", failed: false, steps: state.stepsTo("1") };
  return new FlowDecider(by, "reach").options(site, state)
    .map(({ tool, best }) => [tool, best?.candidate.arguments, best?.chance]);
}

Deno.test("a flow with every read offers what never followed, bound by name where it was never made", () => {
  const claims = '{"claims":[{"parcel_id":"P-1","number":7},{"parcel_id":"P-2"}]}';
  assertEquals(options(claims), [
    ["find_sender", undefined, undefined],
    ["get_claim", { number: "7", parcel_id: "P-1" }, 0.5],
    ["get_parcel", undefined, undefined],
    ["get_sender", undefined, undefined],
    ["list_depots", {}, 1],
  ]);
  assertEquals(options("{}").map(([tool, args]) => [tool, args])[1], ["get_claim", undefined]);
  assertEquals(options(claims, { ...flow, everyRead: false }), []);
});

Deno.test("Decide knows every read of such a flow", () => {
  const chances = new RunChances(flow);
  const prev = chances.numbers.numberOf("get_parcel");
  const table = chances.table({ name: "Decide", prev, failed: false });
  assertEquals(table.size, 1 + flow.reads.length);
  const sum = [...table.values()].reduce((a, b) => a + b, 0);
  assertEquals(sum.toFixed(9), "1.000000000");
});

Deno.test("a flow file keeps options, hints, gate and constants", () => {
  const whole: Flow = {
    ...flow,
    feeds: new Map([["get_parcel", [{ write: "hold_parcel", arg: "parcel_id", count: 4 }]]]),
    surprise: { window: 5, threshold: 2.31, quantile: 0.95 },
    bindings: { ...flow.bindings, constants: new Map([['["list_depots","limit"]', 20]]) },
  };
  const text = printFlow(whole);
  const again = readFlow(text, "x");
  assertEquals(printFlow(again), text);
  assertEquals([again.everyRead, again.feeds, again.surprise, again.bindings.constants], [
    true,
    whole.feeds,
    whole.surprise,
    whole.bindings.constants,
  ]);
  const shown = flowMarkdown(whole);
  for (
    const part of [
      '## Constants\n\n- ["list_depots","limit"]: 20',
      "Every other read is offered at every site as well.",
      "## Hints\n\n- get_parcel: parcel_id of hold_parcel (4)",
      "## Surprise\n\nIt acts no more in a session once 5 steps of the agent's in a row surprise it by " +
      "more than 2.310 nats each: what 0.95 of the training sessions stayed within.",
    ]
  ) assertEquals(shown.includes(part), true, part);
  const { review, listed } = diffFlows({ ...flow, everyRead: false }, whole);
  assertEquals(review, [
    '["list_depots","limit"]: passes the constant 20',
    "every read is now offered at every site",
  ]);
  assertEquals(listed, [
    "other hints of what results are used for",
    "surprise gate: none becomes 2.310 nats over 5 steps",
  ]);
  assertEquals(diffFlows(whole, { ...flow, everyRead: false }).review, []);
});
