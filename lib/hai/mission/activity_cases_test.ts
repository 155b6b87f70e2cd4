/**
 * Cases HAI-071 to HAI-105: the drift check, parking, intake, distilling.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Answer, assertRefused, haiCase, type HaiHome } from "../../../tests/util/hai_home.ts";

const CRITERIA = [
  { id: "dc-1", description: "tests pass" },
  { id: "dc-2", description: "docs are there" },
];
const NON_GOALS = ["rewrite entire architecture", "deploy to production"];
const ALLOWED = ["src/", "tests/"];

/** Where the mission of a row lies. */
type Place = "path" | "project" | "nowhere";

interface Row {
  readonly id: string;
  readonly why: string;
  readonly place?: Place;
  readonly lease?: Record<string, unknown>;
  /** `{p}` stands for the project's folder, `{q}` for the other device's. */
  readonly given: Record<string, unknown>;
  readonly verdict: readonly [classification: string, action: string, clause?: string | null];
}

const STEP = "add lifecycle test cases";

const ROWS: readonly Row[] = [
  {
    id: "HAI-071",
    why: "an allowed absolute path",
    given: { activity_step: STEP, criterion_id: "dc-1", affected_paths: ["{p}/tests/x.py"] },
    verdict: ["in_scope", "continue", null],
  },
  {
    id: "HAI-072",
    why: "a relative path hangs off the lease's device",
    place: "project",
    given: { activity_step: STEP, criterion_id: "dc-1", affected_paths: ["src/x.py"] },
    verdict: ["in_scope", "continue", null],
  },
  {
    id: "HAI-073",
    why: "a path on the other device's mount",
    place: "project",
    given: { activity_step: STEP, criterion_id: "dc-1", affected_paths: ["{q}/src/x.py"] },
    verdict: ["drift", "stop", "constraints.allowed_paths"],
  },
  {
    id: "HAI-074",
    why: "a path in the project that is not allowed",
    given: {
      activity_step: STEP,
      criterion_id: "dc-1",
      affected_paths: ["{p}/outside/secret.txt"],
    },
    verdict: ["drift", "stop", "constraints.allowed_paths"],
  },
  {
    id: "HAI-075",
    why: "a blocker never hides drift",
    given: {
      activity_step: STEP,
      criterion_id: "dc-1",
      affected_paths: ["/etc/passwd"],
      declares_blocker: true,
    },
    verdict: ["drift", "stop", "constraints.allowed_paths"],
  },
  {
    id: "HAI-076",
    why: "without a root no path is allowed",
    place: "nowhere",
    given: { activity_step: STEP, criterion_id: "dc-1", affected_paths: ["/etc/passwd"] },
    verdict: ["drift", "stop", "constraints.allowed_paths"],
  },
  {
    id: "HAI-077",
    why: "NUL in a path",
    given: { activity_step: STEP, criterion_id: "dc-1", affected_paths: ["src/foo\0.py"] },
    verdict: ["drift", "stop", "constraints.allowed_paths"],
  },
  {
    id: "HAI-078",
    why: "a commit that was not granted",
    given: { activity_step: STEP, criterion_id: "dc-1", trace_events: [{ action: "commit" }] },
    verdict: ["drift", "stop", "constraints.capabilities"],
  },
  {
    id: "HAI-079",
    why: "secrets with an allowed path",
    given: {
      activity_step: STEP,
      criterion_id: "dc-1",
      affected_paths: ["src/x.py"],
      trace_events: [{ action: "secrets" }],
    },
    verdict: ["drift", "stop", "constraints.capabilities"],
  },
  {
    id: "HAI-080",
    why: "actions are compared trimmed and in lower case",
    given: { activity_step: STEP, criterion_id: "dc-1", trace_events: [{ action: "  PUSH " }] },
    verdict: ["drift", "stop", "constraints.capabilities"],
  },
  {
    id: "HAI-081",
    why: "an action that is not sensitive is ignored",
    lease: { capabilities: ["read"] },
    given: { activity_step: STEP, criterion_id: "dc-1", trace_events: [{ action: "write" }] },
    verdict: ["in_scope", "continue", null],
  },
  {
    id: "HAI-082",
    why: "a blank step",
    given: { activity_step: " ", criterion_id: "dc-1" },
    verdict: ["unclear", "pause", null],
  },
  {
    id: "HAI-083",
    why: "no criterion",
    given: { activity_step: STEP },
    verdict: ["unclear", "pause", "done_criteria.reference_required"],
  },
  {
    id: "HAI-084",
    why: "a criterion that is not in the contract",
    given: { activity_step: STEP, criterion_id: "dc-9" },
    verdict: ["drift", "stop", "done_criteria.scope"],
  },
  {
    id: "HAI-085",
    why: "a criterion that is not in the lease",
    given: { activity_step: STEP, criterion_id: "dc-2" },
    verdict: ["drift", "request_recontract", "session.criterion_ids"],
  },
  {
    id: "HAI-086",
    why: "a non-goal in the step",
    given: { activity_step: "Rewrite ENTIRE architecture for fun", criterion_id: "dc-1" },
    verdict: ["park_candidate", "park", "non_goals"],
  },
  {
    id: "HAI-087",
    why: "a non-goal comes before a blocker",
    given: {
      activity_step: "rewrite entire architecture for fun",
      criterion_id: "dc-1",
      declares_blocker: true,
    },
    verdict: ["park_candidate", "park", "non_goals"],
  },
  {
    id: "HAI-088",
    why: "a declared blocker",
    given: {
      activity_step: "missing dependency blocks tests",
      criterion_id: "dc-1",
      declares_blocker: true,
    },
    verdict: ["blocker", "pause", "done_criteria.blocked"],
  },
  {
    id: "HAI-089",
    why: "a blocker that is no literal true does not count, and the reply says so",
    given: {
      activity_step: "missing dependency blocks tests",
      criterion_id: "dc-1",
      declares_blocker: 1,
    },
    verdict: ["in_scope", "continue", null],
  },
  {
    id: "HAI-091",
    why: "paths come before actions",
    given: {
      activity_step: STEP,
      criterion_id: "dc-1",
      affected_paths: ["/etc/passwd"],
      trace_events: [{ action: "commit" }],
    },
    verdict: ["drift", "stop", "constraints.allowed_paths"],
  },
];

