/**
 * Cases HAI-030 to HAI-070: opening, mounts, leases, identifiers.
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
import { recordHash } from "../state/hashes.ts";

const POINTER = "home/missions/active_mission.json";

function openWith(hai: HaiHome, constraints: Record<string, unknown>): Promise<Answer> {
  return hai.open({ constraints });
}

function openProject(hai: HaiHome, more: Record<string, unknown> = {}): Promise<Answer> {
  return openWith(hai, {
    project_id: "eval",
    device_id: "thinkpad",
    project_path: hai.project(),
    ...more,
  });
}

haiCase("HAI-030", "a valid open is active, version 1, hashed and pointed to", async (hai) => {
  const opened = await hai.open();
  assertEquals([opened.status, opened.validation], ["active", "validated"]);
  assertEquals(opened.contract_version, 1);
  assert(/^sha256:[0-9a-f]{64}$/.test(opened.contract_hash));
  assertEquals(hai.json(POINTER).mission_id, opened.mission_id);
  assertEquals(hai.json(`home/missions/${opened.mission_id}/mission.json`), {
    mission_id: opened.mission_id,
    status: "active",
    current_version: 1,
    created_at: "2026-09-01T08:00:00Z",
    owner: "ana",
  });
});

haiCase("HAI-031", "a missing artifact needs review, is audited, opens nothing", async (hai) => {
  const refused = await hai.open({ artifact: " " });
  assertRefused(refused, "review_required", "artifact is required");
  assertEquals([refused.status, refused.validation], ["review_required", "review_required"]);
  assertEquals(hai.has(POINTER), false);
  assertEquals(hai.eventTypes(), ["mission_open_review_required"]);
});

haiCase("HAI-032", "an objective that says nothing is too broad", async (hai) => {
  for (const objective of ["an HAI arbeiten", "everything", " MISC ", "a hai arbeiten"]) {
    assertRefused(await hai.open({ objective }), "review_required", "too broad");
  }
});

haiCase("HAI-033", "duplicate criteria need review", async (hai) => {
  const twice = [{ id: "a", description: "x" }, { id: " a ", description: "y" }];
  assertRefused(await hai.open({ done_criteria: twice }), "review_required", "duplicate");
});

haiCase("HAI-034", "no criteria, none described, one not verifiable", async (hai) => {
  for (const done_criteria of [[], [{ id: "a" }], [{ description: "x", verifiable: false }]]) {
    assertRefused(await hai.open({ done_criteria }), "review_required");
  }
});

haiCase("HAI-035", "all faults are listed at once", async (hai) => {
  const refused = await hai.open({
    objective: "everything",
    artifact: "",
    owner: "",
    done_criteria: [],
  });
  assertEquals(refused.issues.length, 4);
});

haiCase("HAI-036", "allowed paths stay relative and below", async (hai) => {
  for (const path of ["../", "/abs/root", "src/../..", "~/x", "\\x", "a\0"]) {
    const refused = await openWith(hai, { project_path: hai.project(), allowed_paths: [path] });
    assertRefused(refused, "review_required", "allowed_paths");
  }
  const fine = { project_path: hai.project(), allowed_paths: ["notes..v2"] };
  assertEquals((await openWith(hai, fine)).ok, true);
});

haiCase("HAI-037", "a second open names the first mission", async (hai) => {
  const { mission_id } = await hai.open();
  const refused = await hai.open();
  assertRefused(refused, "active_mission_exists");
  assertEquals(refused.active_mission_id, mission_id);
});

haiCase("HAI-038", "of two opens at once one is active", async (hai) => {
  const other = hai.newShell();
  const terms = hai.terms();
  const replies = await Promise.all([
    hai.shell.call("hai_open_mission", terms),
    other.call("hai_open_mission", terms),
  ]);
  const errors = replies.map((reply) => reply.error ?? reply.status).sort();
  assertEquals(errors, ["active", "active_mission_exists"]);
});

haiCase("HAI-039", "the stored hash is the hash of the contract", async (hai) => {
  const { contract, mission_id, contract_hash } = await hai.open();
  assertEquals(recordHash(contract, "contract_hash"), contract_hash);
  const stored = hai.json(`home/missions/${mission_id}/contracts/v1.json`);
  assertEquals(recordHash(stored, "contract_hash"), contract_hash);
});

haiCase("HAI-040", "a criterion without an id gets one", async (hai) => {
  const { contract } = await hai.open({
    done_criteria: [{ description: "x" }, { id: "", description: "y" }],
  });
  assertEquals(contract.done_criteria, [
    { id: "dc-1", description: "x", verifiable: true },
    { id: "dc-2", description: "y", verifiable: true },
  ]);
});

haiCase("HAI-041", "without a project path it opens, and says what that means", async (hai) => {
  const opened = await hai.open({ constraints: null });
  assertEquals(opened.contract.constraints.project_path, null);
  assertEquals(opened.warnings.length, 1);
});

haiCase("HAI-042", "hai_mission_start takes problem and limit", async (hai) => {
  const { objective: _objective, ...rest } = hai.terms();
  const args = { problem: "p", ...rest, time_limit_hours: 2 };
  const opened = await hai.call("hai_mission_start", args);
  assertEquals(opened.contract.objective, "p");
  assertEquals(opened.contract.constraints.time_limit_hours, 2);
  const stored = hai.read(`home/missions/${opened.mission_id}/contracts/v1.json`);
  assert(
    stored.includes('"time_limit_hours": 2.0,') || stored.includes('"time_limit_hours": 2.0\n'),
  );
});

haiCase("HAI-043", "a bad limit of hai_mission_start opens nothing", async (hai) => {
  const { objective, ...rest } = hai.terms();
  for (const time_limit_hours of ["8", true, 0.5]) {
    const args = { problem: objective, ...rest, time_limit_hours };
    const refused = await hai.call("hai_mission_start", args);
    assertRefused(refused, "invalid_args", "time_limit_hours");
  }
  const wrong = await hai.call("hai_mission_start", {
    problem: "p",
    ...rest,
    time_limit_hours: "8",
  });
  assertEquals(wrong.message, "time_limit_hours must be a literal number");
  assertEquals(hai.has(POINTER), false);
});

haiCase(
  "HAI-044",
  "a project is mounted by its first mission; a change needs the owner",
  async (hai) => {
    const { contract, mission_id } = await openProject(hai);
    const { project_id, project_path } = contract.constraints;
    assertEquals([project_id, project_path], ["eval", null]);
    const table = hai.json("home/core/projects.json");
    assertEquals(table.projects.eval.mounts.thinkpad.path, hai.project());
    hai.write("project/log", "x");
    await hai.call("hai_proof", {
      mission_id,
      contract_version: 1,
      outcome_summary: "done",
      evidence: { "dc-1": { path: "log" } },
      device_id: "thinkpad",
    });
    const moved = { project_path: hai.project("elsewhere") };
    const asked = await openProject(hai, moved);
    assertRefused(asked, "owner_gate_required");
    assertEquals([asked.action, asked.status], ["bind_project", "pending_owner_code"]);
    assertEquals(hai.json("home/core/projects.json"), table);
    const opened = await hai.open({
      constraints: { project_id: "eval", device_id: "thinkpad", ...moved },
      owner_code: hai.code(asked.challenge_id),
    });
    assertEquals(opened.owner_gate.gate, "nonce");
    assertEquals(
      hai.json("home/core/projects.json").projects.eval.mounts.thinkpad.path,
      moved.project_path,
    );
  },
);

haiCase("HAI-045", "bad project and device names open and mount nothing", async (hai) => {
  for (const project_id of ["../evil", "/abs", "A", "", "eval\n"]) {
    assertEquals((await openProject(hai, { project_id })).ok, false);
  }
  for (const device_id of ["../evil", "MacBook"]) {
    assertEquals((await openProject(hai, { device_id })).ok, false);
  }
  assertEquals([hai.has(POINTER), hai.has("home/core/projects.json")], [false, false]);
});

haiCase("HAI-046", "a project needs a device and a folder", async (hai) => {
  assertRefused(await openProject(hai, { device_id: undefined }), "review_required", "device_id");
  assertRefused(await openProject(hai, { project_path: null }), "review_required", "project_path");
});

haiCase("HAI-047", "binding needs ack and reason, changing a binding the owner", async (hai) => {
  await openProject(hai);
  const bind = (more: Record<string, unknown>) =>
    hai.call("hai_bind_project", {
      project_id: "eval",
      device_id: "desk",
      local_path: hai.project("desk"),
      owner_ack: true,
      reason: "second machine",
      ...more,
    });
  for (const owner_ack of [false, 1, "true", null]) {
    assertRefused(await bind({ owner_ack }), "owner_gate_required", "owner_ack");
  }
  assertRefused(await bind({ reason: " " }), "owner_gate_required", "reason");
  assertEquals(hai.json("home/core/projects.json").projects.eval.mounts.desk, undefined);
  Deno.symlinkSync(hai.project("desk"), `${hai.root}/desk-link`);
  const bound = await bind({ local_path: `${hai.root}/desk-link` });
  assertEquals(bound.mount.path, hai.project("desk"));
  assertEquals((await bind({})).ok, true, "the same folder again is no change");
  const other = { local_path: hai.project("other") };
  const asked = await bind(other);
  assertRefused(asked, "owner_gate_required");
  assertEquals(asked.status, "pending_owner_code");
  assertEquals(
    hai.json("home/core/projects.json").projects.eval.mounts.desk.path,
    hai.project("desk"),
  );
  const moved = await bind({ ...other, owner_code: hai.code(asked.challenge_id) });
  assertEquals(moved.mount.path, other.local_path);
});

haiCase("HAI-048", "an unknown project cannot be bound", async (hai) => {
  for (const project_id of ["nothing", "constructor", "tostring"]) {
    const refused = await hai.call("hai_bind_project", {
      project_id,
      device_id: "desk",
      local_path: hai.project(),
      owner_ack: true,
      reason: "r",
    });
    assertRefused(refused, "invalid_args", "project_id");
  }
});

haiCase("HAI-049", "a link that leaves its folder cannot be bound", async (hai) => {
  await openProject(hai);
  hai.project("far/away");
  Deno.mkdirSync(`${hai.root}/links`);
  Deno.symlinkSync(`${hai.root}/far/away`, `${hai.root}/links/in`);
  const bind = { project_id: "eval", device_id: "desk", owner_ack: true, reason: "r" };
  const refused = await hai.call("hai_bind_project", {
    ...bind,
    local_path: `${hai.root}/links/in/`,
  });
  assertRefused(refused, "path_outside_root", "symlink");
  assertRefused(
    await hai.call("hai_bind_project", { ...bind, local_path: "/" }),
    "path_outside_root",
  );
});

haiCase("HAI-050", "a lease needs a bound device", async (hai) => {
  const { mission_id } = await openProject(hai);
  const unbound = await hai.authorize(mission_id, { device_id: "other" });
  assertRefused(unbound, "device_mount_required");
  assertEquals(unbound.status, "denied");
  assertRefused(await hai.authorize(mission_id), "invalid_args", "device_id");
});

haiCase("HAI-051", "a lease on another device shows that device's folder", async (hai) => {
  const { mission_id, contract_hash } = await openProject(hai);
  await hai.call("hai_bind_project", {
    project_id: "eval",
    device_id: "desk",
    local_path: hai.project("desk"),
    owner_ack: true,
    reason: "r",
  });
  const { session_id } = await hai.authorize(mission_id, { device_id: "desk" });
  const shown = await hai.call("hai_get_contract", { session_id });
  assertEquals(shown.mount_path, hai.project("desk"));
  assertEquals([shown.project_id, shown.device_id], ["eval", "desk"]);
  assertEquals([shown.mission_id, shown.contract_version], [mission_id, 1]);
  assertEquals(shown.contract_hash, contract_hash);
});

haiCase("HAI-052", "a recontract keeps the project", async (hai) => {
  const { mission_id, contract_hash } = await openProject(hai);
  const change = (changes: Record<string, unknown>) =>
    hai.call("hai_recontract", {
      mission_id,
      contract_version: 1,
      reason: "r",
      changes,
      owner_ack: true,
    });
  const other = await change({ constraints: { project_id: "other" } });
  assertRefused(other, "invalid_args", "project_id");
  const done = await change({ constraints: { allowed_paths: ["src"] } });
  const { project_id, project_path } = done.contract.constraints;
  assertEquals([project_id, project_path], ["eval", null]);
  assert(done.contract_hash !== contract_hash);
}, LEGACY);

haiCase("HAI-053", "a lease is granted and shows the contract", async (hai) => {
  const { mission_id, contract } = await hai.open();
  const granted = await hai.authorize(mission_id);
  assertEquals(granted.status, "granted");
  const shown = await hai.call("hai_get_contract", { session_id: granted.session_id });
  assertEquals(shown.contract, contract);
  assertEquals(shown.remaining_seconds, 5400);
});

haiCase("HAI-054", "a version that is not there", async (hai) => {
  const { mission_id } = await hai.open();
  const refused = await hai.authorize(mission_id, { contract_version: 99 });
  assertRefused(refused, "contract_version_mismatch");
});

haiCase("HAI-055", "who, as what, adding what, expecting what", async (hai) => {
  const { mission_id } = await hai.open();
  for (const field of ["agent_identity", "role", "contribution", "expected_result"]) {
    const refused = await hai.authorize(mission_id, { [field]: " " });
    assertRefused(refused, "invalid_args", field);
    assertEquals(refused.status, "denied");
  }
});

haiCase("HAI-056", "a duration is an integer", async (hai) => {
  const { mission_id } = await hai.open();
  for (const duration_minutes of ["30", 30.9, true, "not-a-number", 0, null]) {
    const refused = await hai.authorize(mission_id, { duration_minutes });
    assertRefused(refused, "invalid_args", "duration_minutes");
  }
  const text = await hai.authorize(mission_id, { duration_minutes: "30" });
  assertEquals(
    [text.code, text.field, text.expected, text.got, text.message],
    [
      "invalid_args",
      "duration_minutes",
      "integer",
      'string "30"',
      "duration_minutes must be a literal integer",
    ],
  );
  const zero = await hai.authorize(mission_id, { duration_minutes: 0 });
  assertEquals(zero.message, "duration_minutes must be >= 1");
});

haiCase("HAI-057", "a version is an integer; the integer then works", async (hai) => {
  const { mission_id } = await hai.open();
  for (const contract_version of ["1", true]) {
    const refused = await hai.authorize(mission_id, { contract_version });
    assertRefused(refused, "invalid_args", "contract_version");
  }
  assertEquals((await hai.authorize(mission_id)).ok, true);
});

haiCase("HAI-058", "one session at a time by default", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  const refused = await hai.authorize(mission_id);
  assertRefused(refused, "parallel_session_denied");
  assertEquals(refused.clause, "constraints.max_parallel_sessions");
  assertEquals(refused.active_sessions, [session_id]);
});

haiCase("HAI-059", "an expired lease makes room and is marked", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  hai.pass(90 * 60 + 1);
  assertEquals((await hai.authorize(mission_id)).ok, true);
  const first = hai.json(`home/missions/${mission_id}/sessions/${session_id}.json`);
  assertEquals(first.status, "expired");
});

haiCase("HAI-060", "a lease lasts a day at most", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_lease } = await hai.authorize(mission_id, { duration_minutes: 99999 });
  assertEquals(session_lease.granted_at, "2026-09-01T08:00:00Z");
  assertEquals(session_lease.expires_at, "2026-09-02T08:00:00Z");
});

haiCase("HAI-061", "criteria must be in the contract", async (hai) => {
  const { mission_id } = await hai.open();
  for (const criterion_ids of [[], ["dc-9"], ["dc-1", "dc-9"]]) {
    const refused = await hai.authorize(mission_id, { criterion_ids });
    assertRefused(refused, "invalid_args");
    assertEquals(refused.clause, "authorize_session.criterion_ids");
    assertEquals(refused.status, "denied");
  }
});

haiCase("HAI-062", "capabilities must be in the contract; none given are all", async (hai) => {
  const { mission_id } = await hai.open();
  const refused = await hai.authorize(mission_id, { capabilities: ["read", "deploy"] });
  assertRefused(refused, "invalid_args");
  assertEquals(refused.clause, "constraints.capabilities");
  const { session_lease } = await hai.authorize(mission_id);
  assertEquals(session_lease.capabilities, ["read", "test", "write"]);
});

haiCase("HAI-063", "an expired lease is noticed and audited once", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  hai.pass(90 * 60);
  assertEquals((await hai.call("hai_get_contract", { session_id })).remaining_seconds, 0);
  hai.pass(1);
  for (let i = 0; i < 3; i++) {
    const refused = await hai.call("hai_get_contract", { session_id });
    assertRefused(refused, "lease_expired");
    assertEquals(refused.required_action, "pause");
  }
  assertEquals(hai.eventTypes().filter((type) => type === "lease_expired").length, 1);
});

haiCase("HAI-064", "after a recontract a lease is of another version", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  await hai.call("hai_recontract", {
    mission_id,
    contract_version: 1,
    reason: "r",
    changes: { objective: "other" },
    owner_ack: true,
  });
  assertRefused(await hai.call("hai_get_contract", { session_id }), "contract_version_mismatch");
}, LEGACY);

haiCase(
  "HAI-065",
  "after a stop a lease is revoked, after a close its mission is over",
  async (hai) => {
    const { mission_id } = await hai.open();
    const { session_id } = await hai.authorize(mission_id);
    await hai.call("hai_stop", { day: "d", loop_closed: true, clearer: "", agency_gained: "" });
    assertRefused(await hai.call("hai_get_contract", { session_id }), "lease_revoked");
    await hai.call("hai_close_mission", {
      mission_id,
      contract_version: 1,
      closure: "abandoned",
      outcome_summary: "s",
      owner_ack: true,
    });
    assertRefused(await hai.call("hai_get_contract", { session_id }), "mission_not_active");
  },
  LEGACY,
);

haiCase("HAI-066", "a session id is no path", async (hai) => {
  await hai.open();
  const refused = await hai.call("hai_get_contract", { session_id: "../../sessions/evil" });
  assertRefused(refused, "invalid_args", "session_id");
});

haiCase(
  "HAI-067",
  "a session with foreign ids inside is not found and not touched",
  async (hai) => {
    const { mission_id } = await hai.open();
    const { session_id } = await hai.authorize(mission_id);
    const path = `home/missions/${mission_id}/sessions/${session_id}.json`;
    const original = hai.read(path);
    for (
      const [field, value] of [["mission_id", "M-20260101T000000-00000000"], ["session_id", "x"]]
    ) {
      hai.edit(path, (record) => record[String(field)] = value);
      const tampered = hai.read(path);
      assertRefused(await hai.call("hai_get_contract", { session_id }), "invalid_args");
      assertEquals(hai.read(path), tampered);
      hai.write(path, original);
    }
  },
);

haiCase("HAI-068", "a sessions folder that leads out is not followed", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  const dir = `${hai.home}/missions/${mission_id}/sessions`;
  Deno.renameSync(dir, `${hai.root}/outside`);
  Deno.symlinkSync(`${hai.root}/outside`, dir);
  const before = hai.read(`outside/${session_id}.json`);
  hai.pass(90 * 60 + 1);
  assertRefused(await hai.call("hai_get_contract", { session_id }), "invalid_args");
  assertRefused(await hai.authorize(mission_id), "path_outside_root");
  assertEquals(hai.names("outside"), [`${session_id}.json`]);
  assertEquals(hai.read(`outside/${session_id}.json`), before);
});

/** Everything that is not quite an id. */
function notIds(prefix: string): unknown[] {
  const good = `${prefix}-20260901T080000-0a1b2c3d`;
  return [
    `X${good}`,
    good.replace(prefix, "Q"),
    `${prefix}-2026/901T080000-0a1b2c3d`,
    `${prefix}-2026\\901T080000-0a1b2c3d`,
    `../${good}`,
    `/${good}`,
    `${good}\0`,
    ` ${good}`,
    `${good} `,
    `${good}\n`,
    `${prefix}-20260901T0800-0a1b2c3d`,
    good.toUpperCase(),
    `${prefix}-20260901T080000-0A1B2C3D`,
    7,
  ];
}

