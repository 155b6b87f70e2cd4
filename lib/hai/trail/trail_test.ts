/**
 * State files changed or put back by hand, all hashes right: the audit trail says
 * otherwise, and a project that was led elsewhere is not the one agreed.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  assertRefused,
  haiCase,
  type HaiHome,
  scriptedTerminal,
} from "../../../tests/util/hai_home.ts";
import { denoRuntime } from "../../runtime/deno_runtime.ts";
import { diagnose, runRepair } from "../../commands/hai/hai_repair_command.ts";
import { recordHash } from "../state/hashes.ts";

/** A mission at version 2, narrower than version 1, with a session. */
async function narrowed(hai: HaiHome) {
  const { mission_id } = await hai.open();
  const change = {
    mission_id,
    contract_version: 1,
    reason: "narrow",
    changes: { constraints: { allowed_paths: ["src/"] } },
  };
  const asked = await hai.call("hai_recontract", change);
  await hai.call("hai_recontract", { ...change, owner_code: hai.code(asked.challenge_id) });
  const granted = await hai.authorize(mission_id, { contract_version: 2 });
  const { session_id } = granted;
  return {
    mission_id,
    session_id,
    mission: `home/missions/${mission_id}/mission.json`,
    lease: `home/missions/${mission_id}/sessions/${session_id}.json`,
    check: { session_id, activity_step: "s", criterion_id: "dc-1" },
  };
}

for (
  const [why, spoil] of [
    ["a mission put back to an older version", { file: "mission", current_version: 1 }],
    ["a lease that grants itself more", { file: "lease", capabilities: ["read", "deploy"] }],
    ["a lease for another criterion", { file: "lease", criterion_ids: ["dc-1", "dc-2"] }],
    ["a lease that lasts longer", { file: "lease", expires_at: "2099-01-01T00:00:00Z" }],
  ] as const
) {
  for (const isRestarted of [false, true]) {
    const when = isRestarted ? "after a restart" : "at once";
    haiCase("Trail", `notices ${why}, ${when}`, async (hai) => {
      const { check, mission, lease } = await narrowed(hai);
      const files = { mission, lease };
      assertEquals((await hai.call("hai_check_activity", check)).classification, "in_scope");
      const { file, ...change } = spoil;
      const good = hai.read(files[file]);
      hai.edit(files[file], (record) => Object.assign(record, change));
      if (isRestarted) hai.restart();
      const refused = await hai.call("hai_check_activity", check);
      assertRefused(refused, "state_corrupt", "the audit trail");
      assertEquals(refused.file, `${hai.root}/${files[file]}`);
      const errors = () => diagnose(hai.config()).findings.map(({ file }) => file);
      assertEquals(errors(), [refused.file]);
      hai.write(files[file], good);
      assertEquals((await hai.call("hai_check_activity", check)).classification, "in_scope");
      assertEquals(errors(), []);
    });
  }
}

haiCase("Trail", "notices an ended lease, a closed mission and one nobody opened", async (hai) => {
  const { check, mission_id, session_id, ...files } = await narrowed(hai);
  await hai.call("hai_release_session", { session_id });
  hai.edit(files.lease, (lease) => lease.status = "active");
  assertRefused(await hai.call("hai_check_activity", check), "state_corrupt", "it is over");
  hai.edit(files.lease, (lease) => lease.status = "released");
  hai.write("project/log", "x");
  const proof = {
    mission_id,
    contract_version: 2,
    outcome_summary: "s",
    evidence: { "dc-1": { path: "log" } },
  };
  const pointer = hai.read("home/missions/active_mission.json");
  hai.write("home/missions/active_mission.json", '{"mission_id": null, "status": "none"}');
  assertRefused(await hai.open(), "state_corrupt", `${mission_id} is active`);
  hai.write("home/missions/active_mission.json", pointer);
  assertEquals((await hai.call("hai_proof", proof)).closed, true);
  hai.write("home/missions/active_mission.json", pointer);
  hai.edit(files.mission, (mission) => mission.status = "active");
  assertRefused(await hai.call("hai_proof", proof), "state_corrupt", "it is completed");
  hai.edit(files.mission, (mission) => mission.status = "completed");
  // One that was written by hand, all hashes right.
  const planted = "M-20260901T090000-00000000";
  const dir = `home/missions/${planted}`;
  hai.write(`${dir}/mission.json`, hai.read(files.mission).replaceAll(mission_id, planted));
  hai.edit(`${dir}/mission.json`, (mission) => mission.status = "active");
  hai.write(
    `${dir}/contracts/v2.json`,
    hai.read(files.mission.replace("mission.json", "contracts/v2.json")),
  );
  hai.edit(`${dir}/contracts/v2.json`, (contract) => {
    contract.mission_id = planted;
    contract.contract_hash = recordHash(contract, "contract_hash");
  });
  hai.write("home/missions/active_mission.json", pointer.replaceAll(mission_id, planted));
  const refused = await hai.authorize(planted, { contract_version: 2 });
  assertRefused(refused, "state_corrupt", "does not know this mission");
});

