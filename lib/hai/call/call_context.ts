/**
 * The context of a handler: settings, the time, chance, the call's
 * transaction and the owner's vault. It is made anew for each call.
 *
 * @module
 */

import { appendEvent, type AuditMark } from "../trail/audit.ts";
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
import type { CallRefusal, StateCorruptError, ToolReply } from "../state/refusal.ts";
import type { Trail } from "../trail/trail.ts";
import type { Transaction } from "../state/transaction.ts";

/** Tries and end of a challenge, kept where an older record cannot be put back. */
export interface ChallengeTally {
  /** Wrong codes so far. */
  readonly attempts: number;
  /** Whether it was used or had too many wrong codes. */
  readonly isOver: boolean;
}

/** The owner's folder, as the engine sees it. */
export interface OwnerVault {
  /** The owner's key; undefined when it cannot be had, with the reason. */
  key(): { readonly key: Uint8Array } | { readonly problem: string };
  /** Wrong codes counted and whether it is over, whatever the challenge's record says. */
  tally(challengeId: string): ChallengeTally;
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
  }

  /** Settings. */
  get config(): HaiConfig {
    return this.world.config;
  }

  /** Now as records store it. */
  get utc(): string {
    return utcStamp(this.world.unixMs);
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

  /** Appends an audit event and returns its id. */
  audit(type: string, payload: ToolReply): string {
    const eventId = this.id("A");
    appendEvent(this.tx, { eventId, type, at: this.utc, payload });
    return eventId;
  }
}
