/**
 * The engine: state and a call in, a reply and changes out. It holds no state
 * except how far the audit chain is verified, and the trail of missions in it.
 *
 * A call that throws changes nothing. A refusal may carry changes: an expired
 * lease is retired, a wrong code is counted.
 *
 * @module
 */

import { verifyChain } from "../trail/audit.ts";
import { type AuditMark, EMPTY_CHAIN } from "../trail/audit_mark.ts";
import { type Pin, PIN_NOTE, weakness } from "../trail/pin.ts";
import {
  CallContext,
  type CallWorld,
  OwnerAsking,
  type ToolOutcome,
} from "../call/call_context.ts";
import type { Change } from "../state/disk_port.ts";
import { contextRecord } from "../mission/lanes.ts";
import { settleDelivery } from "../owner/owner_gate.ts";
import type { Delivery, OwnerNotice } from "../call/owner_notice.ts";
import {
  CallRefusal,
  corruptRefusal,
  SealError,
  StateCorruptError,
  type ToolReply,
} from "../state/refusal.ts";
import { TOOLS } from "../tools/tools.ts";
import { Trail } from "../trail/trail.ts";
import { OutsideRootError, Transaction } from "../state/transaction.ts";

/** The result of a call: changes and an answer. */
export interface CallOutcome {
  /** Changes to write, all or none. */
  readonly changes: readonly Change[];
  /** The reply, or the owner to be told before there is one. */
  readonly answer:
    | { readonly kind: "reply"; readonly reply: ToolReply }
    | { readonly kind: "ask"; readonly notice: OwnerNotice; readonly extra: ToolReply };
}

/** The world of a call, before the audit chain was looked at. */
export type BareWorld = Omit<CallWorld, "chain" | "pin">;

/** Events after which a checkpoint is due, when none of them was noted. */
const CHECKPOINT_EVENTS = 1000;

/** The engine. */
export class Engine {
  #trail = new Trail();
  #mark: AuditMark = EMPTY_CHAIN;
  /** The chain was seen to reach this far. */
  #reached: AuditMark = EMPTY_CHAIN;
  /** The last checkpoint: written or read. */
  #saved: AuditMark | undefined;
  #pin: Pin | undefined;

  /**
   * Carries out one call on the state as it is now.
   *
   * @param bare The world.
   * @param home Real path of the state root.
   * @param call Tool and arguments.
   * @returns What the call amounts to.
   */
  call(
    bare: BareWorld,
    home: string,
    call: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
  ): CallOutcome {
    const tool = TOOLS.get(call.name);
    const tx = new Transaction(bare.disk, home);
    return guarded(tx, () => {
      if (tool === undefined) return new CallRefusal("invalid_args", `No tool "${call.name}"`);
      const world = this.#enter(bare, tx);
      if (tool.effect !== "reads") {
        const refused = foreignState(world, tx);
        if (refused !== undefined) return refused;
        if ("fault" in world.chain) return corruptRefusal(world.chain.fault);
      }
      return tool.call(world, tx, call.args);
    });
  }

  /**
   * Carries on after the owner was told.
   *
   * @param bare The world, now.
   * @param home Real path of the state root.
   * @param told The challenge, what came of it, and members of the reply.
   * @returns What the first call is answered.
   */
  settle(
    bare: BareWorld,
    home: string,
    told: { readonly challengeId: string; readonly delivery: Delivery; readonly extra: ToolReply },
  ): CallOutcome {
    const tx = new Transaction(bare.disk, home);
    return guarded(tx, () => {
      const world = this.#enter(bare, tx);
      if ("fault" in world.chain) return corruptRefusal(world.chain.fault);
      const ctx = new CallContext(world, tx);
      return settleDelivery(ctx, told.challengeId, told.delivery).with(told.extra);
    });
  }

