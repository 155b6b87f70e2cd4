import { assertEquals, assertStringIncludes } from "@std/assert";
import { learned } from "../../../tests/util/parcels.ts";
import { diffFlows } from "../report/diff_flows.ts";
import { flowMarkdown } from "../report/show_flow.ts";

/** A program that looks nothing up. */
const IDLE = { hoist_program: 1, body: [], ret: { op: "var", name: "call" } } as const;

Deno.test("flowMarkdown() shows the program, and says when it is not the standard one", async () => {
  const flow = await learned();
  assertStringIncludes(
    flowMarkdown(flow),
    "`call`, the standard program:\n\n```\nlet prev = call\n",
  );
  assertStringIncludes(
    flowMarkdown({ ...flow, program: IDLE }),
    "`call`, a program of its own:\n\n```\nreturn call\n```\n",
  );
});

Deno.test("diffFlows() wants another program reviewed", async () => {
  const flow = await learned();
  assertEquals(diffFlows(flow, { ...flow, program: IDLE }).review, ["another program"]);
  assertEquals(diffFlows(flow, flow).review, []);
});