haiCase("HAI-069", "every kind of id is exact", async (hai) => {
  const { mission_id } = await hai.open();
  const calls: [string, (id: unknown) => Promise<Answer>][] = [
    ["S", (session_id) => hai.call("hai_get_contract", { session_id })],
    ["M", (id) => hai.authorize(mission_id, { mission_id: id })],
    ["I", (intake_id) => hai.call("hai_distill", { intake_id, decision: "d", next_step: "n" })],
    ["S", (origin_session_id) =>
      hai.call("hai_park_item", {
        idea: "i",
        origin_session_id,
        trigger_event: "t",
        mission_id,
        rationale: "r",
      })],
  ];
  for (const [prefix, call] of calls) {
    for (const id of notIds(prefix)) assertRefused(await call(id), "invalid_args", "");
  }
});

haiCase("HAI-070", "a mission id is no path", async (hai) => {
  await hai.open();
  const mission_id = "../../escape";
  assertRefused(await hai.authorize(mission_id), "invalid_args", "mission_id");
  const close = { mission_id, contract_version: 1, closure: "completed", outcome_summary: "s" };
  assertRefused(await hai.call("hai_close_mission", close), "invalid_args", "mission_id");
  const change = { mission_id, contract_version: 1, reason: "r", changes: { objective: "x" } };
  assertRefused(await hai.call("hai_recontract", change), "invalid_args", "mission_id");
});
