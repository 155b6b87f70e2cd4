/**
 * The engine: state and a call in, a reply and changes out. It holds no state
 * except how far the audit chain is verified, and the trail of missions in it.
 *
 * A call that throws changes nothing. A refusal may carry changes: an expired
 * lease is retired, a wrong code is counted.
 *
 * @module
 */

import { type AuditMark, chainEnd, EMPTY_CHAIN, verifyChain } from "../trail/audit.ts";
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
  /** End of the audit chain once the changes are carried out. */
  readonly mark: AuditMark;
}

/** The world of a call, before the audit chain was looked at. */
export type BareWorld = Omit<CallWorld, "chain">;

/** The engine. */
export class Engine {
  readonly #trail = new Trail();
  #mark: AuditMark = EMPTY_CHAIN;
  /** The chain was seen to reach this far. */
  #reached: AuditMark = EMPTY_CHAIN;

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
    return this.#guarded(tx, () => {
      if (tool === undefined) return new CallRefusal("invalid_args", `No tool "${call.name}"`);
      const world = { ...bare, chain: this.#verify(tx) };
      if ("fault" in world.chain && tool.effect !== "reads") {
        return corruptRefusal(world.chain.fault);
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
    return this.#guarded(tx, () => {
      const chain = this.#verify(tx);
      if ("fault" in chain) return corruptRefusal(chain.fault);
      const ctx = new CallContext({ ...bare, chain }, tx);
      return settleDelivery(ctx, told.challengeId, told.delivery).with(told.extra);
    });
  }

  /**
   * Notes that an outcome's changes were carried out: a chain that is shorter
   * from now on was cut.
   *
   * @param outcome The outcome.
   */
  commit(outcome: CallOutcome): void {
    this.#reached = outcome.mark;
  }

  #guarded(tx: Transaction, run: () => ToolOutcome): CallOutcome {
    const { changes, answer } = guarded(tx, run);
    const isAppended = changes.some((change) => change.path === tx.at("audit", "HEAD.json"));
    return { changes, answer, mark: isAppended ? chainEnd(tx) : this.#reached };
  }

  #verify(tx: Transaction): CallWorld["chain"] {
    try {
      const end = verifyChain(tx, this.#mark, this.#trail);
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

type Decided = Omit<CallOutcome, "mark">;

function guarded(tx: Transaction, run: () => ToolOutcome): Decided {
  try {
    return settled(tx, run());
  } catch (error) {
    if (error instanceof StateCorruptError) return refused(corruptRefusal(error));
    if (error instanceof OutsideRootError) {
      return refused(new CallRefusal("path_outside_root", error.message, { path: error.path }));
    }
    throw error;
  }
}

function settled(tx: Transaction, result: ToolOutcome): Decided {
  const { changes } = tx;
  if (result instanceof OwnerAsking) {
    return { changes, answer: { kind: "ask", notice: result.notice, extra: result.extra } };
  }
  const reply = result instanceof CallRefusal ? result.toReply() : result;
  return { changes, answer: { kind: "reply", reply } };
}

function refused(refusal: CallRefusal): Decided {
  return { changes: [], answer: { kind: "reply", reply: refusal.toReply() } };
}
