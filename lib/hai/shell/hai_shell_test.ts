/**
 * Breaking the control plane: forged approvals, tampered state, corrupt files,
 * slow channels, restarts. Each test names what an agent or a crash might try.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type Answer,
  assertRefused,
  haiCase,
  type HaiHome,
  LEGACY,
} from "../../../tests/util/hai_home.ts";
import { recordHash, sha256 } from "../state/hashes.ts";
import type { Delivery, OwnerNotice } from "../call/owner_notice.ts";
import { TOOLS } from "../tools/tools.ts";
import { touchIdChannel } from "./touch_id_channel.ts";

function accept(hai: HaiHome, more: Record<string, unknown> = {}): Promise<Answer> {
  return hai.call("hai_accept_next_step", {
    project_path: hai.project(),
    content: "# do the thing",
    ...more,
  });
}

const challengePath = (id: string) => `home/owner/challenges/${id}.json`;

haiCase("passGate()", "does not take a challenge whose code hash was replaced", async (hai) => {
  const asked = await accept(hai);
  hai.edit(challengePath(asked.challenge_id), (record) => {
    record.salt = "00";
    record.code_hash = sha256("00:AAAA-AAAA");
    delete record.kdf;
    delete record.seal;
  });
  const forged = await accept(hai, { owner_code: "AAAA-AAAA" });
  assertEquals(forged.detail, "no_pending_challenge");
});

haiCase("passGate()", "does not take an approval somebody wrote into the state", async (hai) => {
  const asked = await accept(hai);
  hai.edit(challengePath(asked.challenge_id), (record) => record.status = "approved");
  const next = await accept(hai);
  assertRefused(next, "owner_gate_required");
  assert(next.challenge_id !== asked.challenge_id, "the owner is asked anew");
});

haiCase("passGate()", "does not take a used challenge that was put back", async (hai) => {
  const asked = await accept(hai);
  const owner_code = hai.code(asked.challenge_id);
  const pending = hai.read(challengePath(asked.challenge_id));
  assertEquals((await accept(hai, { owner_code })).ok, true);
  hai.write(challengePath(asked.challenge_id), pending);
  assertEquals((await accept(hai, { owner_code })).detail, "no_pending_challenge");
});

haiCase("passGate()", "counts tries over restarts, and seals the count", async (hai) => {
  const asked = await accept(hai);
  const code = hai.code(asked.challenge_id);
  const wrong = code.startsWith("2") ? "3333-3333" : "2222-2222";
  for (let i = 0; i < 2; i++) {
    await accept(hai, { owner_code: wrong });
    hai.restart();
  }
  hai.edit(challengePath(asked.challenge_id), (record) => record.attempts = 0);
  assertEquals((await accept(hai, { owner_code: wrong })).detail, "no_pending_challenge");
});

haiCase(
  "passGate()",
  "a code for one change does not pass another of the same project",
  async (hai) => {
    const first = await accept(hai);
    const second = await accept(hai, { content: "# other" });
    const swapped = await accept(hai, {
      content: "# other",
      owner_code: hai.code(first.challenge_id),
    });
    assertEquals(swapped.detail, "invalid_owner_code");
    assertEquals((await accept(hai, { owner_code: hai.code(second.challenge_id) })).ok, false);
  },
);

haiCase("passGate()", "another reason before an approval asks the owner anew", async (hai) => {
  const first = await accept(hai, { reason: "a" });
  const second = await accept(hai, { reason: "b" });
  assert(second.challenge_id !== first.challenge_id);
  const old = await accept(hai, { reason: "a", owner_code: hai.code(first.challenge_id) });
  assertEquals(old.detail, "reason_mismatch");
  assertStringIncludes(hai.read(`owner/${second.challenge_id}.txt`), "reason: b");
});

haiCase("passGate()", "the owner's text cannot be spoofed by the content", async (hai) => {
  const content = "# x\nexpires: never\n\u001b[2K\u202eHAI owner code: AAAA-AAAA";
  const { challenge_id } = await accept(hai, { content });
  const text = hai.read(`owner/${challenge_id}.txt`);
  assertStringIncludes(text, "  expires: never");
  assertStringIncludes(text, "<U+001B>");
  assertEquals(text.match(/^HAI owner code:/gm)?.length, 1);
});

haiCase("passGate()", "without the owner's folder nothing passes", async (hai) => {
  const asked = await accept(hai);
  const owner_code = hai.code(asked.challenge_id);
  Deno.removeSync(hai.ownerHome, { recursive: true });
  assertEquals((await accept(hai, { owner_code })).ok, false);
  hai.write("owner/owner.key", "not a key");
  assertRefused(await accept(hai, { content: "y" }), "owner_channel_unavailable");
});

haiCase("hai_open_mission", "strict policy: opening and completing need the owner", async (hai) => {
  hai.restart({ HAI_OWNER_POLICY: "strict" });
  const asked = await hai.open();
  assertRefused(asked, "owner_gate_required");
  assertEquals(asked.action, "open_mission");
  const wider = await hai.open({ constraints: null, owner_code: hai.code(asked.challenge_id) });
  assertEquals(wider.detail, "no_pending_challenge");
  const { mission_id } = await hai.open({ owner_code: hai.code(asked.challenge_id) });
  hai.write("project/log", "x");
  const prove = (more: Record<string, unknown> = {}) =>
    hai.call("hai_proof", {
      mission_id,
      contract_version: 1,
      outcome_summary: "s",
      evidence: { "dc-1": { path: "log" } },
      ...more,
    });
  const waiting = await prove();
  assertEquals([waiting.error, waiting.action], ["owner_gate_required", "complete_mission"]);
  const owner_code = hai.code(waiting.challenge_id);
  hai.write("project/log", "changed after the owner was asked");
  assertEquals((await prove({ owner_code })).detail, "no_pending_challenge");
  hai.write("project/log", "x");
  assertEquals((await prove({ owner_code })).closed, true);
});

haiCase("readHaiConfig()", "a misspelt policy is the strict one", async (hai) => {
  hai.restart({ HAI_OWNER_POLICY: "strikt" });
  const health = await hai.call("hai_health");
  assertEquals(health.owner_policy, "strict");
  assertStringIncludes(health.config_warnings.join(), "HAI_OWNER_POLICY");
});

haiCase("hai_learning_complete", "strict policy: credits need the owner", async (hai) => {
  hai.restart({ HAI_OWNER_POLICY: "strict", HAI_LEARNING_EVIDENCE_ROOT: hai.project("study") });
  hai.write("study/a.md", "x");
  const started = { topic: "t", intended_output_path: "a.md" };
  const { block_id } = await hai.call("hai_learning_start", started);
  hai.pass(1500);
  const complete = (more: Record<string, unknown> = {}) =>
    hai.call("hai_learning_complete", {
      block_id,
      own_activity: "o",
      learned: "l",
      open_question: "q",
      evidence_paths: ["a.md"],
      owner_ack: true,
      ...more,
    });
  const asked = await complete();
  assertEquals(asked.action, "complete_learning");
  assertEquals((await complete({ owner_code: hai.code(asked.challenge_id) })).credits_minted, 2);
});

/** Tools of a working mission, all of which must refuse. */
async function refuseAll(hai: HaiHome, mission_id: string, session_id: string, file: string) {
  const calls: [string, Record<string, unknown>][] = [
    ["hai_check_activity", { session_id, activity_step: "s", criterion_id: "dc-1" }],
    ["hai_get_contract", { session_id }],
    ["hai_proof", { mission_id, contract_version: 1, outcome_summary: "s", evidence: {} }],
  ];
  const before = hai.files("home");
  for (const [name, args] of calls) {
    const refused = await hai.call(name, args);
    assertRefused(refused, "state_corrupt");
    assertStringIncludes(refused.file, file, name);
    assertStringIncludes(refused.hint, "hai-mcp doctor");
  }
  assertEquals(hai.files("home"), before);
}

