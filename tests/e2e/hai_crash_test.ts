/**
 * Several processes on one state, some of them killed: no acknowledged update is
 * lost or doubled, every file parses, the audit chain verifies.
 *
 * Each kill takes a second: five are made here, and `deno task kills` makes fifty.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { diagnose } from "../../lib/commands/hai/hai_repair_command.ts";
import { HaiHome } from "../util/hai_home.ts";

interface Ack {
  readonly name: string;
  readonly ok: boolean;
  readonly error?: string;
  readonly intake?: string;
  readonly event?: string;
  readonly path?: string;
}

const KILLS = Number(Deno.env.get("HOIST_KILLS") ?? 5);
const HAMMER = new URL("../util/hai_hammer.ts", import.meta.url).pathname;

function start(hai: HaiHome, calls: number): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", HAMMER, String(calls), hai.project()],
    env: { HAI_HOME: hai.home, HAI_OWNER_HOME: hai.ownerHome },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

function acks(output: Uint8Array): Ack[] {
  const lines = new TextDecoder().decode(output).split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line)); // A torn last line was not read by anybody.
}

/** Checks the state against what was acknowledged. */
async function check(hai: HaiHome, seen: readonly Ack[], lost: number): Promise<void> {
  assertEquals((await hai.call("hai_health")).audit.ok, true);
  const errors = diagnose(hai.config()).findings.filter((finding) => finding.severity === "error");
  assertEquals(errors, []);
  const events = hai.events();
  assertEquals(events.map((event) => event.seq), events.map((_, i) => i + 1));
  const ids = new Set(events.map((event) => event.event_id));
  // An approval is used up together with what it allows, or not at all.
  const types = events.map((event) => event.event_type);
  const passed = events.filter((event) => event.event_type === "owner_gate_passed");
  assert(passed.length > 0, "no approval was used");
  assertEquals(types.filter((type) => type === "next_step_accepted").length, passed.length);
  for (const { challenge_id } of passed) {
    assertEquals(hai.json(`home/owner/challenges/${challenge_id}.json`).status, "consumed");
    assertEquals(hai.json(`owner/tally/${challenge_id}.json`).over, true);
  }
  assert(hai.read("project/Projek-Managment/NEXT_STEP.md").startsWith("# step\n"));
  const acked = seen.flatMap((ack) => ack.event ?? []);
  assertEquals(new Set(acked).size, acked.length);
  for (const id of acked) assert(ids.has(id), `acknowledged event ${id} is lost`);
  const intakes = hai.names("home/intake").map((name) => name.replace(".json", ""));
  const ackedIntakes = seen.flatMap((ack) => ack.intake ?? []);
  for (const id of ackedIntakes) assert(intakes.includes(id), `acknowledged intake ${id} is lost`);
  // A call that was killed may have been carried out without an answer, once.
  assert(intakes.length <= ackedIntakes.length + lost, "an intake is doubled");
  for (const { path } of seen) if (path !== undefined) Deno.statSync(path);
}

Deno.test("two processes with 100 mixed calls each lose and double nothing", async () => {
  const hai = new HaiHome();
  try {
    hai.write("project/log", "x");
    const outputs = await Promise.all([start(hai, 100), start(hai, 100)].map((p) => p.output()));
    const seen = outputs.flatMap((output) => acks(output.stdout));
    assertEquals(seen.length, 200);
    const surprising = seen.filter((ack) =>
      ack.error !== undefined &&
      ![
        "active_mission_exists",
        "max_active_lanes",
        "unknown_lane",
        "parallel_session_denied",
        "mission_not_active",
        "lease_revoked",
        "invalid_args",
        "owner_gate_required",
      ].includes(ack.error)
    );
    assertEquals(surprising, []);
    hai.unixMs = Date.now();
    await check(hai, seen, 0);
  } finally {
    hai.remove();
  }
});

Deno.test("kills at random points leave a state that parses, with nothing lost", async () => {
  const hai = new HaiHome();
  try {
    hai.write("project/log", "x");
    const seen: Ack[] = [];
    let lost = 0;
    while (lost < KILLS) {
      const victim = start(hai, 100_000);
      const reader = victim.stdout.getReader();
      const chunks: number[] = [];
      const target = 1 + Math.floor(Math.random() * 25); // Lines before the kill.
      for (let lines = 0; lines < target;) {
        const { value, done } = await reader.read();
        if (done) break;
        lines += value.filter((byte) => byte === 10).length;
        chunks.push(...value);
      }
      victim.kill("SIGKILL");
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        chunks.push(...value);
      }
      await victim.status;
      lost++;
      seen.push(...acks(Uint8Array.from(chunks)));
      hai.unixMs = Date.now();
      assertEquals((await hai.call("hai_health")).audit.ok, true, `after kill ${lost}`);
      // A mission that was left open would keep every later process from opening one.
      const { active_mission_id: mission_id } = await hai.call("hai_status");
      if (mission_id !== null) {
        const closed = await hai.call("hai_proof", {
          mission_id,
          contract_version: 1,
          outcome_summary: "s",
          evidence: { "dc-1": { path: "log", stale_reason: "written before the test" } },
        });
        assertEquals(closed.closed, true, `after kill ${lost}`);
        seen.push({ name: "hai_proof", ok: true, event: closed.audit_event_id });
      }
    }
    await check(hai, seen, lost);
  } finally {
    hai.remove();
  }
});