  /**
   * Opens a call of the owner's own commands: the trail is verified, no tool is involved.
   *
   * @param bare The world.
   * @param home Real path of the state root.
   * @returns The context.
   */
  open(bare: BareWorld, home: string): CallContext {
    const tx = new Transaction(bare.disk, home);
    return new CallContext(this.#enter(bare, tx), tx);
  }

  /**
   * Notes that changes were carried out: a chain that is shorter from now on was cut. Where the
   * owner has a key, a checkpoint of the chain is written when one is due.
   *
   * @param bare The world.
   * @param home Real path of the state root.
   */
  commit(bare: BareWorld, home: string): void {
    const { chain } = this.#enter(bare, new Transaction(bare.disk, home));
    const key = this.#pin === undefined ? undefined : bare.vault.existingKey();
    if ("fault" in chain || key === undefined || !this.#isCheckpointDue(chain.mark)) return;
    bare.vault.saveCheckpoint(key, { mark: chain.mark, trail: this.#trail.snapshot() });
    this.#saved = chain.mark;
    this.#trail.noted = 0;
  }

  #isCheckpointDue({ seq }: AuditMark): boolean {
    return this.#trail.noted > 0 || seq - (this.#saved?.seq ?? 0) >= CHECKPOINT_EVENTS;
  }

  #enter(bare: BareWorld, tx: Transaction): CallWorld {
    const pin = bare.vault.pin();
    if (this.#pin === undefined && pin !== undefined) this.#startFrom(bare);
    this.#pin = pin;
    return { ...bare, pin, chain: this.#verify(tx) };
  }

  /** Goes on from the checkpoint in the owner's folder, if it is ahead. */
  #startFrom(bare: BareWorld): void {
    const checkpoint = this.#mark.seq === 0 ? bare.vault.checkpoint() : undefined;
    if (checkpoint === undefined) return;
    this.#trail = new Trail();
    this.#trail.restore(checkpoint.trail);
    this.#mark = this.#reached = this.#saved = checkpoint.mark;
  }

  #verify(tx: Transaction): CallWorld["chain"] {
    try {
      const end = verifyChain(tx, this.#mark, { trail: this.#trail, pin: this.#pin });
      const { seq, eventHash } = this.#reached;
      if (end.seq < seq || (end.seq === seq && end.eventHash !== eventHash)) {
        const file = tx.at("audit", "HEAD.json");
        throw new StateCorruptError(file, `the chain went back behind its event ${seq}`);
      }
      this.#mark = this.#reached = end;
      return { mark: end, trail: this.#trail };
    } catch (error) {
      if (error instanceof StateCorruptError) return { fault: error };
      throw error;
    }
  }
}

/** Refuses to change a state that another owner's key seals, or to serve it with a weaker gate. */
function foreignState({ config, pin }: CallWorld, tx: Transaction): CallRefusal | undefined {
  const note = pin === undefined ? pinNote(tx) : undefined;
  const why = pin === undefined
    ? note === undefined
      ? undefined
      : `HAI_OWNER_HOME holds no pin of this state; it is sealed with the owner's key ${note.key_id}`
    : weakness(config, pin);
  if (why === undefined) return undefined;
  return new CallRefusal("weaker_gate", `This server may not change the state: ${why}`, {
    hint: "Use the owner's folder and settings of the first server; the owner changes them with " +
      "'hai-mcp owner pin'",
  });
}

function pinNote(tx: Transaction) {
  try {
    return tx.record(tx.at("owner", "pin.json"), PIN_NOTE);
  } catch (error) {
    if (error instanceof StateCorruptError) return undefined; // It only warns; the seals decide.
    throw error;
  }
}

/**
 * Writes the first files of a fresh state root: empty lanes and the owner's contract.
 *
 * @param tx The state root.
 */
export function putFirstFiles(tx: Transaction): void {
  const first = [
    ["ACTIVE_CONTEXT.json", contextRecord({ focusId: null, active: [] })],
    ["OWNER_CONTRACT.json", {
      version: 1,
      max_active_lanes: 2,
      require_owner_ack_for: ["accept_next_step"],
    }],
  ] as const;
  for (const [name, record] of first) {
    if (tx.disk.kind(tx.at(name)) === undefined) tx.put(tx.at(name), record);
  }
}

/** Folders that are there from the start. */
export const FIRST_FOLDERS: readonly string[] = [
  "inbox",
  "history/checkpoints",
  "missions",
  "audit",
  "parking",
];

function guarded(tx: Transaction, run: () => ToolOutcome): CallOutcome {
  try {
    return settled(tx, run());
  } catch (error) {
    if (error instanceof StateCorruptError) return refused(corruptRefusal(error));
    if (error instanceof SealError) {
      return refused(new CallRefusal("owner_channel_unavailable", error.message));
    }
    if (error instanceof OutsideRootError) {
      return refused(new CallRefusal("path_outside_root", error.message, { path: error.path }));
    }
    throw error;
  }
}

function settled(tx: Transaction, result: ToolOutcome): CallOutcome {
  const { changes } = tx;
  if (result instanceof OwnerAsking) {
    return { changes, answer: { kind: "ask", notice: result.notice, extra: result.extra } };
  }
  const reply = result instanceof CallRefusal ? result.toReply() : result;
  return { changes, answer: { kind: "reply", reply } };
}

function refused(refusal: CallRefusal): CallOutcome {
  return { changes: [], answer: { kind: "reply", reply: refusal.toReply() } };
}