haiCase(
  "loadContract()",
  "a contract changed by hand is corrupt, whatever its hash says",
  async (hai) => {
    const { mission_id } = await hai.open();
    const { session_id } = await hai.authorize(mission_id);
    const path = `home/missions/${mission_id}/contracts/v1.json`;
    hai.edit(path, (contract) => contract.constraints.allowed_paths = []);
    await refuseAll(hai, mission_id, session_id, "v1.json");
    // With a new hash it is consistent again, but not what the audit trail names.
    hai.edit(path, (contract) => contract.contract_hash = recordHash(contract, "contract_hash"));
    await refuseAll(hai, mission_id, session_id, "v1.json");
    hai.restart();
    assertRefused(await hai.authorize(mission_id), "state_corrupt", "not the contract");
  },
);

haiCase(
  "verifyChain()",
  "a changed, lost or rolled back event stops every writing tool",
  async (hai) => {
    const { mission_id } = await hai.open();
    const { session_id } = await hai.authorize(mission_id);
    const check = { session_id, activity_step: "s", criterion_id: "dc-1" };
    await hai.call("hai_check_activity", check); // After the last checkpoint.
    const first = hai.events().at(-1);
    const path = `home/audit/${first.event_id}.json`;
    const [event, head] = [hai.read(path), hai.read("home/audit/HEAD.json")];
    hai.edit(path, (record) => record.at = "2026-01-01T00:00:00Z");
    hai.restart();
    await refuseAll(hai, mission_id, session_id, first.event_id);
    const health = await hai.call("hai_health");
    assertEquals([health.ok, health.audit.ok], [true, false]);
    assertEquals((await hai.call("hai_list_audit")).chain_ok, false);
    Deno.removeSync(`${hai.root}/${path}`);
    await refuseAll(hai, mission_id, session_id, first.event_id);
    hai.write(path, event);
    assertEquals((await hai.call("hai_check_activity", check)).ok, true);
    hai.write("home/audit/HEAD.json", head); // The check's own event is gone from the chain.
    const back = await hai.call("hai_check_activity", check);
    assertRefused(back, "state_corrupt", "went back");
    Deno.removeSync(`${hai.home}/audit/HEAD.json`);
    hai.restart();
    assertRefused(await hai.call("hai_check_activity", check), "state_corrupt", "HEAD.json");
  },
);

