/**
 * Cases HAI-149 to HAI-156: learning, limits, recall.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { CallContext } from "../call/call_context.ts";
import { type Answer, assertRefused, haiCase, type HaiHome } from "../../../tests/util/hai_home.ts";
import { recordHash } from "../state/hashes.ts";
import { capacityOf } from "./learning.ts";
import { recallReport, resolveItem, type ResolveWish } from "./recall.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";

function study(hai: HaiHome): void {
  hai.restart({ HAI_LEARNING_EVIDENCE_ROOT: hai.project("study") });
}

function start(hai: HaiHome, path = "exceptions.md"): Promise<Answer> {
  return hai.call("hai_learning_start", { topic: "exceptions", intended_output_path: path });
}

function complete(hai: HaiHome, block_id: string, more: Record<string, unknown> = {}) {
  return hai.call("hai_learning_complete", {
    block_id,
    own_activity: "wrote examples",
    learned: "finally always runs",
    open_question: "custom fields?",
    evidence_paths: ["exceptions.md"],
    owner_ack: true,
    ...more,
  });
}

haiCase("HAI-149", "one learning block at a time", async (hai) => {
  assertRefused(await start(hai), "invalid_args", "HAI_LEARNING_EVIDENCE_ROOT");
  study(hai);
  hai.project("study/dir");
  hai.write("far.md", "x");
  Deno.symlinkSync(`${hai.root}/far.md`, `${hai.root}/study/link.md`);
  for (const path of ["dir", "link.md", "../far.md", " ", "a\0"]) {
    assertRefused(await start(hai, path), "invalid_args", "intended_output_path");
  }
  const started = await start(hai);
  assert(/^LB-20260901T080000-[0-9a-f]{8}$/.test(started.block_id));
  assertEquals(started.minimum_completion_at, "2026-09-01T08:25:00Z");
  const second = await start(hai);
  assertRefused(second, "learning_block_active");
  assertEquals(second.active_block_id, started.block_id);
});

haiCase("HAI-150", "25 minutes and evidence give 2 credits, once", async (hai) => {
  study(hai);
  const { block_id } = await start(hai);
  assertEquals((await hai.call("hai_learning_status")).credit_balance, 0);
  for (const owner_ack of [false, 1, "true"]) {
    assertRefused(await complete(hai, block_id, { owner_ack }), "owner_gate_required");
  }
  const early = await complete(hai, block_id);
  assertRefused(early, "learning_time_required");
  assertEquals(early.remaining_seconds, 1500);
  hai.pass(1500);
  assertRefused(await complete(hai, block_id), "invalid_args", "evidence");
  hai.write("study/exceptions.md", "notes");
  assertRefused(await complete(hai, block_id, { learned: " " }), "invalid_args", "learned");
  assertRefused(await complete(hai, block_id, { evidence_paths: [] }), "invalid_args");
  const done = await complete(hai, block_id);
  assertEquals([done.credits_minted, done.credit_balance], [2, 2]);
  assertEquals(done.record.evidence[0].bytes, 5);
  assertRefused(await complete(hai, block_id), "learning_block_already_completed");
  const status = await hai.call("hai_learning_status");
  assertEquals([status.worker_capacity, status.credit_balance, status.active_block_id], [
    2,
    2,
    null,
  ]);
});

haiCase("HAI-151", "abandoning needs ack and gives nothing", async (hai) => {
  study(hai);
  const { block_id } = await start(hai);
  const abandon = (owner_ack?: unknown) =>
    hai.call("hai_learning_abandon", { block_id, reason: "interrupted", owner_ack });
  assertRefused(await abandon(), "owner_gate_required");
  const done = await abandon(true);
  assertEquals([done.status, done.credits_minted], ["abandoned", 0]);
  assertRefused(await abandon(true), "learning_block_already_abandoned");
  assertRefused(await complete(hai, block_id), "learning_block_abandoned");
  assertRefused(await complete(hai, "LB-20260901T080000-00000000"), "invalid_args", "block_id");
});

/** Runs something on the state as the owner's commands do. */
function onState<T>(hai: HaiHome, work: (ctx: CallContext) => T): Promise<T> {
  return hai.shell.hold(work);
}

function capacity(hai: HaiHome) {
  return onState(hai, (ctx) => capacityOf(ctx.tx, ctx.world.unixMs));
}

haiCase("HAI-152", "a broken ledger gives the floor and says why", async (hai) => {
  study(hai);
  const { block_id } = await start(hai);
  hai.write(`home/learning/blocks/${block_id}/started.json`, "{");
  const degraded = await capacity(hai);
  assertEquals(degraded.worker_capacity, 1);
  assert(degraded.capacity_degraded_reason?.includes("started.json"));
  assertRefused(await start(hai), "learning_state_invalid", "started.json");
  const status = await hai.call("hai_learning_status");
  assertEquals([status.ok, status.worker_capacity], [true, 1]);
});

const SUSPENDED = {
  record_type: "limits_suspended",
  at: "2026-09-01T07:00:00Z",
  reason: "release week",
  until: "2026-09-01T20:00:00Z",
};
const RESTORED = { record_type: "limits_restored", at: "2026-09-01T07:30:00Z" };

