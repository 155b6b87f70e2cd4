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
import { hasValidSeal, type OwnerSigner } from "../state/signatures.ts";
import type { Transaction } from "../state/transaction.ts";
import { type AuditMark, EMPTY_CHAIN } from "./audit_mark.ts";
import type { Pin } from "./pin.ts";
import { isNoted, isSealedType, type Trail } from "./trail.ts";

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
  /** Seals it; undefined for an event that goes unsealed. */
  readonly signer?: OwnerSigner | undefined;
}

/** How a chain is verified. */
interface Verifying {
  /** Folds the verified events, once all of them are. */
  readonly trail?: Trail;
  /** Says which events need a seal; undefined when none does. */
  readonly pin?: Pin | undefined;
  /** Called now and then with the number of events still to read. */
  readonly onProgress?: ((left: number) => void) | undefined;
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
  const sealed = event.signer === undefined ? open : { ...open, seal: event.signer.seal(open) };
  const stored = { ...sealed, event_hash: recordHash(sealed, "event_hash") };
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
 * @param verifying What is done with the events.
 * @returns The new mark.
 * @throws {StateCorruptError} Naming the file where the chain breaks.
 */
export function verifyChain(
  tx: Transaction,
  mark: AuditMark,
  verifying: Verifying = {},
): AuditMark {
  const { trail, pin } = verifying;
  const head = tx.record(headPath(tx), AUDIT_HEAD);
  if (head === undefined) {
    const isEmpty = mark.seq === 0 && (pin?.from.seq ?? 0) === 0 && eventNames(tx).length === 0;
    if (isEmpty) return EMPTY_CHAIN;
    throw new StateCorruptError(headPath(tx), "it is missing, but there were audit events");
  }
  if (head.seq === mark.seq && head.event_hash === mark.eventHash) return mark;
  const least = Math.max(mark.seq, (pin?.from.seq ?? 0) - 1);
  if (head.seq <= least) {
    throw new StateCorruptError(
      headPath(tx),
      `the chain went back to event ${head.seq} after event ${least} had been verified`,
    );
  }
  const { noted, latest } = readBack(tx, { head, mark, verifying });
  if (latest !== undefined) trail?.see(latest);
  for (const event of noted) trail?.note(event, isGenuine(event, pin));
  return { seq: head.seq, eventId: head.event_id, eventHash: head.event_hash };
}

/** Reads events from the head back to the mark; the noted ones come back oldest first. */
function readBack(
  tx: Transaction,
  { head, mark, verifying: { pin, onProgress } }: {
    readonly head: { readonly seq: number; readonly event_id: string; readonly event_hash: string };
    readonly mark: AuditMark;
    readonly verifying: Verifying;
  },
) {
  let expected: { id: string | null; hash: string | null } = {
    id: head.event_id,
    hash: head.event_hash,
  };
  const noted: AuditEvent[] = [];
  let latest: AuditEvent | undefined;
  for (let seq = head.seq; seq > mark.seq; seq--) {
    if (seq === pin?.from.seq && expected.hash !== pin.from.eventHash) {
      throw new StateCorruptError(headPath(tx), `event ${seq} is not the one that was pinned`);
    }
    const event = verifiedEvent(tx, { id: expected.id, hash: expected.hash, seq });
    expected = { id: event.prev_event_id, hash: event.prev_hash };
    if (latest === undefined || event.at > latest.at) latest = event;
    if (isNoted(event)) noted.push(event);
    if (seq % 10_000 === 0) onProgress?.(seq - mark.seq);
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
  return { noted: noted.reverse(), latest };
}

/** Whether an event is sealed, or need not be: it is older than the pin or gives no rights. */
function isGenuine(event: AuditEvent, pin: Pin | undefined): boolean {
  return pin === undefined || event.seq <= pin.from.seq || !isSealedType(event.event_type) ||
    hasValidSeal(event, pin.public_key);
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