/** Files a fresh working state has, each to be spoiled. */
const FILES = [
  "ACTIVE_CONTEXT.json",
  "missions/active_mission.json",
  "missions/M/mission.json",
  "missions/M/contracts/v1.json",
  "missions/M/sessions/S.json",
  "audit/HEAD.json",
  "core/projects.json",
];

for (const spoiled of ["{", "", "[]", "null", '{"version": 2}', "\xff\xfe"]) {
  haiCase(
    "HaiShell",
    `never crashes on a file that holds ${JSON.stringify(spoiled)}`,
    async (hai) => {
      const constraints = { project_id: "eval", device_id: "desk", project_path: hai.project() };
      const { mission_id } = await hai.open({ constraints });
      const { session_id } = await hai.authorize(mission_id, { device_id: "desk" });
      await accept(hai);
      for (const file of FILES) {
        const path = file.replace("/M/", `/${mission_id}/`)
          .replace("/S.", `/${session_id}.`);
        const good = hai.read(`home/${path}`);
        const bytes = Uint8Array.from(spoiled, (letter) => letter.charCodeAt(0));
        Deno.writeFileSync(`${hai.home}/${path}`, bytes);
        hai.restart();
        const replies: Answer[] = [];
        for (const [name, args] of everything(hai, mission_id, session_id)) {
          replies.push(await hai.call(name, args));
        }
        const corrupt = replies.filter((reply) => reply.error === "state_corrupt");
        assert(corrupt.length > 0, `no tool noticed ${path}`);
        for (const reply of corrupt) assert(String(reply.file).endsWith(path), reply.file);
        assertEquals(replies.some((reply) => reply.error === "internal_error"), false);
        hai.write(`home/${path}`, good);
      }
    },
  );
}

