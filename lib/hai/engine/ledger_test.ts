/**
 * Ledger, pointer and chain when they contradict themselves.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { assertRefused, haiCase, type HaiHome } from "../../../tests/util/hai_home.ts";
import { diagnose } from "../../commands/hai/hai_repair_command.ts";
import { HaiShell } from "../shell/hai_shell.ts";

async function block(hai: HaiHome): Promise<string> {
  hai.restart({ HAI_LEARNING_EVIDENCE_ROOT: hai.project("study") });
  const args = { topic: "t", intended_output_path: "a.md" };
  const { block_id } = await hai.call("hai_learning_start", args);
  return `home/learning/blocks/${block_id}`;
}

const SPOILS: readonly [string, (hai: HaiHome, dir: string) => void][] = [
  ["a block that is completed and abandoned", (hai, dir) => {
    const started = hai.json(`${dir}/started.json`);
    const { block_id, topic } = started;
    const end = { block_id, topic, owner_ack: true };
    hai.write(
      `${dir}/completed.json`,
      JSON.stringify({
        ...end,
        record_type: "learning_block_completed",
        evidence: [{ path: "/a", sha256: "x", bytes: 1 }],
        completed_at: "x",
        credit_delta: 2,
      }),
    );
    hai.write(
      `${dir}/abandoned.json`,
      JSON.stringify({
        ...end,
        record_type: "learning_block_abandoned",
        reason: "r",
        abandoned_at: "x",
        credit_delta: 0,
      }),
    );
  }],
  [
    "a record of another block",
    (hai, dir) => hai.edit(`${dir}/started.json`, (r) => r.block_id = "LB"),
  ],
  [
    "a block that was never started",
    (hai, dir) => Deno.removeSync(`${hai.root}/${dir}/started.json`),
  ],
  ["a folder that is no block", (hai) => void hai.write("home/learning/blocks/x/y", "")],
  ["two active blocks", (hai, dir) => {
    const other = "LB-20260901T090000-00000000";
    hai.write(
      `home/learning/blocks/${other}/started.json`,
      JSON.stringify({ ...hai.json(`${dir}/started.json`), block_id: other }),
    );
  }],
];

for (const [name, spoil] of SPOILS) {
  haiCase("loadLedger()", `does not credit ${name}`, async (hai) => {
    const dir = await block(hai);
    spoil(hai, dir);
    const args = { topic: "t", intended_output_path: "b.md" };
    assertRefused(await hai.call("hai_learning_start", args), "learning_state_invalid");
    const status = await hai.call("hai_learning_status");
    assertEquals([status.worker_capacity, status.credit_balance], [1, 0]);
    const kinds = diagnose(hai.config()).findings.map((finding) => finding.kind);
    assertEquals(kinds.includes("ledger"), true);
  });
}

haiCase("examine()", "finds a pointer to nothing and a mission nobody points to", async (hai) => {
  const { mission_id } = await hai.open();
  const findings = () =>
    diagnose(hai.config()).findings.map(({ severity, kind }) => `${severity} ${kind}`);
  const pointer = hai.read("home/missions/active_mission.json");
  hai.edit(
    "home/missions/active_mission.json",
    (r) => Object.assign(r, { mission_id: null, status: "none" }),
  );
  assertEquals(findings(), ["error pointer"]);
  hai.write("home/missions/active_mission.json", pointer);
  hai.edit(`home/missions/${mission_id}/mission.json`, (r) => r.status = "completed");
  assertEquals(findings(), ["error mission"]);
});

haiCase("verifyChain()", "names what is wrong with a chain", async (hai) => {
  await hai.open({ artifact: "" });
  await hai.open({ artifact: "" });
  const [first, second] = hai.events();
  const head = hai.read("home/audit/HEAD.json");
  const problem = async () => {
    hai.restart();
    const { audit } = await hai.call("hai_health");
    return audit.problem;
  };
  const rows: [string, (record: Record<string, unknown>) => void][] = [
    ["names no audit event", (r) => r.event_id = "../x"],
    ["not event", (r) => r.event_id = first.event_id],
    ["hash does not match", (r) => r.event_hash = "sha256:00"],
    ["missing from the audit chain", (r) => r.event_id = "A-20260101T000000-00000000"],
    ["not event 3", (r) => r.seq = 3],
  ];
  for (const [expected, spoil] of rows) {
    hai.write("home/audit/HEAD.json", head);
    hai.edit("home/audit/HEAD.json", spoil);
    assertEquals(String(await problem()).includes(expected), true, expected);
  }
  hai.write("home/audit/HEAD.json", head);
  hai.write("home/audit/A-20260101T000000-00000000.json", JSON.stringify(second));
  assertEquals(await problem(), undefined, "a stray event is no part of the chain");
  const strays = diagnose(hai.config()).findings.map((finding) => finding.problem);
  assertEquals(strays.some((text) => text.includes("not part of the chain")), true);
});

haiCase("HaiShell", "says when the state cannot be used, and stays up", async (hai) => {
  const call = (home: string) => {
    const config = { ...hai.config(), home };
    return new HaiShell(config, { version: "0", unixMs: () => 0 }).call("hai_health", {});
  };
  hai.write("file", "x");
  for (const home of ["relative", `${hai.root}/file`, `${hai.root}/file/below`, "/proc/nothing"]) {
    const reply = await call(home);
    assertEquals([reply.ok, reply.error], [false, "state_unavailable"], home);
  }
  await hai.call("hai_status");
  const lock = Deno.openSync(`${hai.home}/.mission.lock`, { write: true });
  Deno.removeSync(`${hai.home}/inbox`, { recursive: true });
  hai.write("home/inbox", "a file");
  assertRefused(await hai.call("hai_park", { text: "t" }), "state_unavailable");
  hai.faults.length = 0; // Reported, as it should be.
  lock.close();
});
