import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { learned } from "../../tests/util/parcels.ts";
import { diffFlows } from "./diff_flows.ts";
import { flowMarkdown } from "./show_flow.ts";

/** A program that looks nothing up. */
const IDLE = { hoist_program: 1, body: [], ret: { op: "var", name: "call" } } as const;

Deno.test("flowMarkdown() shows a program that is not the standard one", async () => {
  const flow = await learned();
  assert(!flowMarkdown(flow).includes("## Run"));
  assertStringIncludes(
    flowMarkdown({ ...flow, program: IDLE }),
    "\n## Run\n\n```\nreturn call\n```\n",
  );
});

Deno.test("diffFlows() wants another program reviewed", async () => {
  const flow = await learned();
  assertEquals(diffFlows(flow, { ...flow, program: IDLE }).review, ["another program"]);
  assertEquals(diffFlows(flow, flow).review, []);
});