function everything(hai: HaiHome, mission_id: string, session_id: string) {
  return [
    ["hai_health", {}],
    ["hai_status", {}],
    ["hai_get_mission", {}],
    ["hai_list_sessions", {}],
    ["hai_list_audit", {}],
    ["hai_get_contract", { session_id }],
    ["hai_accept_next_step", { project_path: hai.project(), content: "# do the thing" }],
    ["hai_set_focus", { focus_id: "never-there", project_path: "/nowhere" }],
    ["hai_authorize_session", { mission_id }],
    ["hai_recover", {}],
  ] as const;
}

haiCase("HaiShell", "keeps everyone else served while the owner is told", async (hai) => {
  const told = Promise.withResolvers<OwnerNotice>();
  const answer = Promise.withResolvers<Delivery>();
  const channel = {
    name: "slow",
    deliver(notice: OwnerNotice) {
      told.resolve(notice);
      return answer.promise;
    },
  };
  const slow = new (hai.shell.constructor as typeof import("./hai_shell.ts").HaiShell)(
    hai.config(),
    { version: "0", unixMs: () => hai.unixMs, channel },
  );
  const args = { project_path: hai.project(), content: "x" };
  const first = slow.call("hai_accept_next_step", args);
  const notice = await told.promise;
  assertEquals((await hai.call("hai_status")).pending_owner_challenges, 1);
  const meanwhile: Answer = await slow.call("hai_accept_next_step", args);
  assertEquals(meanwhile.challenge_id, notice.challengeId);
  answer.resolve({ kind: "sent", record: {} });
  assertEquals((await first).challenge_id, notice.challengeId);
});

haiCase("HaiShell", "asks anew when the server died while telling the owner", async (hai) => {
  const dead = new (hai.shell.constructor as typeof import("./hai_shell.ts").HaiShell)(
    hai.config(),
    {
      version: "0",
      unixMs: () => hai.unixMs,
      channel: { name: "dead", deliver: () => Promise.reject(new Error("killed")) },
    },
  );
  const args = { project_path: hai.project(), content: "# do the thing" };
  assertEquals((await dead.call("hai_accept_next_step", args)).ok, false);
  hai.pass(91);
  const asked = await accept(hai);
  assertEquals((await accept(hai, { owner_code: hai.code(asked.challenge_id) })).ok, true);
});

function touch(status: number | "timeout", os = "darwin", helper: string | undefined = "/helper") {
  return touchIdChannel({
    helper,
    os,
    timeoutSeconds: 60,
    fallback: undefined,
    run: () => Promise.resolve({ status }),
  });
}

for (
  const [name, channel, error, status] of [
    ["an approval at the sensor", touch(0), "owner_gate_required", "owner_approved"],
    ["a denial", touch(1), "owner_gate_required", "denied"],
    ["no answer", touch("timeout"), "owner_channel_unavailable", undefined],
    ["a helper that cannot ask", touch(3), "owner_channel_unavailable", undefined],
    ["another system", touch(0, "linux"), "owner_channel_unavailable", undefined],
    ["no helper", touch(0, "darwin", ""), "owner_channel_unavailable", undefined],
  ] as const
) {
  haiCase("touchIdChannel()", name, async (hai) => {
    const asked = await accept(hai, { reason: "r" });
    assertRefused(asked, error);
    assertEquals(asked.status, status);
    const again = await accept(hai, { content: "# do the thing", reason: "r" });
    assertEquals(again.ok === true, status === "owner_approved");
    if (status === "owner_approved") {
      assertEquals((await accept(hai, { reason: "r" })).status, "owner_approved", "single use");
      assertEquals((await accept(hai, { content: "# other" })).ok, false);
    }
  }, {
    channel: name === "no helper"
      ? touchIdChannel({ helper: undefined, os: "darwin", timeoutSeconds: 1, fallback: undefined })
      : channel,
  });
}

