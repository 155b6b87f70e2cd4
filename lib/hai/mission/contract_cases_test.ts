/**
 * Cases HAI-106 to HAI-126: recontracting, closing, proof, stopping.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  type Answer,
  assertRefused,
  haiCase,
  type HaiHome,
  LEGACY,
} from "../../../tests/util/hai_home.ts";
import { sha256 } from "../state/hashes.ts";

function recontract(
  hai: HaiHome,
  mission_id: string,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  return hai.call("hai_recontract", {
    mission_id,
    contract_version: 1,
    reason: "narrow",
    changes: { objective: "Only the classifier tests" },
    ...more,
  });
}

function close(
  hai: HaiHome,
  mission_id: string,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  return hai.call("hai_close_mission", {
    mission_id,
    contract_version: 1,
    closure: "completed",
    outcome_summary: "stable",
    ...more,
  });
}

/** A mission with two criteria, and a good piece of evidence. */
async function openTwo(hai: HaiHome): Promise<string> {
  const { mission_id } = await hai.open({
    done_criteria: [{ id: "dc-1", description: "x" }, { id: "dc-2", description: "y" }],
  });
  hai.write("project/tests/run.log", "3 of 3 agree\n");
  return mission_id;
}

const GOOD = { path: "tests/run.log" };

haiCase("HAI-106", "legacy: without ack the diff is shown and nothing changes", async (hai) => {
  const { mission_id } = await hai.open();
  const refused = await recontract(hai, mission_id, { owner_ack: false });
  assertRefused(refused, "owner_gate_required");
  assertEquals(
    [refused.gate, refused.status, refused.owner_ack_required, refused.mode],
    ["ack_legacy", "pending_owner_confirmation", true, "normal"],
  );
  assertEquals(refused.diff, [{
    field: "objective",
    old: "Make the evaluator deterministic",
    new: "Only the classifier tests",
  }]);
  assertEquals(hai.names(`home/missions/${mission_id}/contracts`), ["v1.json"]);
}, LEGACY);

haiCase("HAI-107", "legacy: approved, version 2, leases revoked, version 1 kept", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  const first = hai.read(`home/missions/${mission_id}/contracts/v1.json`);
  hai.pass(60);
  const done = await recontract(hai, mission_id, { owner_ack: true });
  assertEquals([done.status, done.contract_version], ["approved", 2]);
  assertEquals(done.revoked_sessions, [session_id]);
  assertEquals(hai.read(`home/missions/${mission_id}/contracts/v1.json`), first);
  const second = hai.json(`home/missions/${mission_id}/contracts/v2.json`);
  assertEquals(
    [second.created_at, second.recontracted_at, second.recontract_reason, second.recontract_mode],
    ["2026-09-01T08:00:00Z", "2026-09-01T08:01:00Z", "narrow", "normal"],
  );
}, LEGACY);

haiCase("HAI-108", "system fields cannot be changed", async (hai) => {
  const { mission_id } = await hai.open();
  const changes = { mission_id: "M-20260101T000000-00000000", objective: "x" };
  const refused = await recontract(hai, mission_id, { changes, owner_ack: true });
  assertRefused(refused, "invalid_args", "system-managed");
  assertEquals(hai.names(`home/missions/${mission_id}/contracts`), ["v1.json"]);
}, LEGACY);

haiCase("HAI-109", "unknown fields, empty diffs and unknown modes", async (hai) => {
  const { mission_id } = await hai.open();
  const unknown = await recontract(hai, mission_id, { changes: { scope: "x" } });
  assertRefused(unknown, "invalid_args", "scope");
  assertEquals(unknown.field, "changes.scope");
  const nested = { constraints: { allowed_path: ["src"] } };
  const misspelt = await recontract(hai, mission_id, { changes: nested });
  assertRefused(misspelt, "invalid_args", "constraints.allowed_path");
  assertRefused(await recontract(hai, mission_id, { changes: {} }), "invalid_args", "empty diff");
  assertRefused(await recontract(hai, mission_id, { mode: "turbo" }), "invalid_args", "mode");
  for (const changes of [{ objective: {} }, { non_goals: "x" }, { constraints: null }]) {
    assertRefused(await recontract(hai, mission_id, { changes }), "invalid_args", "changes.");
  }
});

