/**
 * Several processes at once on one state: of what may happen once, one succeeds.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { diagnose } from "../../lib/commands/hai/hai_repair_command.ts";
import { type Answer, HaiHome } from "../util/hai_home.ts";

const RACER = new URL("../util/hai_racer.ts", import.meta.url).pathname;

/** Makes calls from processes of their own, all let go at once. */
async function race(hai: HaiHome, calls: readonly [string, Answer][]): Promise<Answer[]> {
  const racers = calls.map(([name, args]) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "-A", RACER, name, JSON.stringify(args), String(hai.unixMs)],
      env: { HAI_HOME: hai.home, HAI_OWNER_HOME: hai.ownerHome },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    return { child, lines: child.stdout.pipeThrough(new TextDecoderStream()).getReader() };
  });
  for (const { lines } of racers) assertEquals((await lines.read()).value, "ready\n");
  await Promise.all(racers.map(({ child }) => child.stdin.close()));
  return await Promise.all(racers.map(async ({ child, lines }) => {
    let text = "";
    for (let part = await lines.read(); !part.done; part = await lines.read()) text += part.value;
    await child.status;
    return JSON.parse(text);
  }));
}

function racing(name: string, run: (hai: HaiHome) => Promise<void>): void {
  Deno.test(`${name}, four processes`, async () => {
    const hai = new HaiHome();
    try {
      await run(hai);
      assertEquals(diagnose(hai.config()).findings, []);
      const seqs = hai.events().map((event) => event.seq);
      assertEquals(seqs, seqs.map((_, i) => i + 1));
    } finally {
      hai.remove();
    }
  });
}

const outcomes = (replies: Answer[]) => replies.map((reply) => reply.error ?? "ok").sort();

racing("one mission is opened", async (hai) => {
  const terms = hai.terms();
  const replies = await race(hai, Array.from({ length: 4 }, () => ["hai_open_mission", terms]));
  const busy = "active_mission_exists";
  assertEquals(outcomes(replies), [busy, busy, busy, "ok"]);
});

racing("a lease for one goes to one", async (hai) => {
  const { mission_id } = await hai.open();
  const wish = {
    mission_id,
    contract_version: 1,
    agent_identity: "a",
    role: "r",
    contribution: "c",
    expected_result: "e",
    duration_minutes: 5,
    criterion_ids: ["dc-1"],
  };
  const replies = await race(hai, Array.from({ length: 4 }, () => ["hai_authorize_session", wish]));
  const full = "parallel_session_denied";
  assertEquals(outcomes(replies), ["ok", full, full, full]);
  assertEquals(hai.names(`home/missions/${mission_id}/sessions`).length, 1);
});

racing("an approval passes once, and a right code beside wrong ones", async (hai) => {
  const args = { project_path: hai.project(), content: "# step" };
  const { challenge_id } = await hai.call("hai_accept_next_step", args);
  const owner_code = hai.code(challenge_id);
  const wrong = owner_code.startsWith("2") ? "3333-3333" : "2222-2222";
  const call = (code: string): [string, Answer] => [
    "hai_accept_next_step",
    { ...args, owner_code: code },
  ];
  const replies = await race(hai, [call(owner_code), call(owner_code), call(wrong), call(wrong)]);
  assertEquals(replies.filter((reply) => reply.ok).length, 1);
  const accepted = hai.eventTypes().filter((type) => type === "next_step_accepted");
  assertEquals(accepted.length, 1);
});

racing("wrong codes are all counted", async (hai) => {
  const args = { project_path: hai.project(), content: "# step" };
  const { challenge_id } = await hai.call("hai_accept_next_step", args);
  const owner_code = hai.code(challenge_id);
  const wrong = owner_code.startsWith("2") ? "3333-3333" : "2222-2222";
  const guess: [string, Answer] = ["hai_accept_next_step", { ...args, owner_code: wrong }];
  const replies = await race(hai, [guess, guess, guess, guess]);
  assertEquals(replies.map((reply) => reply.attempts_remaining ?? -1).sort(), [-1, 0, 1, 2]);
  const late = await hai.call("hai_accept_next_step", { ...args, owner_code });
  assertEquals(late.detail, "no_pending_challenge");
});

racing("a close and a recontract do not both succeed", async (hai) => {
  const { mission_id } = await hai.open();
  hai.write("project/log", "x");
  const change = {
    mission_id,
    contract_version: 1,
    reason: "r",
    changes: { objective: "another" },
  };
  const asked = await hai.call("hai_recontract", change);
  const owner_code = hai.code(asked.challenge_id);
  const proof = {
    mission_id,
    contract_version: 1,
    outcome_summary: "s",
    evidence: { "dc-1": { path: "log" } },
  };
  const replies = await race(hai, [
    ["hai_recontract", { ...change, owner_code }],
    ["hai_proof", proof],
    ["hai_proof", proof],
    ["hai_recontract", { ...change, owner_code }],
  ]);
  assertEquals(replies.filter((reply) => reply.ok).length, 1);
  assert(
    ["completed", "active"].includes(hai.json(`home/missions/${mission_id}/mission.json`).status),
  );
});
