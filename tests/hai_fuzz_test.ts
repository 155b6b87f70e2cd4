/**
 * Random calls of every tool: never a fault, never a write outside the roots,
 * every refusal structured. Half of the payloads are valid ones with one member
 * changed, so that they get past the boundary.
 *
 * `HAI_FUZZ_RUNS` sets how many payloads a tool gets; 2000 take about a minute.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { TOOLS } from "../lib/hai/tools/tools.ts";
import { type Answer, HaiHome } from "./util/hai_home.ts";

const RUNS = Number(Deno.env.get("HAI_FUZZ_RUNS") ?? "100");

const NASTY = fc.constantFrom<unknown>(
  "",
  " ",
  "2",
  "true",
  "null",
  "../../etc/passwd",
  "/etc/passwd",
  "~root/x",
  "a\0b",
  "__proto__",
  "constructor",
  "\ud800",
  "x".repeat(5000),
  "C-20260901T080000-0a1b2c3d",
  "AAAA-AAAA",
  -1,
  0,
  1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  true,
  false,
  null,
  [],
  {},
  ["src/"],
  [null],
  { constraints: null },
  { path: "log" },
);

const VALUE = fc.oneof(NASTY, fc.jsonValue({ maxDepth: 3 }));

/** Arguments that work, in the state the test sets up. */
function valid(hai: HaiHome, ids: Record<string, string>): Record<string, Answer> {
  const text = "x";
  return {
    ...hai.terms(),
    ...ids,
    constraints: { project_path: hai.project() },
    project_path: hai.project(),
    local_path: hai.project(),
    intended_output_path: "a.md",
    evidence_paths: ["a.md"],
    evidence: { "dc-1": { path: "log" } },
    criterion_ids: ["dc-1"],
    criterion_id: "dc-1",
    contract_version: 1,
    duration_minutes: 5,
    max_chars: 500,
    loop_closed: true,
    owner_ack: true,
    closure: "abandoned",
    kind: "inbox",
    changes: { objective: "y" },
    project_id: "eval",
    device_id: "desk",
    affected_paths: ["src/a"],
    ...Object.fromEntries(
      [
        "text content focus_id agent_identity role contribution expected_result activity_step idea",
        "trigger_event rationale reason outcome_summary raw decision next_step problem day clearer",
        "agency_gained topic own_activity learned open_question",
      ].join(" ").split(" ").map((name) => [name, text]),
    ),
  };
}

Deno.test(`every tool survives ${RUNS} random payloads`, async () => {
  const hai = new HaiHome({ env: { HAI_LEARNING_EVIDENCE_ROOT: "/nowhere" } });
  try {
    hai.restart({ HAI_LEARNING_EVIDENCE_ROOT: hai.project("study") });
    hai.write("study/a.md", "x");
    hai.write("project/log", "x");
    hai.write("outside/sentinel", "x");
    const opened = await hai.open();
    const granted = await hai.authorize(opened.mission_id, { duration_minutes: 1440 });
    const { intake_id } = await hai.call("hai_intake", { raw: "x" });
    const good = valid(hai, {
      mission_id: opened.mission_id,
      session_id: granted.session_id,
      origin_session_id: granted.session_id,
      intake_id,
    });
    for (const tool of TOOLS.values()) {
      const names = Object.keys(tool.input.shape);
      const known = Object.fromEntries(
        names.filter((name) => Object.hasOwn(good, name)).map((name) => [name, good[name]]),
      );
      const member = names.length === 0 ? fc.string() : fc.constantFrom(...names);
      const changed = fc.tuple(member, VALUE).map(([name, value]) => ({ ...known, [name]: value }));
      const wild = fc.dictionary(fc.oneof(member, fc.string()), VALUE, { maxKeys: 6 });
      const payload = fc.oneof(changed, wild);
      await fc.assert(
        fc.asyncProperty(payload, async (args) => {
          // As it comes off the wire.
          const reply = await hai.call(tool.name, JSON.parse(JSON.stringify(args)));
          assert(
            reply.error !== "internal_error" && reply.error !== "state_corrupt",
            reply.message,
          );
        }),
        { numRuns: RUNS },
      );
    }
    assertEquals(hai.names(""), ["home", "outside", "owner", "project", "study"]);
    assertEquals([...hai.files("outside")], [["outside/sentinel", "x"]]);
    assertEquals(hai.names("study"), ["a.md"]);
    assertEquals(
      hai.names("project").filter((name) => name !== "Projek-Managment"),
      ["log"],
    );
    assertEquals((await hai.call("hai_health")).audit.ok, true);
  } finally {
    hai.remove();
  }
});
