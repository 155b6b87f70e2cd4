/**
 * The context of a handler: settings, the time, chance, the call's
 * transaction and the owner's vault. It is made anew for each call.
 *
 * @module
 */

import { appendEvent } from "../trail/audit.ts";
import { type AuditMark, EMPTY_CHAIN } from "../trail/audit_mark.ts";
import { type Pin, stricter } from "../trail/pin.ts";
import type { ChainCheckpoint } from "../trail/snapshot.ts";
import { type OwnerSigner, ownerSigner } from "../state/signatures.ts";
import type { HaiConfig } from "../state/config.ts";
import type { Disk } from "../state/disk_port.ts";
import {
  type IdPrefix,
  localStamp,
  makeId,
  nameStamp,
  type Random,
  utcStamp,
} from "../state/ids.ts";
import type { OwnerNotice } from "./owner_notice.ts";
import {
  type CallRefusal,
  SealError,
  type StateCorruptError,
  type ToolReply,
} from "../state/refusal.ts";
import { isSealedType, type Trail } from "../trail/trail.ts";
import type { Transaction } from "../state/transaction.ts";

/** Tries and end of a challenge, kept where an older record cannot be put back. */
export interface ChallengeTally {
  /** Wrong codes so far. */
  readonly attempts: number;
  /** Whether it was used or had too many wrong codes. */
  readonly isOver: boolean;
  /** What was asked; absent in tallies of older versions. */
  readonly asked?: AskedChange | undefined;
}

/** What the owner was asked, kept where the agent cannot delete it. */
export interface AskedChange {
  readonly challengeId: string;
  /** Action of the gate. */
  readonly action: string;
  /** Fingerprint of the change alone. */
  readonly subject: string;
  /** When, seconds since 1970. */
  readonly createdSeconds: number;
  /** When the answer lapses, seconds since 1970. */
  readonly expiresSeconds: number;
  /** The owner's answer so far. */
  readonly answer: "none" | "approved" | "denied";
}

/** The owner's folder, as the engine sees it. */
export interface OwnerVault {
  /** The owner's key; undefined when it cannot be had, with the reason. */
  key(): { readonly key: Uint8Array } | { readonly problem: string };
  /** The owner's key if there is one already and it can be read; never makes one. */
  existingKey(): Uint8Array | undefined;
  /** The pin of this state root; undefined when there is none that this key made. */
  pin(): Pin | undefined;
  /** Writes the pin. */
  savePin(key: Uint8Array, pin: Pin): void;
  /** The last checkpoint of the audit chain; undefined when there is none that this key made. */
  checkpoint(): ChainCheckpoint | undefined;
  /** Writes a checkpoint. */
  saveCheckpoint(key: Uint8Array, checkpoint: ChainCheckpoint): void;
  /** Wrong codes counted and whether it is over, whatever the challenge's record says. */
  tally(challengeId: string): ChallengeTally;
  /** What the owner was asked in the last days, as the tallies have it. */
  recentlyAsked(unixMs: number): readonly AskedChange[];
  /** Where the tally of a challenge is written. */
  tallyPath(challengeId: string): string;
  /** Real path of the owner's folder. */
  readonly root: string;
}

/** The world of one call. */
export interface CallWorld {
  /** Settings. */
  readonly config: HaiConfig;
  /** The disk. */
  readonly disk: Disk;
  /** Now, milliseconds since 1970. */
  readonly unixMs: number;
  /** Chance. */
  readonly random: Random;
  /** Secret of the connection that calls; undefined where connections cannot be told apart. */
  readonly caller: string | undefined;
  /** This process's id. */
  readonly pid: number;
  /** The owner's vault. */
  readonly vault: OwnerVault;
  /** The server's version. */
  readonly version: string;
  /** The audit chain before this call: verified up to a mark, or broken. */
  readonly chain:
    | { readonly mark: AuditMark; readonly trail: Trail }
    | { readonly fault: StateCorruptError };
  /** The pin of the state root; undefined before the first sealed event. */
  readonly pin: Pin | undefined;
}

/** The result of a handler: a reply, a refusal, or a request to tell the owner first. */
export type ToolOutcome = ToolReply | CallRefusal | OwnerAsking;

/** The owner has to be told first; what the channel answers decides the reply. */
export class OwnerAsking {
  /** The notice for the owner. */
  readonly notice: OwnerNotice;
  /** Members every reply to this call carries. */
  readonly extra: ToolReply;