haiCase(
  "hai_release_session",
  "frees a place, once; renewing lengthens a valid lease",
  async (hai) => {
    const { mission_id } = await hai.open();
    const { session_id, session_lease } = await hai.authorize(mission_id);
    hai.pass(60);
    const shorter = await hai.call("hai_renew_session", { session_id, duration_minutes: 1 });
    assertEquals(shorter.expires_at, session_lease.expires_at, "renewing never shortens");
    const longer = await hai.call("hai_renew_session", { session_id, duration_minutes: 9999 });
    assertEquals(longer.expires_at, "2026-09-02T08:01:00Z");
    assertEquals((await hai.call("hai_list_sessions")).active_count, 1);
    assertEquals((await hai.call("hai_release_session", { session_id })).status, "released");
    assertRefused(await hai.call("hai_release_session", { session_id }), "lease_revoked");
    assertRefused(
      await hai.call("hai_renew_session", { session_id, duration_minutes: 1 }),
      "lease_revoked",
    );
    assertEquals((await hai.authorize(mission_id)).ok, true);
  },
);

haiCase(
  "checkDeadline()",
  "after the time limit nothing is in scope and no lease is granted",
  async (hai) => {
    const { mission_id } = await hai.open({
      constraints: { project_path: hai.project(), time_limit_hours: 1.5, max_parallel_sessions: 2 },
    });
    const { session_id } = await hai.authorize(mission_id, { duration_minutes: 1440 });
    const check = () =>
      hai.call("hai_drift_check", { session_id, activity_step: "s", criterion_id: "dc-1" });
    hai.pass(5400);
    assertEquals((await check()).classification, "in_scope");
    hai.pass(1);
    const late = await check();
    assertRefused(late, "time_limit_exceeded");
    assertEquals([late.classification, late.required_action], ["unclear", "pause"]);
    assertRefused(await hai.authorize(mission_id), "time_limit_exceeded");
    const renewal = { session_id, duration_minutes: 5 };
    assertRefused(await hai.call("hai_renew_session", renewal), "time_limit_exceeded");
    hai.write("project/log", "x");
    const evidence = { "dc-1": { path: "log" } };
    const proof = { mission_id, contract_version: 1, outcome_summary: "s", evidence };
    assertEquals(
      (await hai.call("hai_proof", proof)).closed,
      true,
      "late work can still be proven",
    );
  },
);

haiCase(
  "hai_recontract",
  "partial constraints leave the rest; a missing root can be given",
  async (hai) => {
    const { mission_id } = await hai.open({
      constraints: { allowed_paths: ["src"], capabilities: ["read"], time_limit_hours: 2 },
    });
    const change = (changes: Record<string, unknown>, contract_version: number) =>
      hai.call("hai_recontract", {
        mission_id,
        contract_version,
        reason: "r",
        changes,
        owner_ack: true,
      });
    const more = await change({ constraints: { max_parallel_sessions: 2 } }, 1);
    assertEquals(more.contract.constraints, {
      owner: "ana",
      project_id: null,
      project_path: null,
      allowed_paths: ["src"],
      capabilities: ["read"],
      max_parallel_sessions: 2,
      time_limit_hours: 2,
    });
    const rooted = await change({ constraints: { project_path: hai.project() } }, 2);
    assertEquals(rooted.contract.constraints.project_path, hai.project());
    const moved = await change({
      constraints: { project_path: hai.project("b"), capabilities: ["test"] },
    }, 3);
    assertEquals(moved.contract.constraints.project_path, hai.project(), "but not moved");
  },
  LEGACY,
);

haiCase("hai_drop_lane", "makes room for another lane", async (hai) => {
  for (const focus_id of ["a", "b"]) await hai.call("hai_set_focus", { focus_id });
  assertRefused(await hai.call("hai_drop_lane", { focus_id: "c" }), "unknown_lane");
  const left = await hai.call("hai_drop_lane", { focus_id: "b" });
  assertEquals([left.focus_id, left.active_count], ["a", 1]);
  assertEquals((await hai.call("hai_set_focus", { focus_id: "c" })).active_count, 2);
});

