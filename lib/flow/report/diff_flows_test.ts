import { assertEquals, assertStringIncludes } from "@std/assert";
import { asPrinted, learned } from "../../../tests/util/parcels.ts";
import { diffFlows } from "./diff_flows.ts";
import type { Flow } from "../flow.ts";
import { flowMarkdown } from "./show_flow.ts";

const flow = asPrinted(await learned());
const bar = { threshold: 0.3, min_used: 0.7, min_lower: 0.5, min_tasks: 3 };

/** The flow with these unmentioned picks of get_parcel. */
function picked(right: number, tried: number): Flow {
  const agreed = new Map(flow.bindings.agreed);
  agreed.set("get_parcel", [[right, tried], [0, 0]]);
  return { ...flow, bindings: { ...flow.bindings, agreed } };
}

Deno.test("diffFlows() says what each does at its threshold, or at one for both", () => {
  const next = { ...flow, threshold: 0.5 };
  const said = "after get_parcel: get_parcel at 0.40, was 0.40: hands back now";
  assertEquals(diffFlows(flow, next).listed, [said, "threshold 0.3 becomes 0.5"]);
  assertEquals(diffFlows(flow, next, { threshold: 0.2 }).listed, ["threshold 0.3 becomes 0.5"]);
  assertEquals(diffFlows(next, flow).listed[0], said.replace("hands back", "looks up"));
  assertEquals(diffFlows(next, flow).review, []);
});

Deno.test("diffFlows() lists chances that moved by the tolerance", () => {
  assertEquals(diffFlows(flow, picked(6, 8)).listed, [
    "after get_parcel: get_parcel at 0.35, was 0.40",
    "after get_sender: get_parcel at 0.64, was 0.74",
    "get_parcel: an unmentioned pick is right with 0.70, was 0.80",
  ]);
  assertEquals(diffFlows(flow, picked(6, 8), { tolerance: 0.2 }).listed, []);
});

Deno.test("diffFlows() lists where the counts come from, and the bar of promotion", () => {
  const next: Flow = {
    ...flow,
    provenance: { ...flow.provenance, habit_episodes: 9, sources: ["a", "b"] },
    map: { fields: { get_parcel: [{ Scalar: "status" }] }, ids: new Map() },
    promoted: { bar: { ...bar, min_tasks: 4 }, sites: {} },
  };
  assertEquals(diffFlows({ ...flow, promoted: { bar, sites: {} } }, next).listed, [
    "learned from 9 sessions, was 4",
    "learned from a, b, was glm-5.3",
    "other code features",
    "promotion has another bar",
  ]);
});

Deno.test("flowMarkdown() has what was counted of other picks, code features and questions", () => {
  const shown = flowMarkdown({
    ...asPrinted(flow, new Map([["get_parcel", [2, 17]]])),
    map: { fields: { get_parcel: [{ Scalar: "status" }] }, ids: new Map([["x", 1]]) },
    arbiter: {
      predicates: [{ id: "q", favors: "any_lookup", question: "Q?", yes: "So.", no: "Not." }],
      weighed: [],
      folds: [],
      model: "m",
    },
  });
  for (
    const part of [
      "| unmentioned right | mentioned right | another named |\n|---|---|---|---|---|---|\n",
      "(8 of 8) | 7/8 | - | 2/17 |",
      "## Code features\n\n1 fields of results, 1 combinations.",
      "- q (favours any_lookup; not weighed): Q? Yes: So. No: Not.",
    ]
  ) assertStringIncludes(shown, part);
});

Deno.test("diffFlows() lists a promotion, and where the flow acts no more", () => {
  const site = { decisions: 4, lookups: 4, used: 4, served: 0, tasks: 4, lower: 0.6 };
  const promoted = {
    bar: { threshold: 0.3, min_used: 0.7, min_lower: 0.5, min_tasks: 3 },
    sites: { a: { ...site, promoted: true }, b: { ...site, used: 0, promoted: false } },
  };
  assertEquals(diffFlows({ ...flow, promoted: undefined }, { ...flow, promoted }).listed, [
    "after b: no longer acts",
    "promoted: lookups are made only after a",
  ]);
});