for (const row of ROWS) {
  haiCase(row.id, row.why, async (hai) => {
    const { session_id } = await working(hai, row.place ?? "path", row.lease);
    const paths = (row.given.affected_paths as string[] | undefined)
      ?.map((path) => path.replace("{p}", hai.project()).replace("{q}", hai.project("desk")));
    const args = { ...row.given, ...(paths === undefined ? {} : { affected_paths: paths }) };
    const verdict = await hai.call("hai_check_activity", { session_id, ...args });
    const [classification, action, clause] = row.verdict;
    assertEquals(verdict.ok, true);
    assertEquals([verdict.classification, verdict.required_action], [classification, action]);
    assertEquals(verdict.clause, clause ?? null);
    assert(verdict.reason.length > 10);
    if (row.id === "HAI-089") assertEquals(verdict.ignored[0].field, "declares_blocker");
  });
}

/** A mission as the table has it, with one session. */
async function working(
  hai: HaiHome,
  place: Place = "path",
  lease: Record<string, unknown> = {},
): Promise<Answer> {
  const constraints = {
    path: { project_path: hai.project(), allowed_paths: ALLOWED },
    project: {
      project_id: "eval",
      device_id: "laptop",
      project_path: hai.project(),
      allowed_paths: ALLOWED,
    },
    nowhere: { allowed_paths: ALLOWED },
  }[place];
  const opened = await hai.open({ done_criteria: CRITERIA, non_goals: NON_GOALS, constraints });
  if (place === "project") {
    await hai.call("hai_bind_project", {
      project_id: "eval",
      device_id: "desk",
      local_path: hai.project("desk"),
      owner_ack: true,
      reason: "r",
    });
  }
  const device = place === "project" ? { device_id: "laptop" } : {};
  const granted = await hai.authorize(opened.mission_id, { ...device, ...lease });
  assertEquals(granted.ok, true);
  return granted;
}

function check(
  hai: HaiHome,
  session_id: string,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  const args = { session_id, activity_step: STEP, criterion_id: "dc-1", ...more };
  return hai.call("hai_check_activity", args);
}

haiCase("HAI-090", "an expired lease is unclear", async (hai) => {
  const { session_id } = await working(hai);
  hai.pass(90 * 60 + 1);
  const refused = await check(hai, session_id);
  assertRefused(refused, "lease_expired");
  assertEquals([refused.classification, refused.required_action], ["unclear", "pause"]);
});

haiCase("HAI-092", "a check is audited with counts and without the step's text", async (hai) => {
  const { session_id } = await working(hai);
  await check(hai, session_id, {
    affected_paths: ["src/a", "src/b"],
    trace_events: [{ action: "Commit", secret: "s3cret" }],
    activity_kind: "planned",
    evidence: { note: "s3cret" },
  });
  const event = hai.events().at(-1);
  assertEquals(event.event_type, "activity_checked");
  assertEquals(
    [event.affected_path_count, event.trace_action_count, event.trace_actions],
    [2, 1, ["commit"]],
  );
  assertEquals([event.activity_step_present, event.activity_kind], [true, "planned"]);
  const text = JSON.stringify(event);
  for (const secret of [STEP, "s3cret", "src/a"]) assertEquals(text.includes(secret), false);
});