  /**
   * Makes it.
   *
   * @param notice The notice for the owner.
   * @param extra Members every reply to this call carries.
   */
  constructor(notice: OwnerNotice, extra: ToolReply = {}) {
    this.notice = notice;
    this.extra = extra;
  }

  /** A copy with more members in the reply. */
  with(extra: ToolReply): OwnerAsking {
    return new OwnerAsking(this.notice, { ...extra, ...this.extra });
  }
}

/** One call: its world, its transaction, and the stamps and ids it needs. */
export class CallContext {
  /** The world. */
  readonly world: CallWorld;
  /** Reads and pending writes. */
  readonly tx: Transaction;
  /** Arguments whose value was of the wrong type and taken as not given. */
  readonly ignored: readonly ToolReply[];
  #pin: Pin | undefined;

  /**
   * Makes it.
   *
   * @param world The world.
   * @param tx The call's transaction.
   * @param ignored Arguments taken as not given.
   */
  constructor(world: CallWorld, tx: Transaction, ignored: readonly ToolReply[] = []) {
    this.world = world;
    this.tx = tx;
    this.ignored = ignored;
    this.#pin = world.pin;
  }

  /** Settings. */
  get config(): HaiConfig {
    return this.world.config;
  }

  /** Now as records store it. */
  get utc(): string {
    return utcStamp(this.world.unixMs);
  }

  /** Now, or the trail's latest time where the clock was set back: a mission's deadline is judged by it. */
  get latest(): string {
    const { chain } = this.world;
    const last = "fault" in chain ? 0 : chain.trail.lastSeconds;
    return last > this.world.unixMs / 1000 ? utcStamp(last * 1000) : this.utc;
  }

  /** Now as lanes, checkpoints and notes store it. */
  get local(): string {
    return localStamp(this.world.unixMs);
  }

  /** Now as names of files have it. */
  get stamp(): string {
    return nameStamp(this.world.unixMs);
  }

  /** A fresh id. */
  id(prefix: IdPrefix): string {
    return makeId(prefix, this.world.unixMs, this.world.random);
  }

  /**
   * Appends an audit event, sealed with the owner's key if it gives rights.
   *
   * @param type Its type.
   * @param payload Its members.
   * @returns Its id.
   * @throws {SealError} When the state root is pinned and the key cannot be had.
   */
  audit(type: string, payload: ToolReply): string {
    const eventId = this.id("A");
    const signer = isSealedType(type) ? this.#signer() : undefined;
    appendEvent(this.tx, { eventId, type, at: this.utc, payload, signer });
    return eventId;
  }

  /** The owner's signer; undefined without an owner's key. The first use pins the state root. */
  #signer(): OwnerSigner | undefined {
    if (this.config.gate !== "nonce") return undefined;
    const { vault } = this.world;
    const held = vault.key();
    if ("problem" in held) {
      if (this.#pin === undefined) return undefined;
      throw new SealError(held.problem);
    }
    const signer = ownerSigner(held.key);
    if (this.#pin !== undefined && this.#pin.key_id !== signer.keyId) {
      throw new SealError(`the state is sealed with another key, ${this.#pin.key_id}`);
    }
    const { policy } = this.config;
    if (this.#pin === undefined || stricter(this.#pin.policy, policy) !== this.#pin.policy) {
      this.#pin = pinNow(this, { signer, before: this.#pin });
      vault.savePin(held.key, this.#pin);
    }
    return signer;
  }
}

/**
 * Makes a pin of this server's settings, and its copy for other servers.
 *
 * @param ctx The call.
 * @param made The signer, and the pin that it replaces; without one, sealing begins at the chain's end.
 * @returns The pin; the caller saves it in the owner's folder.
 */
export function pinNow(
  ctx: CallContext,
  { signer, before }: { readonly signer: OwnerSigner; readonly before: Pin | undefined },
): Pin {
  const { config, world, tx } = ctx;
  const { gate, policy } = config;
  const from = before?.from ?? ("mark" in world.chain ? world.chain.mark : EMPTY_CHAIN);
  tx.put(tx.at("owner", "pin.json"), { key_id: signer.keyId, gate, policy });
  return {
    home: config.home,
    gate,
    policy,
    key_id: signer.keyId,
    public_key: signer.publicKey,
    from,
    pinned_at: ctx.utc,
  };
}
