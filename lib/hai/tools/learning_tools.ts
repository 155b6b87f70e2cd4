/**
 * Learning blocks: the owner practises by hand, and that gives capacity.
 *
 * @module
 */

import { z } from "zod";
import type { CallContext } from "../call/call_context.ts";
import { stampSeconds, utcStamp } from "../state/ids.ts";
import {
  balanceOf,
  type Block,
  capacityOf,
  findBlock,
  isActive,
  LEARNING_POLICY,
  loadLedger,
  saveBlockRecord,
} from "../ledger/learning.ts";
import { Passed, passGate } from "../owner/owner_gate.ts";
import { expandHome, isAbsolute, isWithin, join } from "../state/path_text.ts";
import { isOwnState } from "../mission/projects.ts";
import { Hashing } from "../mission/proof.ts";
import { BLOCK_ABANDONED, BLOCK_COMPLETED } from "../state/records.ts";
import { Refusal } from "../state/refusal.ts";
import {
  checkText,
  defineTool,
  firstRefusal,
  literalTrue,
  optionalText,
  text,
  texts,
  type Tool,
} from "../call/tool.ts";

const ACK = literalTrue("Literally true: the owner did this.");

const start = defineTool({
  name: "hai_learning_start",
  title: "Start a learning block",
  description: "Starts a block of the owner's own practice; one at a time.",
  effect: "adds",
  input: z.strictObject({
    topic: text("What is practised."),
    intended_output_path: text("File it will end in, under HAI_LEARNING_EVIDENCE_ROOT."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    status: z.literal("active"),
    block_id: z.string(),
    topic: z.string(),
    intended_output_path: z.string(),
    started_at: z.string(),
    minimum_completion_at: z.string(),
    minimum_learning_minutes: z.int(),
  }),
  run(ctx, args) {
    const blank = checkText("topic", args.topic);
    if (blank !== undefined) return blank;
    const path = studyPath(ctx, "intended_output_path", args.intended_output_path);
    if (path instanceof Refusal) return path;
    if (ctx.world.disk.kind(path) === "directory") {
      return new Refusal("invalid_args", "intended_output_path is a directory", {
        field: "intended_output_path",
      });
    }
    const ledger = loadLedger(ctx.tx);
    if (ledger instanceof Refusal) return ledger;
    const running = ledger.blocks.find(isActive);
    if (running !== undefined) {
      return new Refusal("learning_block_active", "A learning block is running", {
        active_block_id: running.started.block_id,
      });
    }
    activate(ctx);
    const minutes = LEARNING_POLICY.minimum_learning_minutes;
    const record = {
      record_type: "learning_block_started",
      block_id: ctx.id("LB"),
      topic: args.topic.trim(),
      intended_output_path: path,
      started_at: ctx.utc,
      minimum_completion_at: utcStamp((stampSeconds(ctx.utc) + minutes * 60) * 1000),
      minimum_learning_minutes: minutes,
    };
    saveBlockRecord(ctx, "started", record);
    return { ok: true, status: "active", ...record };
  },
});

const complete = defineTool({
  name: "hai_learning_complete",
  title: "Complete a learning block",
  description: "Completes a learning block with reflections and evidence. Needs owner_ack, and " +
    "the owner's approval with the strict policy.",
  effect: "adds",
  asksOwner: true,
  input: z.strictObject({
    block_id: text("The block."),
    own_activity: text("What the owner did by hand."),
    learned: text("What was learned."),
    open_question: text("What is still open."),
    evidence_paths: texts("Files that show it; at least one.", 200).min(1),
    owner_ack: ACK,
    owner_code: optionalText("The owner's code, with the strict policy."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    status: z.literal("completed"),
    block_id: z.string(),
    credits_minted: z.int(),
    credit_balance: z.int(),
    record: BLOCK_COMPLETED,
  }),
  run(ctx, args) {
    const refused = checkOwnerAck(args.owner_ack) ?? firstRefusal(
      ...(["own_activity", "learned", "open_question"] as const)
        .map((field) => checkText(field, args[field])),
    );
    if (refused !== undefined) return refused;
    const ledger = loadLedger(ctx.tx);
    if (ledger instanceof Refusal) return ledger;
    const block = openBlock(ctx, findBlock(ledger, args.block_id), { minimum: true });
    if (block instanceof Refusal) return block;
    const evidence = studyEvidence(ctx, args.evidence_paths);
    if (evidence instanceof Refusal) return evidence;
    const { block_id, topic } = block.started;
    const credits = LEARNING_POLICY.writer_credits_per_learning_block;
    const reflections = {
      own_activity: args.own_activity.trim(),
      learned: args.learned.trim(),
      open_question: args.open_question.trim(),
    };
    const passed = ctx.config.policy === "strict" && ctx.config.gate === "nonce"
      ? passGate(ctx, {
        action: "complete_learning",
        subject: { block_id, ...reflections, evidence },
        reason: reflections.own_activity,
        summary: `Credit learning block ${block_id}`,
        preview: { block_id, topic, ...reflections, evidence },
        code: args.owner_code,
      })
      : new Passed({}, null);
    if (!(passed instanceof Passed)) return passed;
    const record = {
      record_type: "learning_block_completed" as const,
      block_id,
      topic,
      ...reflections,
      evidence,
      completed_at: ctx.utc,
      credit_delta: credits,
      owner_ack: true as const,
    };
    saveBlockRecord(ctx, "completed", record);
    return {
      ok: true,
      status: "completed",
      block_id,
      credits_minted: credits,
      credit_balance: balanceOf(ledger) + credits,
      record,
    };
  },
});

const abandon = defineTool({
  name: "hai_learning_abandon",
  title: "Abandon a learning block",
  description: "Ends a learning block without credit. Needs owner_ack.",
  effect: "adds",
  input: z.strictObject({ block_id: text("The block."), reason: text("Why."), owner_ack: ACK }),
  output: z.looseObject({
    ok: z.literal(true),
    status: z.literal("abandoned"),
    block_id: z.string(),
    credits_minted: z.literal(0),
    record: BLOCK_ABANDONED,
  }),
  run(ctx, args) {
    const refused = checkOwnerAck(args.owner_ack) ?? checkText("reason", args.reason);
    if (refused !== undefined) return refused;
    const ledger = loadLedger(ctx.tx);
    if (ledger instanceof Refusal) return ledger;
    const found = findBlock(ledger, args.block_id);
    if (found?.abandoned !== undefined) {
      return new Refusal("learning_block_already_abandoned", "This block is abandoned already");
    }
    const block = openBlock(ctx, found, { minimum: false });
    if (block instanceof Refusal) return block;
    const { block_id, topic } = block.started;
    const record = {
      record_type: "learning_block_abandoned" as const,
      block_id,
      topic,
      reason: args.reason.trim(),
      abandoned_at: ctx.utc,
      credit_delta: 0 as const,
      owner_ack: true as const,
    };
    saveBlockRecord(ctx, "abandoned", record);
    return { ok: true, status: "abandoned", block_id, credits_minted: 0, record };
  },
});

const status = defineTool({
  name: "hai_learning_status",
  title: "Learning and capacity",
  description:
    "Shows credits, worker capacity, the running block and whether limits are suspended.",
  effect: "reads",
  input: z.strictObject({}),
  output: z.looseObject({
    ok: z.literal(true),
    worker_capacity: z.int(),
    credit_balance: z.int(),
    learning_blocks_until_next_slot: z.int().nullable(),
    suspension: z.looseObject({ suspended: z.boolean() }),
    capacity_degraded_reason: z.string().optional(),
    active_block_id: z.string().nullable(),
    policy: z.record(z.string(), z.int()),
  }),
  run(ctx) {
    const ledger = loadLedger(ctx.tx);
    const running = ledger instanceof Refusal ? undefined : ledger.blocks.find(isActive);
    return {
      ok: true,
      ...capacityOf(ctx.tx, ctx.world.unixMs),
      active_block_id: running?.started.block_id ?? null,
      policy: LEARNING_POLICY,
    };
  },
});

/** Learning tools, in the order they are listed. */
export const LEARNING_TOOLS: readonly Tool[] = [start, complete, abandon];

/** Learning tools of ours. */
export const ADDED_LEARNING_TOOLS: readonly Tool[] = [status];

function checkOwnerAck(ack: unknown): Refusal | undefined {
  return ack === true
    ? undefined
    : new Refusal("owner_gate_required", "owner_ack must be literally true", {
      field: "owner_ack",
    });
}

function activate(ctx: CallContext): void {
  const path = ctx.tx.at("learning", "activation.json");
  if (ctx.tx.text(path) !== undefined) return;
  ctx.tx.put(path, {
    record_type: "learning_budget_activated",
    policy_version: 2,
    activated_at: ctx.utc,
    credit_delta: LEARNING_POLICY.initial_writer_credits,
  });
}

function openBlock(
  ctx: CallContext,
  block: Block | undefined,
  { minimum }: { readonly minimum: boolean },
): Block | Refusal {
  if (block === undefined) {
    return new Refusal("invalid_args", "block_id names no learning block", { field: "block_id" });
  }
  if (block.completed !== undefined) {
    return new Refusal("learning_block_already_completed", "This block is completed already");
  }
  if (block.abandoned !== undefined) {
    return new Refusal("learning_block_abandoned", "This block was abandoned");
  }
  const earliest = block.started.minimum_completion_at;
  if (!minimum || ctx.utc >= earliest) return block;
  return new Refusal("learning_time_required", `This block can be completed from ${earliest}`, {
    minimum_completion_at: earliest,
    remaining_seconds: Math.ceil(stampSeconds(earliest) - ctx.world.unixMs / 1000),
  });
}

function studyPath(ctx: CallContext, field: string, given: string): string | Refusal {
  const refuse = (message: string) => new Refusal("invalid_args", message, { field, path: given });
  const { evidenceRoot, userHome } = ctx.config;
  const { disk } = ctx.world;
  if (given.trim() === "" || given.includes("\0")) {
    return refuse(`${field} must not be blank or contain NUL`);
  }
  const root = evidenceRoot === undefined ? undefined : disk.realPath(evidenceRoot);
  if (root === undefined || disk.kind(root) !== "directory") {
    return refuse("HAI_LEARNING_EVIDENCE_ROOT names no folder, so there is no place for evidence");
  }
  const expanded = expandHome(given.trim(), userHome);
  const path = isAbsolute(expanded) ? expanded : join(root, expanded);
  if (disk.kind(path) === "symlink") return refuse(`${field} is a symlink`);
  const real = disk.realPath(path);
  if (real === undefined || !isWithin(root, real) || isOwnState(ctx, real)) {
    return refuse(`${field} leads out of the evidence root`);
  }
  return real;
}

function studyEvidence(ctx: CallContext, paths: readonly string[]) {
  const evidence: { path: string; sha256: string; bytes: number }[] = [];
  const hashing = new Hashing(ctx.world.disk);
  for (const given of paths) {
    const path = studyPath(ctx, "evidence_paths", given);
    if (path instanceof Refusal) return path;
    const facts = hashing.facts(path);
    if (facts === undefined || facts === "too much" || facts.bytes === 0) {
      return new Refusal(
        "invalid_args",
        `evidence must be regular files with content, at most 1 GiB in all: "${given}"`,
        {
          field: "evidence_paths",
          path: given,
        },
      );
    }
    evidence.push({ path, sha256: `sha256:${facts.sha256}`, bytes: facts.bytes });
  }
  return evidence;
}