haiCase("hai_list_records", "reads back everything that was captured", async (hai) => {
  const { intake_id } = await hai.call("hai_intake", { raw: "raw text" });
  await hai.call("hai_distill", { intake_id, decision: "d", next_step: "n", parklist: ["p"] });
  await hai.call("hai_stop", { day: "d", loop_closed: true, clearer: "", agency_gained: "" });
  await hai.call("hai_checkpoint", { note: "n" });
  const listed: Record<string, Answer> = {};
  for (const kind of ["intake", "distillation", "stop", "checkpoint", "inbox", "parked"]) {
    listed[kind] = (await hai.call("hai_list_records", { kind })).records[0];
  }
  assertEquals(listed.intake.raw, "raw text");
  assertEquals([listed.distillation.next_step, listed.stop.day], ["n", "d"]);
  assertEquals([listed.checkpoint.note, listed.parked], ["n", undefined]);
  assertStringIncludes(listed.inbox.text, "# Parked thought");
});

haiCase("hai_get_mission", "shows mission, contract and sessions after a restart", async (hai) => {
  assertEquals((await hai.call("hai_get_mission")).active, false);
  const { mission_id, contract } = await hai.open();
  await hai.authorize(mission_id);
  hai.restart();
  const shown = await hai.call("hai_get_mission");
  assertEquals([shown.mission_id, shown.contract], [mission_id, contract]);
  assertEquals(shown.sessions[0].remaining_seconds, 5400);
});

haiCase("hai_accept_next_step", "keeps a proposal that is not what was accepted", async (hai) => {
  const project_path = hai.project();
  await hai.call("hai_propose_next_step", { project_path, content: "# proposed" });
  const args = { project_path, content: "# other", reason: "r", owner_ack: true };
  assertEquals((await hai.call("hai_accept_next_step", args)).ok, true);
  const kept = hai.names("project/Projek-Managment/history")
    .find((name) => name.endsWith("_proposed.md"));
  assertStringIncludes(hai.read(`project/Projek-Managment/history/${kept}`), "# proposed");
}, LEGACY);

haiCase("checkArgs()", "refuses unknown and nested unknown arguments by name", async (hai) => {
  const unknown = await hai.call("hai_status", { project: "x" });
  assertEquals([unknown.field, unknown.problem], ["project", "unknown_argument"]);
  const nested = await hai.open({ constraints: { allowed_path: ["src"] } });
  assertEquals(nested.field, "constraints.allowed_path");
  const item = await hai.open({ done_criteria: [{ id: 7, description: "x", weight: 2 }] });
  assertEquals(item.issues.map((issue: Answer) => issue.field), [
    "done_criteria.0.id",
    "done_criteria.0.weight",
  ]);
  const proto = JSON.parse('{"constraints": {"__proto__": {"allowed_paths": []}}}');
  assertEquals((await hai.open(proto)).field, "constraints.__proto__");
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const args = { session_id: "S", activity_step: "s", evidence: { deep } };
  assertRefused(await hai.call("hai_check_activity", args), "invalid_args", "nested");
});

haiCase("hai_mission_start", "names constraints that it does not know", async (hai) => {
  const constraints = { python: ">=3.12", branch: "slice/eval-determinism" };
  const refused = await hai.call("hai_mission_start", { ...EXAMPLE, constraints });
  assertRefused(refused, "invalid_args", "unknown argument constraints.python");
  assertEquals(refused.issues.map((issue: Answer) => issue.field), [
    "constraints.python",
    "constraints.branch",
  ]);
});

const EXAMPLE = {
  problem: "Refactor the evaluator harness to be deterministic.",
  artifact: "Pull request titled 'evaluator: deterministic harness'.",
  done_criteria: [
    { id: "C1", description: "Two A/B cases produce identical verdicts on three reruns." },
    { id: "C2", description: "Harness runs offline; no live network calls." },
  ],
  owner: "samuel",
  time_limit_hours: 6,
  non_goals: ["Do not touch the MCP server.", "Do not change contract shapes."],
};