haiCase("HAI-153", "a live suspension gives the cap; nothing else does", async (hai) => {
  await hai.call("hai_status");
  const log = (...lines: (ToolReply | string)[]) =>
    hai.write(
      "home/logbook/limits.jsonl",
      lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n") + "\n",
    );
  const rows: [string, (ToolReply | string)[], number][] = [
    ["live", [SUSPENDED], 4],
    ["after a torn line", ['{"record_type":"limits_susp', SUSPENDED], 4],
    ["before a torn line", [SUSPENDED, '{"record_type":"limits_rest'], 4],
    ["before another record", [SUSPENDED, { record_type: "note" }], 4],
    ["expired", [{ ...SUSPENDED, until: "2026-09-01T08:00:00Z" }], 1],
    ["restored", [SUSPENDED, RESTORED], 1],
    ["without a reason", [{ ...SUSPENDED, reason: " " }], 1],
    ["without an end", [{ ...SUSPENDED, until: "some day" }], 1],
  ];
  for (const [name, lines, expected] of rows) {
    log(...lines);
    assertEquals((await capacity(hai)).worker_capacity, expected, name);
  }
  log(SUSPENDED);
  Deno.renameSync(`${hai.home}/logbook/limits.jsonl`, `${hai.root}/limits.jsonl`);
  Deno.symlinkSync(`${hai.root}/limits.jsonl`, `${hai.home}/logbook/limits.jsonl`);
  assertEquals((await capacity(hai)).worker_capacity, 1, "through a link");
});

/** Ids of the open items by backlog. */
async function open(hai: HaiHome, limit = 3): Promise<Record<string, string[]>> {
  const report: Answer = await onState(hai, (ctx) => recallReport(ctx, limit));
  return Object.fromEntries(
    report.backlogs.map((backlog: Answer) => [
      backlog.backlog,
      backlog.shown.map((item: Answer) => item.item_id),
    ]),
  );
}

async function parkItem(hai: HaiHome): Promise<string> {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  const { parking_id } = await hai.call("hai_park_item", {
    idea: "cache fixtures",
    origin_session_id: session_id,
    trigger_event: "t",
    mission_id,
    rationale: "later",
  });
  return parking_id;
}

haiCase("HAI-154", "three backlogs; distilling moves an item from one to another", async (hai) => {
  const parked = await parkItem(hai);
  const { intake_id } = await hai.call("hai_intake", { raw: "x" });
  assertEquals(await open(hai), {
    next_step_open: [],
    parking_open: [parked],
    intake_untriaged: [intake_id],
  });
  const { distill_id } = await hai.call("hai_distill", {
    intake_id,
    decision: "d",
    next_step: "n",
  });
  assertEquals(await open(hai), {
    next_step_open: [distill_id],
    parking_open: [parked],
    intake_untriaged: [],
  });
});

haiCase("HAI-155", "relevance comes before age, then the oldest; three are shown", async (hai) => {
  await hai.call("hai_set_focus", { focus_id: "evaluator-harness", label: "Evaluator" });
  const ids: string[] = [];
  for (const raw of ["first", "second", "the evaluator of things", "fourth"]) {
    ids.push((await hai.call("hai_intake", { raw })).intake_id);
    hai.pass(86400);
  }
  const [first = "", second = "", third = "", fourth = ""] = ids;
  assertEquals((await open(hai)).intake_untriaged, [third, first, second]);
  assertEquals((await open(hai, 9)).intake_untriaged, [third, first, second, fourth]);
  const report: Answer = await onState(hai, (ctx) => recallReport(ctx, 1));
  const { open: count, shown } = report.backlogs[2];
  assertEquals([report.open_total, count, shown.length], [4, 4, 1]);
  assertEquals([shown[0].age_days, shown[0].relevance], [2, 1]);
});

haiCase("HAI-156", "resolving adds a record to a chain and never edits the item", async (hai) => {
  const item = await parkItem(hai);
  const { intake_id } = await hai.call("hai_intake", { raw: "x" });
  const before = hai.read(`home/parking/${item}.json`);
  const resolve = (more: Partial<ResolveWish>): Promise<Answer> =>
    onState(hai, (ctx) => {
      const wish = { itemId: item, outcome: "dropped", why: "no need", missionId: null, ...more };
      const result = resolveItem(ctx, wish);
      return result instanceof CallRefusal ? result.toReply() : result;
    });
  assertRefused(await resolve({ why: " " }), "invalid_args", "why");
  assertRefused(await resolve({ outcome: "forgotten" }), "invalid_args", "--as");
  assertRefused(await resolve({ itemId: "../x" }), "invalid_args");
  assertRefused(await resolve({ itemId: "P-20260101T000000-00000000" }), "unknown_item");
  assertRefused(await resolve({ outcome: "promoted" }), "invalid_args", "--mission");
  assertRefused(await resolve({ outcome: "promoted", missionId: "x" }), "invalid_args", "mission");
  const first = await resolve({});
  assertRefused(await resolve({}), "already_resolved");
  const second = await resolve({ itemId: intake_id, outcome: "resolved" });
  assertEquals(hai.read(`home/parking/${item}.json`), before);
  assertEquals(await open(hai), { next_step_open: [], parking_open: [], intake_untriaged: [] });
  const { resolution } = second;
  assertEquals([first.resolution.seq, resolution.seq], [1, 2]);
  assertEquals(resolution.prev_resolution_id, first.resolution.resolution_id);
  assertEquals(resolution.prev_hash, first.resolution.record_hash);
  assertEquals(recordHash(resolution, "record_hash"), resolution.record_hash);
  assertEquals(hai.json("home/resolutions/HEAD.json"), {
    seq: 2,
    resolution_id: resolution.resolution_id,
    record_hash: resolution.record_hash,
  });
  Deno.removeSync(`${hai.home}/resolutions/${first.resolution.resolution_id}.json`);
  assertEquals((await open(hai)).parking_open, [item]);
});