haiCase("HAI-110", "the owner cannot be swapped; other changes apply", async (hai) => {
  const { mission_id } = await hai.open();
  const changes = { constraints: { owner: "eve", allowed_paths: ["src"] } };
  const done = await recontract(hai, mission_id, { changes, owner_ack: true });
  assertEquals(done.contract.constraints.owner, "ana");
  assertEquals(done.contract.constraints.allowed_paths, ["src"]);
  assertEquals(done.ignored[0].field, "changes.constraints.owner");
  const device = { constraints: { device_id: "x", allowed_paths: ["tests"] } };
  const refused = await recontract(hai, mission_id, { changes: device, contract_version: 2 });
  assertRefused(refused, "invalid_args", "constraints.device_id");
}, LEGACY);

haiCase("HAI-111", "a number as text is refused", async (hai) => {
  const { mission_id } = await hai.open();
  const changes = { constraints: { max_parallel_sessions: "999" } };
  const refused = await recontract(hai, mission_id, { changes, owner_ack: true });
  assertRefused(refused, "invalid_args", "max_parallel_sessions");
  assertEquals([refused.expected, refused.got], ["integer", 'string "999"']);
}, LEGACY);

haiCase("HAI-112", "breaking the glass needs its marker, before the gate", async (hai) => {
  const { mission_id } = await hai.open();
  const glass = { mode: " Break_Glass ", owner_ack: true };
  for (const break_glass_marker of [undefined, 1, "true", false]) {
    const refused = await recontract(hai, mission_id, { ...glass, break_glass_marker });
    assertRefused(refused, "owner_gate_required");
    assertEquals(refused.audit_classification, "break_glass_denied");
  }
  assertEquals(hai.json(`home/missions/${mission_id}/mission.json`).current_version, 1);
  const done = await recontract(hai, mission_id, { ...glass, break_glass_marker: true });
  assertEquals(done.audit_classification, "break_glass");
  assertEquals(hai.events().at(-1).audit_classification, "break_glass");
}, LEGACY);

haiCase("HAI-113", "legacy: only a literal true acknowledges a recontract", async (hai) => {
  const { mission_id } = await hai.open();
  for (const owner_ack of [false, null, 0, 1, "true"]) {
    const refused = await recontract(hai, mission_id, { owner_ack });
    assertRefused(refused, "owner_gate_required");
  }
  assertEquals(hai.json(`home/missions/${mission_id}/mission.json`).current_version, 1);
}, LEGACY);

haiCase(
  "HAI-114",
  "a criterion without evidence leaves the mission open, and says so",
  async (hai) => {
    const mission_id = await openTwo(hai);
    const reply = await close(hai, mission_id, { evidence: { "dc-1": GOOD } });
    assertEquals([reply.ok, reply.status, reply.closed], [true, "incomplete", false]);
    assertEquals([reply.missing, reply.missing_criteria], [["dc-2"], ["dc-2"]]);
    assertEquals(Object.keys(reply.verified_criteria), ["dc-1"]);
    assertEquals(hai.json(`home/missions/${mission_id}/mission.json`).status, "active");
  },
);

haiCase("HAI-115", "no evidence, all missing", async (hai) => {
  const mission_id = await openTwo(hai);
  const reply = await close(hai, mission_id, { evidence: {} });
  assertEquals([reply.status, reply.missing_criteria], ["incomplete", ["dc-1", "dc-2"]]);
  const proof = { mission_id, contract_version: 1, outcome_summary: "s", evidence: {} };
  assertEquals(await hai.call("hai_proof", proof), reply);
  assertRefused(await close(hai, mission_id), "invalid_args", "evidence");
});