haiCase("Trail", "is what repair puts a mission back to", async (hai) => {
  const { check, lease, mission, mission_id } = await narrowed(hai);
  hai.edit(mission, (record) => record.current_version = 1);
  const hand = await repaired(hai);
  assertStringIncludes(hand, "put mission");
  hai.restart();
  assertEquals((await hai.call("hai_check_activity", check)).classification, "in_scope");
  hai.edit(lease, (record) => record.capabilities = ["deploy"]);
  assertStringIncludes(await repaired(hai), "took out");
  hai.restart();
  assertRefused(await hai.call("hai_check_activity", check), "invalid_args", "no session");
  // The version that was agreed is gone: the mission is closed, not widened.
  Deno.removeSync(`${hai.home}/missions/${mission_id}/contracts/v2.json`);
  Deno.removeSync(`${hai.root}/${mission}`);
  assertStringIncludes(await repaired(hai), "its contract was lost");
  hai.restart();
  assertEquals((await hai.call("hai_get_mission")).active, false);
  // What was agreed last cannot be read, so the owner has to see what comes next.
  const asked = await hai.open();
  assertRefused(asked, "owner_gate_required");
  assertEquals((await hai.open({ owner_code: hai.code(asked.challenge_id) })).ok, true);
});

/** Runs `hai-mcp repair` and returns what it prints. */
async function repaired(hai: HaiHome): Promise<string> {
  let out = "";
  const host = { ...denoRuntime("hai-mcp"), print: (text: string) => void (out += `${text}\n`) };
  const terminal = scriptedTerminal([], false);
  const status = await runRepair(hai.config(), { runtime: host, terminal }, { isSure: true });
  assertEquals(status, 0, out);
  return out;
}

haiCase("rootOf()", "a project that leads elsewhere by now is not the one agreed", async (hai) => {
  const [here, there] = [hai.project("here"), hai.project("there")];
  const link = `${hai.root}/link`;
  const point = (to: string) => {
    if (hai.has("link")) Deno.removeSync(link);
    Deno.symlinkSync(to, link);
  };
  point(here);
  const opened = await hai.open({ constraints: { project_path: link } });
  const { mission_id } = opened;
  const { session_id } = await hai.authorize(mission_id);
  const check = { session_id, activity_step: "s", criterion_id: "dc-1", affected_paths: ["x"] };
  assertEquals((await hai.call("hai_check_activity", check)).classification, "in_scope");
  point(there);
  const moved = await hai.call("hai_check_activity", check);
  assertRefused(moved, "path_outside_root", "elsewhere");
  assertEquals([moved.classification, moved.required_action], ["unclear", "pause"]);
  hai.write("there/log", "x");
  const proof = {
    mission_id,
    contract_version: 1,
    outcome_summary: "s",
    evidence: { "dc-1": { path: "log" } },
  };
  assertRefused(await hai.call("hai_proof", proof), "path_outside_root");
  hai.restart();
  assertRefused(await hai.call("hai_check_activity", check), "path_outside_root");
  point(here);
  assertEquals((await hai.call("hai_check_activity", check)).classification, "in_scope");
});

haiCase("rootOf()", "a mount that became a link is not the one bound", async (hai) => {
  const constraints = { project_id: "eval", device_id: "desk", project_path: hai.project() };
  const { mission_id } = await hai.open({ constraints });
  const { session_id } = await hai.authorize(mission_id, { device_id: "desk" });
  const check = { session_id, activity_step: "s", criterion_id: "dc-1", affected_paths: ["x"] };
  assertEquals((await hai.call("hai_check_activity", check)).classification, "in_scope");
  Deno.renameSync(hai.project(), `${hai.root}/moved`);
  Deno.symlinkSync("/etc", `${hai.root}/project`);
  assertRefused(await hai.call("hai_check_activity", check), "path_outside_root", "elsewhere");
});

haiCase("lastEvents()", "a chain that leads back to itself ends", async (hai) => {
  await hai.open({ artifact: "" });
  const [event] = hai.events();
  hai.edit(`home/audit/${event.event_id}.json`, (record) => record.prev_event_id = event.event_id);
  hai.edit("home/audit/HEAD.json", (head) => head.seq = Number.MAX_SAFE_INTEGER);
  hai.restart();
  const refused = await hai.call("hai_list_audit", { event_type: "none" });
  assertRefused(refused, "state_corrupt", event.event_id);
});

haiCase(
  "projectRoot()",
  "an approval holds for where a link led, not for where it leads",
  async (hai) => {
    const [here, there] = [hai.project("here"), hai.project("there")];
    const link = `${hai.root}/link`;
    const point = (to: string) => {
      if (hai.has("link")) Deno.removeSync(link);
      Deno.symlinkSync(to, link);
    };
    hai.restart({ HAI_OWNER_POLICY: "strict" });
    const opened = async (constraints: Record<string, unknown>) => {
      const asked = await hai.open({ constraints });
      return { asked, owner_code: hai.code(asked.challenge_id), constraints };
    };
    point(here);
    const first = await opened({ project_path: link });
    assertStringIncludes(
      hai.read(`owner/${first.asked.challenge_id}.txt`),
      `project_root: ${here}`,
    );
    point(there);
    const { constraints, owner_code } = first;
    assertEquals((await hai.open({ constraints, owner_code })).detail, "no_pending_challenge");
    const rootless = await opened({});
    const { mission_id } = await hai.open({ constraints: {}, owner_code: rootless.owner_code });
    const change = {
      mission_id,
      contract_version: 1,
      reason: "r",
      changes: { constraints: { project_path: link } },
    };
    point(here);
    const asked = await hai.call("hai_recontract", change);
    const code = { ...change, owner_code: hai.code(asked.challenge_id) };
    point(there);
    assertEquals((await hai.call("hai_recontract", code)).detail, "no_pending_challenge");
    point(here);
    assertEquals((await hai.call("hai_recontract", code)).contract_version, 2);
  },
);
