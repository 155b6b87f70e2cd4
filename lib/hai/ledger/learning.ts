/**
 * The learning ledger: blocks of the owner's own practice, and the credits and
 * worker capacity they give.
 *
 * The files of a block define it. Any contradiction makes
 * the ledger invalid; capacity then falls to the floor instead of failing.
 *
 * @module
 */

import type { z } from "zod";
import type { CallContext } from "../call/call_context.ts";
import { isId } from "../state/ids.ts";
import { readSuspension, type Suspension } from "./limits.ts";
import { ACTIVATION, BLOCK_ABANDONED, BLOCK_COMPLETED, BLOCK_STARTED } from "../state/records.ts";
import { CallRefusal, StateCorruptError, type ToolReply } from "../state/refusal.ts";
import type { Transaction } from "../state/transaction.ts";

/** Credits and capacity of learning. The values are ours: none were published. */
export const LEARNING_POLICY = {
  minimum_learning_minutes: 25,
  writer_credits_per_learning_block: 2,
  initial_writer_credits: 0,
  worker_capacity_floor: 1,
  worker_capacity_cap: 4,
  worker_slots_per_learning_block: 1,
} as const;

type Started = z.infer<typeof BLOCK_STARTED>;

/** One block with its end, if it has one. */
export interface Block {
  readonly started: Started;
  readonly completed: z.infer<typeof BLOCK_COMPLETED> | undefined;
  readonly abandoned: z.infer<typeof BLOCK_ABANDONED> | undefined;
}

/** The whole ledger. */
export interface Ledger {
  readonly blocks: readonly Block[];
  readonly activationCredits: number;
}

/**
 * Reads the ledger.
 *
 * @param tx Where it is read.
 * @returns The ledger, or `learning_state_invalid` naming what contradicts.
 */
export function loadLedger(tx: Transaction): Ledger | CallRefusal {
  try {
    const activation = tx.record(tx.at("learning", "activation.json"), ACTIVATION);
    const names = tx.list(tx.at("learning", "blocks"));
    const blocks = names.map((name) => loadBlock(tx, name));
    if (blocks.filter(isRunning).length > 1) {
      return invalid("several blocks are active", tx.at("learning", "blocks"));
    }
    return { blocks, activationCredits: activation?.credit_delta ?? 0 };
  } catch (error) {
    if (error instanceof StateCorruptError) return invalid(error.message, error.file);
    throw error;
  }
}

/** Whether a block still runs. */
export function isRunning(block: Block): boolean {
  return block.completed === undefined && block.abandoned === undefined;
}

/** The block of an id; undefined when there is none. */
export function findBlock(ledger: Ledger, blockId: string): Block | undefined {
  return ledger.blocks.find((block) => block.started.block_id === blockId);
}

/** Credits there are to spend; nothing spends them yet. */
export function balanceOf(ledger: Ledger): number {
  return ledger.blocks.reduce(
    (sum, { completed }) => sum + (completed?.credit_delta ?? 0),
    ledger.activationCredits,
  );
}

/** How many workers may run. */
interface Capacity {
  readonly worker_capacity: number;
  readonly credit_balance: number;
  readonly learning_blocks_until_next_slot: number | null;
  readonly suspension: Suspension;
  readonly capacity_degraded_reason?: string;
}

/**
 * Works out the capacity. Never throws: a broken ledger gives the floor.
 *
 * @param tx Where the ledger is read.
 * @param unixMs Now.
 * @returns The capacity.
 */
export function capacityOf(tx: Transaction, unixMs: number): Capacity {
  const { worker_capacity_floor: floor, worker_capacity_cap: cap } = LEARNING_POLICY;
  const suspension = readSuspension(tx, unixMs);
  const ledger = loadLedger(tx);
  if (ledger instanceof CallRefusal) {
    return {
      worker_capacity: suspension.suspended ? cap : floor,
      credit_balance: 0,
      learning_blocks_until_next_slot: 1,
      suspension,
      capacity_degraded_reason: ledger.message,
    };
  }
  const completed = ledger.blocks.filter((block) => block.completed !== undefined).length;
  const slots = completed * LEARNING_POLICY.worker_slots_per_learning_block;
  const earned = floor + Math.min(slots, cap - floor);
  const capacity = suspension.suspended ? cap : earned;
  return {
    worker_capacity: capacity,
    credit_balance: balanceOf(ledger),
    learning_blocks_until_next_slot: capacity >= cap ? null : 1,
    suspension,
  };
}

/** Writes one record of a block. */
export function saveBlockRecord(
  ctx: CallContext,
  name: "started" | "completed" | "abandoned",
  record: ToolReply & { readonly block_id: string },
): void {
  ctx.tx.put(blockPath(ctx.tx, record.block_id, name), record);
}

function loadBlock(tx: Transaction, name: string): Block {
  const dir = tx.at("learning", "blocks", name);
  if (!isId("LB", name)) throw new StateCorruptError(dir, "it is no learning block");
  const started = tx.record(blockPath(tx, name, "started"), BLOCK_STARTED);
  if (started === undefined) throw new StateCorruptError(dir, "it was never started");
  const completed = tx.record(blockPath(tx, name, "completed"), BLOCK_COMPLETED);
  const abandoned = tx.record(blockPath(tx, name, "abandoned"), BLOCK_ABANDONED);
  if (completed !== undefined && abandoned !== undefined) {
    throw new StateCorruptError(dir, "it is both completed and abandoned");
  }
  for (const record of [started, completed, abandoned]) {
    if (record !== undefined && (record.block_id !== name || record.topic !== started.topic)) {
      throw new StateCorruptError(dir, "its records belong to different blocks");
    }
  }
  return { started, completed, abandoned };
}

function blockPath(tx: Transaction, blockId: string, name: string): string {
  return tx.at("learning", "blocks", blockId, `${name}.json`);
}

function invalid(message: string, file: string): CallRefusal {
  return new CallRefusal(
    "learning_state_invalid",
    `The learning ledger contradicts itself: ${message}`,
    {
      file,
    },
  );
}