/** Closes a one-criterion mission with one piece of evidence and gives what is wrong with it. */
async function fault(hai: HaiHome, evidence: Record<string, unknown>): Promise<Answer> {
  const { active_mission_id } = await hai.call("hai_status");
  const mission_id = active_mission_id ?? (await hai.open()).mission_id;
  const reply = await close(hai, mission_id, { evidence: { "dc-1": evidence } });
  assertEquals([reply.status, reply.closed], ["incomplete", false], JSON.stringify(reply));
  assertEquals(reply.invalid_evidence.length, 1);
  return reply.invalid_evidence[0];
}

haiCase("HAI-116", "evidence outside the project", async (hai) => {
  hai.write("outside.log", "x");
  for (const path of ["../outside.log", `${hai.root}/outside.log`, "~/outside.log"]) {
    assertEquals((await fault(hai, { path })).error, "path_outside_root");
  }
});

haiCase("HAI-117", "evidence through a link to outside", async (hai) => {
  hai.write("outside.log", "x");
  Deno.symlinkSync(`${hai.root}/outside.log`, `${hai.project()}/in.log`);
  const found = await fault(hai, { path: "in.log" });
  assertEquals(found.error, "path_outside_root");
  assert(found.message.includes("symlink"));
});

haiCase(
  "HAI-118",
  "a directory, nothing, an empty or old file, a failure is no evidence",
  async (hai) => {
    hai.project("project/dir");
    assert((await fault(hai, { path: "dir" })).message.includes("directory"));
    assertEquals((await fault(hai, { path: "nothing.log" })).error, "invalid_args");
    assertEquals((await fault(hai, { path: "a\0b" })).error, "invalid_args");
    assertEquals((await fault(hai, {})).error, "invalid_args");
    hai.write("project/empty.log", "");
    assertEquals((await fault(hai, { path: "empty.log" })).error, "evidence_empty");
    const old = hai.write("project/old.log", "x");
    Deno.utimeSync(old, new Date("2026-08-31T00:00:00Z"), new Date("2026-08-31T00:00:00Z"));
    assertEquals((await fault(hai, { path: "old.log" })).error, "evidence_stale");
    hai.write("project/new.log", "x");
    const changed = await fault(hai, { path: "new.log", sha256: "0".repeat(64) });
    assertEquals(changed.error, "evidence_changed");
    assertEquals((await fault(hai, { path: "new.log", exit_code: 1 })).error, "invalid_args");
    const { active_mission_id } = await hai.call("hai_status");
    const done = await close(hai, active_mission_id, {
      evidence: { "dc-1": { path: "old.log", stale_reason: "the design did not change" } },
    });
    assertEquals([done.status, done.closed], ["completed", true]);
    assertEquals(done.verified_criteria["dc-1"].stale_reason, "the design did not change");
  },
);

haiCase("HAI-119", "without a project nothing can be checked", async (hai) => {
  const opened = await hai.open({ constraints: {} });
  const evidence = { "dc-1": { path: "/etc/hostname" } };
  const reply = await close(hai, opened.mission_id, { evidence });
  assertEquals(reply.status, "incomplete");
  assertEquals(reply.invalid_evidence[0].error, "invalid_args");
  assertEquals(JSON.stringify(reply).includes("sha256"), false);
});

haiCase(
  "HAI-120",
  "all verified: completed, hashed, pointer cleared, leases revoked",
  async (hai) => {
    const mission_id = await openTwo(hai);
    const { session_id } = await hai.authorize(mission_id);
    const reply = await close(hai, mission_id, {
      closure: " Completed ",
      evidence: { "dc-1": GOOD, "dc-2": GOOD, "dc-3": GOOD },
    });
    const item = {
      path: `${hai.project()}/tests/run.log`,
      sha256: `sha256:${sha256("3 of 3 agree\n")}`,
    };
    assertEquals([reply.status, reply.closed, reply.next_mission], ["completed", true, null]);
    assertEquals(reply.verified_criteria, { "dc-1": item, "dc-2": item });
    assertEquals(reply.revoked_sessions, [session_id]);
    assertEquals(reply.warnings.length, 2);
    assertEquals(hai.json("home/missions/active_mission.json"), {
      mission_id: null,
      status: "none",
      updated_at: "2026-09-01T08:00:00Z",
    });
    const mission = hai.json(`home/missions/${mission_id}/mission.json`);
    assertEquals([mission.status, mission.closed_at], ["completed", "2026-09-01T08:00:00Z"]);
    assertEquals(mission.verified_criteria, reply.verified_criteria);
    assertRefused(await close(hai, mission_id, { evidence: {} }), "mission_not_active");
  },
);