haiCase(
  "hai_proof",
  "an example runs from opening to proof, or says how to fix it",
  async (hai) => {
    const fixed = { project_path: hai.project(), allowed_paths: ["tests"] };
    const { mission_id } = await hai.call("hai_mission_start", { ...EXAMPLE, constraints: fixed });
    const lease = {
      mission_id,
      contract_version: 1,
      agent_identity: "codex-cli",
      role: "implementer",
      contribution: "Deterministic A/B harness",
      expected_result: "Green pytest with frozen inputs.",
      duration_minutes: 90,
      criterion_ids: ["C1", "C2"],
      device_id: "mbp-mirgraatin",
      harness_id: "codex-cli/0.45",
    };
    const named = await hai.call("hai_authorize_session", lease);
    assertRefused(named, "invalid_args", 'try \\"codex-cli-0-45\\"');
    const granted = await hai.call("hai_authorize_session", {
      ...lease,
      harness_id: "codex-cli-0-45",
    });
    const verdict = await hai.call("hai_check_activity", {
      session_id: granted.session_id,
      activity_step: "Replace random.seed with a seeded fixture in tests/test_eval_ab.py",
      criterion_id: "C1",
      affected_paths: ["tests/test_eval_ab.py", "tests/fixtures/ab/case1.json"],
    });
    assertEquals(verdict.classification, "in_scope");
    const evidence = {
      C1: { command: "pytest tests/test_eval_ab.py -q", exit_code: 0, reruns: [0, 0, 0] },
      C2: { command: "pytest tests/test_eval_ab.py -q --offline", exit_code: 0 },
    };
    const proof = { mission_id, contract_version: 1, outcome_summary: "s", evidence };
    const open = await hai.call("hai_proof", proof);
    assertEquals([open.status, open.closed], ["incomplete", false]);
    assertStringIncludes(open.invalid_evidence[0].message, '"path"');
    hai.write("project/tests/run.log", "ok");
    const path = "tests/run.log";
    const done = await hai.call("hai_proof", {
      ...proof,
      evidence: { C1: { ...evidence.C1, path }, C2: { ...evidence.C2, path } },
    });
    assertEquals(done.closed, true);
  },
);

haiCase(
  "TOOLS",
  "annotations say what a tool does, and reading tools write nothing",
  async (hai) => {
    await hai.open();
    const before = hai.files("home");
    for (const tool of TOOLS.values()) {
      assert(tool.title !== "" && tool.description.length > 20);
      if (tool.effect === "reads") {
        await hai.call(tool.name, tool.name === "hai_list_records" ? { kind: "intake" } : {});
      }
    }
    assertEquals(hai.files("home"), before);
  },
);

haiCase("passGate()", "counts tries that were put back, and ends at the third", async (hai) => {
  const asked = await accept(hai);
  const fresh = hai.read(challengePath(asked.challenge_id));
  const owner_code = hai.code(asked.challenge_id);
  const wrong = owner_code.startsWith("2") ? "3333-3333" : "2222-2222";
  const left: unknown[] = [];
  for (let i = 0; i < 4; i++) {
    const miss = await accept(hai, { owner_code: wrong });
    left.push(miss.attempts_remaining ?? miss.detail);
    hai.write(challengePath(asked.challenge_id), fresh);
  }
  assertEquals(left, [2, 1, 0, "no_pending_challenge"]);
  assertEquals((await accept(hai, { owner_code })).detail, "no_pending_challenge");
});

haiCase("hai_open_mission", "legacy: opening never moves a mount, strict or not", async (hai) => {
  for (const policy of ["standard", "strict"]) {
    hai.restart({ HAI_OWNER_POLICY: policy });
    const open = (path: string) =>
      hai.open({ constraints: { project_id: "eval", device_id: "desk", project_path: path } });
    const { mission_id } = await open(hai.project());
    await hai.call("hai_close_mission", {
      mission_id,
      contract_version: 1,
      closure: "abandoned",
      outcome_summary: "s",
      device_id: "desk",
      owner_ack: true,
    });
    assertRefused(await open(hai.project("other")), "owner_gate_required", "hai_bind_project");
  }
}, LEGACY);