haiCase("HAI-093", "a check without a valid lease is unclear and not audited", async (hai) => {
  const { session_id } = await working(hai);
  await hai.call("hai_stop", { day: "d", loop_closed: false, clearer: "", agency_gained: "" });
  const before = hai.eventTypes();
  for (const id of [session_id, "S-20260101T000000-00000000", "nonsense"]) {
    const refused = await check(hai, id);
    assertEquals([refused.ok, refused.classification], [false, "unclear"]);
    assertEquals(refused.required_action, "pause");
  }
  assertEquals(hai.eventTypes(), before);
});

haiCase("HAI-094", "hai_drift_check is hai_check_activity", async (hai) => {
  const { session_id } = await working(hai);
  for (const affected_paths of [["src/x"], ["/etc/passwd"], null]) {
    const args = { session_id, activity_step: STEP, criterion_id: "dc-1", affected_paths };
    assertEquals(
      await hai.call("hai_drift_check", args),
      await hai.call("hai_check_activity", args),
    );
  }
});

haiCase("HAI-095", "a prefix is a folder, however it is spelled", async (hai) => {
  const opened = await hai.open({
    constraints: { project_path: hai.project(), allowed_paths: ["src", "./docs/"] },
  });
  const { session_id } = await hai.authorize(opened.mission_id);
  for (
    const [path, verdict] of [
      ["srcx/a", "drift"],
      ["src", "in_scope"],
      ["src/a", "in_scope"],
      ["src/../src/b", "in_scope"],
      ["src/../etc", "drift"],
      ["docs/a..b", "in_scope"],
      ["SRC/a", "drift"],
      [".", "drift"],
      ["", "in_scope"],
      ["~nosuchuser/x", "drift"],
    ] as const
  ) {
    const { classification } = await check(hai, session_id, { affected_paths: [path] });
    assertEquals(classification, verdict, path);
  }
});

haiCase("HAI-096", "a link inside that leads outside is drift", async (hai) => {
  const { session_id } = await working(hai);
  hai.write("elsewhere/file", "x");
  hai.project("project/src");
  Deno.symlinkSync(`${hai.root}/elsewhere`, `${hai.project()}/src/link`);
  Deno.symlinkSync(`${hai.project()}/src/loop`, `${hai.project()}/src/loop`);
  for (
    const path of [
      "src/link/file",
      "src/link/new",
      "src/link/../x",
      "src/loop/x",
      "src/new/../link/x",
    ]
  ) {
    const verdict = await check(hai, session_id, { affected_paths: [path] });
    assertEquals(verdict.classification, "drift", path);
  }
});

haiCase("HAI-097", "no prefixes, or the folder itself, allow the whole project", async (hai) => {
  for (const allowed_paths of [[], ["."], ["./"]]) {
    const opened = await hai.open({ constraints: { project_path: hai.project(), allowed_paths } });
    const { session_id } = await hai.authorize(opened.mission_id);
    const inside = await check(hai, session_id, { affected_paths: ["deep/er/x", "."] });
    assertEquals(inside.classification, "in_scope");
    const outside = await check(hai, session_id, { affected_paths: ["../x"] });
    assertEquals(outside.classification, "drift");
    hai.write("project/log", "x");
    await hai.call("hai_proof", {
      mission_id: opened.mission_id,
      contract_version: 1,
      outcome_summary: "s",
      evidence: { "dc-1": { path: "log" } },
    });
  }
});

haiCase("HAI-098", "a granted sensitive action is no drift", async (hai) => {
  const opened = await hai.open({
    constraints: { project_path: hai.project(), capabilities: ["write", "commit"] },
  });
  const { session_id } = await hai.authorize(opened.mission_id);
  const verdict = await check(hai, session_id, { trace_events: [{ action: "commit" }] });
  assertEquals(verdict.classification, "in_scope");
});

haiCase("HAI-099", "an idea is parked and the contract stays", async (hai) => {
  const { session_id, session_lease } = await working(hai);
  const parked = await hai.call("hai_park_item", {
    idea: " cache fixtures ",
    origin_session_id: session_id,
    trigger_event: "park_candidate",
    mission_id: session_lease.mission_id,
    rationale: "not needed for dc-1",
  });
  assertEquals([parked.status, parked.record.actionable], ["parked", false]);
  assertEquals(hai.json(`home/parking/${parked.parking_id}.json`), parked.record);
  const { contract_hash } = await hai.call("hai_get_contract", { session_id });
  assertEquals(contract_hash, session_lease.contract_hash);
});

