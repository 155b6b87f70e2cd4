/**
 * The clock at its bounds, and set back: what is bounded by time lasts no longer.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused, haiCase } from "../../../tests/util/hai_home.ts";

haiCase("judgeLease()", "a lease is good to its last second and not beyond", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id, { duration_minutes: 1 });
  const left = async () => (await hai.call("hai_get_contract", { session_id })).remaining_seconds;
  hai.pass(59);
  assertEquals(await left(), 1);
  hai.pass(1);
  assertEquals(await left(), 0);
  hai.unixMs += 999;
  assertEquals(await left(), 0);
  hai.unixMs += 1;
  assertRefused(await hai.call("hai_get_contract", { session_id }), "lease_expired");
  assertEquals((await hai.authorize(mission_id)).status, "granted");
});

haiCase("judgeLease()", "setting the clock back revives and prolongs no lease", async (hai) => {
  const { mission_id } = await hai.open({
    constraints: { project_path: hai.project(), max_parallel_sessions: 2 },
  });
  const first = await hai.authorize(mission_id, { duration_minutes: 1 });
  hai.pass(61);
  const old = { session_id: first.session_id };
  assertRefused(await hai.call("hai_get_contract", old), "lease_expired");
  hai.pass(-30);
  assertRefused(await hai.call("hai_get_contract", old), "lease_revoked");
  const second = await hai.authorize(mission_id, { duration_minutes: 60 });
  const { session_id } = second;
  hai.pass(-299);
  assertEquals((await hai.call("hai_get_contract", { session_id })).ok, true);
  hai.pass(-36_000);
  const [listed] = (await hai.call("hai_list_sessions")).sessions.slice(-1);
  assertEquals([listed.status, listed.remaining_seconds], ["expired", 0]);
  assertRefused(await hai.call("hai_get_contract", { session_id }), "lease_expired", "set back");
  // Its place is free again.
  for (const _ of [1, 2]) assertEquals((await hai.authorize(mission_id)).status, "granted");
  assertRefused(await hai.authorize(mission_id), "parallel_session_denied");
});

haiCase("findLive()", "setting the clock back prolongs no approval", async (hai) => {
  const args = { project_path: hai.project(), content: "# step" };
  const asked = await hai.call("hai_accept_next_step", args);
  const owner_code = hai.code(asked.challenge_id);
  hai.pass(-36_000);
  assertEquals((await hai.call("hai_status")).pending_owner_challenges, 0);
  const late = await hai.call("hai_accept_next_step", { ...args, owner_code });
  assertEquals(late.detail, "no_pending_challenge");
  const anew = await hai.call("hai_accept_next_step", args);
  hai.pass(-200);
  const code = { ...args, owner_code: hai.code(anew.challenge_id) };
  assertEquals((await hai.call("hai_accept_next_step", code)).canonical, true);
});

haiCase("writeCheckpoint()", "a clock set back overwrites nothing", async (hai) => {
  const { checkpoint_id } = await hai.call("hai_checkpoint", { note: "first" });
  hai.pass(60);
  await hai.call("hai_checkpoint", { note: "second" });
  hai.pass(-60);
  const third = await hai.call("hai_checkpoint", { note: "third" });
  assertEquals(third.checkpoint_id, `${checkpoint_id}-2`);
  assertEquals((await hai.call("hai_recover", { checkpoint_id })).meta.note, "first");
});

haiCase("bindMount()", "strict policy: a made-up device opens no folder", async (hai) => {
  const constraints = { project_id: "eval", device_id: "desk", project_path: hai.project() };
  assertEquals((await hai.open({ constraints })).status, "active");
  hai.restart({ HAI_OWNER_POLICY: "strict" });
  const bind = {
    project_id: "eval",
    device_id: "laptop",
    local_path: hai.project("elsewhere"),
    owner_ack: true,
    reason: "second machine",
  };
  const asked = await hai.call("hai_bind_project", bind);
  assertRefused(asked, "owner_gate_required");
  assertStringIncludes(hai.read(`owner/${asked.challenge_id}.txt`), "Bind project eval on device");
  const owner_code = hai.code(asked.challenge_id);
  const bound = await hai.call("hai_bind_project", { ...bind, owner_code });
  assertEquals(bound.mount.path, hai.project("elsewhere"));
  // The same folder again moves nothing.
  assertEquals((await hai.call("hai_bind_project", bind)).ok, true);
});

haiCase("openContract()", "strict policy: the owner sees that a mount would move", async (hai) => {
  const at = (name: string) => ({
    constraints: { project_id: "eval", device_id: "desk", project_path: hai.project(name) },
  });
  const { mission_id } = await hai.open(at("here"));
  hai.write("here/log", "x");
  await hai.call("hai_proof", {
    mission_id,
    contract_version: 1,
    outcome_summary: "s",
    evidence: { "dc-1": { path: "log" } },
    device_id: "desk",
  });
  hai.restart({ HAI_OWNER_POLICY: "strict" });
  const asked = await hai.open(at("there"));
  assertStringIncludes(
    hai.read(`owner/${asked.challenge_id}.txt`),
    `moved_from: ${hai.project("here")}`,
  );
});
