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
  isRunning,
  LEARNING_POLICY,
  loadLedger,
  saveBlockRecord,
} from "../ledger/learning.ts";
import { Passed, passGate } from "../owner/owner_gate.ts";
import { studyEvidence, studyPath } from "../ledger/study_files.ts";
import { BLOCK_ABANDONED, BLOCK_COMPLETED } from "../state/records.ts";
import { CallRefusal } from "../state/refusal.ts";
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
    if (path instanceof CallRefusal) return path;
    if (ctx.world.disk.kind(path) === "directory") {
      return new CallRefusal("invalid_args", "intended_output_path is a directory", {
        field: "intended_output_path",
      });
    }
    const ledger = loadLedger(ctx.tx);
    if (ledger instanceof CallRefusal) return ledger;
    const running = ledger.blocks.find(isRunning);
    if (running !== undefined) {
      return new CallRefusal("learning_block_active", "A learning block is running", {
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
    if (ledger instanceof CallRefusal) return ledger;
    const block = openBlock(ctx, findBlock(ledger, args.block_id), { minimum: true });
    if (block instanceof CallRefusal) return block;
    const evidence = studyEvidence(ctx, args.evidence_paths);
    if (evidence instanceof CallRefusal) return evidence;
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
    if (ledger instanceof CallRefusal) return ledger;
    const found = findBlock(ledger, args.block_id);
    if (found?.abandoned !== undefined) {
      return new CallRefusal("learning_block_already_abandoned", "This block is abandoned already");
    }
    const block = openBlock(ctx, found, { minimum: false });
    if (block instanceof CallRefusal) return block;
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
    const running = ledger instanceof CallRefusal ? undefined : ledger.blocks.find(isRunning);
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

/** Learning tools beyond the contract. */
export const ADDED_LEARNING_TOOLS: readonly Tool[] = [status];

function checkOwnerAck(ack: unknown): CallRefusal | undefined {
  return ack === true
    ? undefined
    : new CallRefusal("owner_gate_required", "owner_ack must be literally true", {
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
): Block | CallRefusal {
  if (block === undefined) {
    return new CallRefusal("invalid_args", "block_id names no learning block", {
      field: "block_id",
    });
  }
  if (block.completed !== undefined) {
    return new CallRefusal("learning_block_already_completed", "This block is completed already");
  }
  if (block.abandoned !== undefined) {
    return new CallRefusal("learning_block_abandoned", "This block was abandoned");
  }
  const earliest = block.started.minimum_completion_at;
  if (!minimum || ctx.utc >= earliest) return block;
  return new CallRefusal("learning_time_required", `This block can be completed from ${earliest}`, {
    minimum_completion_at: earliest,
    remaining_seconds: Math.ceil(stampSeconds(earliest) - ctx.world.unixMs / 1000),
  });
}