haiCase("HAI-100", "a blank trigger and a foreign session are named", async (hai) => {
  const { session_id, session_lease } = await working(hai);
  const park = (more: Record<string, unknown>) =>
    hai.call("hai_park_item", {
      idea: "i",
      origin_session_id: session_id,
      trigger_event: "t",
      mission_id: session_lease.mission_id,
      rationale: "r",
      ...more,
    });
  assertRefused(await park({ trigger_event: " " }), "invalid_args", "trigger_event");
  const foreign = "S-20260101T000000-00000000";
  assertRefused(await park({ origin_session_id: foreign }), "invalid_args", "origin_session_id");
  assertRefused(
    await park({ mission_id: foreign.replace("S", "M") }),
    "invalid_args",
    "mission_id",
  );
  assertEquals(hai.names("home/parking"), []);
});

haiCase("HAI-101", "an intake is kept as it came", async (hai) => {
  const raw = "  maybe rebuild everything,\n also move hosts — ü ";
  const taken = await hai.call("hai_intake", { raw });
  assert(taken.intake_id.startsWith("I-"));
  assertEquals(taken.actionable, false);
  assertEquals(hai.json(`home/intake/${taken.intake_id}.json`).raw, raw);
  assertStringIncludes(hai.read(`home/intake/${taken.intake_id}.json`), "ü");
  assertRefused(await hai.call("hai_intake", { raw: " \n " }), "invalid_args");
});

haiCase("HAI-102", "a store that leads out takes nothing in", async (hai) => {
  const { intake_id } = await hai.call("hai_intake", { raw: "x" });
  const { session_id } = await working(hai);
  hai.write("outside/sentinel", "s");
  for (const store of ["intake", "distillations", "stops"]) {
    const path = `${hai.home}/${store}`;
    if (store === "intake") Deno.renameSync(path, `${hai.home}/intake-kept`);
    Deno.symlinkSync(`${hai.root}/outside`, path);
  }
  assertRefused(await hai.call("hai_intake", { raw: "y" }), "path_outside_root");
  Deno.removeSync(`${hai.home}/intake`);
  Deno.renameSync(`${hai.home}/intake-kept`, `${hai.home}/intake`);
  const distill = { intake_id, decision: "d", next_step: "n", parklist: ["p"] };
  assertRefused(await hai.call("hai_distill", distill), "path_outside_root");
  assertEquals(hai.names("home/inbox"), [], "a failed distill parks nothing");
  const stop = { day: "d", loop_closed: true, clearer: "", agency_gained: "" };
  assertRefused(await hai.call("hai_stop", stop), "path_outside_root");
  assertEquals((await check(hai, session_id)).ok, true, "a failed stop revokes nothing");
  assertEquals(hai.names("outside"), ["sentinel"]);
});

haiCase("HAI-103", "distilling parks the rest", async (hai) => {
  const { intake_id } = await hai.call("hai_intake", { raw: "x" });
  const distilled = await hai.call("hai_distill", {
    intake_id,
    decision: "Harden the core",
    next_step: "Write the traversal test",
    parklist: ["move hosts", " ", "a", "b"],
  });
  assertEquals(distilled.parked_count, 3);
  const names = hai.names("home/inbox");
  assertEquals(names.length, 3);
  assertStringIncludes(hai.read(`home/inbox/${names[0]}`), `- tags: distilled, ${intake_id}\n`);
  assertEquals(hai.json(`home/distillations/${distilled.distill_id}.json`), {
    distill_id: distilled.distill_id,
    intake_id,
    decision: "Harden the core",
    next_step: "Write the traversal test",
    parked_count: 3,
    distilled_at: "2026-09-01T08:00:00Z",
  });
});

haiCase("HAI-104", "one decision and one step, a line each", async (hai) => {
  const { intake_id } = await hai.call("hai_intake", { raw: "x" });
  for (const bad of [" ", "a\nb", "a\rb"]) {
    const decision = await hai.call("hai_distill", { intake_id, decision: bad, next_step: "n" });
    assertRefused(decision, "invalid_args", "decision");
    const step = await hai.call("hai_distill", { intake_id, decision: "d", next_step: bad });
    assertRefused(step, "invalid_args", "next_step");
  }
});

haiCase("HAI-105", "an unknown or malformed intake", async (hai) => {
  for (const intake_id of ["I-20260101T000000-00000000", "../x", "A-20260101T000000-00000000"]) {
    const refused = await hai.call("hai_distill", { intake_id, decision: "d", next_step: "n" });
    assertRefused(refused, "invalid_args", "intake_id");
  }
});