haiCase("HAI-121", "a blank summary and an unknown closure", async (hai) => {
  const mission_id = await openTwo(hai);
  const blank = await close(hai, mission_id, { outcome_summary: " ", evidence: {} });
  assertRefused(blank, "invalid_args", "outcome_summary");
  assertRefused(await close(hai, mission_id, { closure: "done" }), "invalid_args", "closure");
});

haiCase("HAI-122", "a project mission is closed on a device", async (hai) => {
  const { mission_id } = await hai.open({
    constraints: { project_id: "eval", device_id: "thinkpad", project_path: hai.project() },
  });
  const refused = await close(hai, mission_id, { evidence: {} });
  assertRefused(refused, "invalid_args", "device_id");
  assertEquals((await hai.call("hai_status")).active_mission_id, mission_id);
});

haiCase("HAI-123", "legacy: abandoning needs a literal true", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  for (const owner_ack of [false, 1]) {
    const refused = await close(hai, mission_id, { closure: "abandoned", owner_ack });
    assertRefused(refused, "owner_gate_required");
  }
  const done = await close(hai, mission_id, { closure: "abandoned", owner_ack: true });
  assertEquals([done.status, done.closed, done.reason], ["abandoned", true, "stable"]);
  assertEquals(done.revoked_sessions, [session_id]);
  assertEquals(hai.json("home/missions/active_mission.json").mission_id, null);
}, LEGACY);

haiCase("HAI-124", "the full cycle", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  assertEquals((await hai.call("hai_get_contract", { session_id })).ok, true);
  const verdict = await hai.call("hai_check_activity", {
    session_id,
    activity_step: "replace the seed",
    criterion_id: "dc-1",
    affected_paths: ["tests/test_eval.ts"],
  });
  assertEquals(verdict.classification, "in_scope");
  hai.write("project/tests/run.log", "ok");
  const done = await close(hai, mission_id, { evidence: { "dc-1": GOOD } });
  assertEquals(done.status, "completed");
  assertEquals(hai.eventTypes(), [
    "mission_opened",
    "session_authorized",
    "activity_checked",
    "mission_completed",
  ]);
});

haiCase("HAI-125", "a stop ends sessions, not the mission", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  const before = hai.read("home/missions/active_mission.json");
  const stop = await hai.call("hai_stop", {
    day: " 2026-09-01 ",
    loop_closed: true,
    clearer: "yes",
    agency_gained: "",
  });
  assertEquals([stop.status, stop.day, stop.next_mission], ["day_stopped", "2026-09-01", null]);
  assertEquals([stop.paused_mission, stop.revoked_sessions], [mission_id, [session_id]]);
  assertEquals(hai.read("home/missions/active_mission.json"), before);
  assertEquals(hai.json(`home/stops/${stop.stop_id}.json`).stopped_at, "2026-09-01T08:00:00Z");
});

haiCase("HAI-126", "a day is named, practice is a list, a flag is a flag", async (hai) => {
  const stop = (more: Record<string, unknown>) =>
    hai.call("hai_stop", { day: "d", loop_closed: false, clearer: "", agency_gained: "", ...more });
  assertRefused(await stop({ day: " " }), "invalid_args", "day");
  assertEquals((await stop({ manual_practice: [" git diff ", " "] })).manual_practice, [
    "git diff",
  ]);
  assertEquals((await stop({})).manual_practice, []);
  assertRefused(await stop({ manual_practice: "git diff" }), "invalid_args", "manual_practice");
  for (const loop_closed of [1, "yes", "true", "0", null]) {
    assertRefused(await stop({ loop_closed }), "invalid_args", "loop_closed");
  }
});
