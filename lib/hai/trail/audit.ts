/**
 * The audit chain: one file an event, each naming the hash of the one before.
 *
 * The verified part is remembered as a mark; later calls verify only
 * what came after it. A chain that went back behind its mark is as broken as
 * one with a wrong hash.
 *
 * @module
 */

import { isId } from "../state/ids.ts";
import { recordHash } from "../state/hashes.ts";
import { AUDIT_EVENT, AUDIT_HEAD, type AuditEvent } from "../state/records.ts";
import { StateCorruptError } from "../state/refusal.ts";
import { isNoted, type Trail } from "./trail.ts";
import type { Transaction } from "../state/transaction.ts";

/** The end of the part of the chain that is known to be good. */
export interface AuditMark {
  /** Number of the last good event; 0 for the empty chain. */
  readonly seq: number;
  /** Its id; empty for the empty chain. */
  readonly eventId: string;
  /** Its hash; empty for the empty chain. */
  readonly eventHash: string;
}

/** The chain before its first event. */
export const EMPTY_CHAIN: AuditMark = { seq: 0, eventId: "", eventHash: "" };

/** An event to append. */
interface NewEvent {
  /** A fresh `A-` id. */
  readonly eventId: string;
  /** Its type. */
  readonly type: string;
  /** When, UTC. */
  readonly at: string;
  /** Its members; header members win. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Appends an event.
 *
 * @param tx The call's transaction.
 * @param event The event.
 * @returns The event as stored.
 */
export function appendEvent(tx: Transaction, event: NewEvent): AuditEvent {
  const head = tx.record(headPath(tx), AUDIT_HEAD);
  const open = {
    ...event.payload,
    event_id: event.eventId,
    event_type: event.type,
    at: event.at,
    seq: (head?.seq ?? 0) + 1,
    prev_event_id: head?.event_id ?? null,
    prev_hash: head?.event_hash ?? null,
  };
  const stored = { ...open, event_hash: recordHash(open, "event_hash") };
  tx.put(tx.at("audit", `${event.eventId}.json`), stored);
  tx.put(headPath(tx), {
    seq: stored.seq,
    event_id: stored.event_id,
    event_hash: stored.event_hash,
  });
  return stored;
}

/**
 * Verifies the chain from its end back to a mark.
 *
 * @param tx Where the chain is read.
 * @param mark The verified part.
 * @param trail Folds what was verified, if all of it was.
 * @returns The new mark.
 * @throws {StateCorruptError} Naming the file where the chain breaks.
 */
export function verifyChain(
  tx: Transaction,
  mark: AuditMark,
  trail?: Trail,
): AuditMark {
  const head = tx.record(headPath(tx), AUDIT_HEAD);
  if (head === undefined) {
    const names = mark.seq === 0 ? eventNames(tx) : ["lost"];
    if (names.length === 0) return EMPTY_CHAIN;
    throw new StateCorruptError(headPath(tx), "it is missing, but there are audit events");
  }
  if (head.seq === mark.seq && head.event_hash === mark.eventHash) return mark;
  if (head.seq <= mark.seq) {
    throw new StateCorruptError(
      headPath(tx),
      `the chain went back to event ${head.seq} after event ${mark.seq} had been verified`,
    );
  }
  let expected: { id: string | null; hash: string | null } = {
    id: head.event_id,
    hash: head.event_hash,
  };
  const noted: AuditEvent[] = [];
  for (let seq = head.seq; seq > mark.seq; seq--) {
    const event = verifiedEvent(tx, { id: expected.id, hash: expected.hash, seq });
    expected = { id: event.prev_event_id, hash: event.prev_hash };
    if (isNoted(event)) noted.push(event);
  }
  const isJoined = mark.seq === 0
    ? expected.id === null && expected.hash === null
    : expected.id === mark.eventId && expected.hash === mark.eventHash;
  if (!isJoined) {
    throw new StateCorruptError(
      headPath(tx),
      `event ${mark.seq + 1} does not follow event ${mark.seq}`,
    );
  }
  for (const event of noted.reverse()) trail?.note(event);
  return { seq: head.seq, eventId: head.event_id, eventHash: head.event_hash };
}

/** Where the chain ends by its HEAD, not verified. */
export function chainEnd(tx: Transaction): AuditMark {
  const head = tx.record(headPath(tx), AUDIT_HEAD);
  return head === undefined
    ? EMPTY_CHAIN
    : { seq: head.seq, eventId: head.event_id, eventHash: head.event_hash };
}

/**
 * The last events, newest first, without verifying them.
 *
 * @param tx Where the chain is read.
 * @param wanted Which of them, and how many at most.
 * @returns The events.
 */
export function lastEvents(
  tx: Transaction,
  wanted: { readonly limit: number; readonly isWanted: (event: AuditEvent) => boolean },
): AuditEvent[] {
  const found: AuditEvent[] = [];
  const head = tx.record(headPath(tx), AUDIT_HEAD);
  let id: string | null = head?.event_id ?? null;
  for (let left = head?.seq ?? 0; left > 0 && id !== null && found.length < wanted.limit; left--) {
    const event = readEvent(tx, id);
    // Else a chain that leads back to itself would never end.
    if (event.seq !== left) {
      throw new StateCorruptError(tx.at("audit", `${id}.json`), `it is not event ${left}`);
    }
    if (wanted.isWanted(event)) found.push(event);
    id = event.prev_event_id;
  }
  return found;
}

/** Names of the event files, in no particular order. */
export function eventNames(tx: Transaction): readonly string[] {
  return tx.list(tx.at("audit")).filter((name) => isId("A", name.replace(/\.json$/, "")));
}

function verifiedEvent(
  tx: Transaction,
  link: { readonly id: string | null; readonly hash: string | null; readonly seq: number },
): AuditEvent {
  if (link.id === null) {
    throw new StateCorruptError(headPath(tx), `the chain ends before event ${link.seq}`);
  }
  const event = readEvent(tx, link.id);
  const path = tx.at("audit", `${link.id}.json`);
  if (event.event_id !== link.id || event.seq !== link.seq) {
    throw new StateCorruptError(path, `it is not event ${link.seq} of the chain`);
  }
  if (event.event_hash !== link.hash || recordHash(event, "event_hash") !== event.event_hash) {
    throw new StateCorruptError(
      path,
      "its hash does not match: it was changed after it was written",
    );
  }
  return event;
}

function readEvent(tx: Transaction, id: string): AuditEvent {
  const path = tx.at("audit", `${id}.json`);
  if (!isId("A", id)) throw new StateCorruptError(headPath(tx), "it names no audit event");
  const event = tx.record(path, AUDIT_EVENT);
  if (event === undefined) throw new StateCorruptError(path, "it is missing from the audit chain");
  return event;
}

function headPath(tx: Transaction): string {
  return tx.at("audit", "HEAD.json");
}
