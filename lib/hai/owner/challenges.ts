/**
 * Challenges to the owner as records: issuing one, finding the live one of a
 * change, saving it sealed.
 *
 * A record whose seal does not fit was not written by this server: it is never
 * live. The seal covers every member, so neither the preview the owner reads
 * nor the count of tries can be changed underneath.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { asAnswered, refuseFlood, saveTally } from "./asked_changes.ts";
import { codeHash, fingerprint, isSameSecret, legacyFingerprint, seal } from "../state/hashes.ts";
import { isFromLater, isId, utcStamp } from "../state/ids.ts";
import { codeText, drawCode } from "./owner_code.ts";
import type { OwnerNotice } from "../call/owner_notice.ts";
import { CHALLENGE, type Challenge } from "../state/records.ts";
import { CallRefusal, StateCorruptError, type ToolReply } from "../state/refusal.ts";
import type { Transaction } from "../state/transaction.ts";

/** How codes of new challenges are hashed. */
const KDF = "scrypt-16384-8-1";

/** A delivery that takes longer than this was cut off: the owner is asked anew. */
const DELIVERY_SECONDS = 90;

/** A live challenge and the key that seals it. */
export interface IssuedChallenge {
  /** The record. */
  readonly challenge: Challenge;
  /** The owner's key. */
  readonly key: Uint8Array;
}

/** Selects a challenge: by its change, or by its id. */
type Wanted =
  | { readonly action: string; readonly subject: ToolReply }
  | { readonly challengeId: string };

/** A change to be approved. */
interface Approvable {
  /** Action of the gate. */
  readonly action: string;
  /** The exact change. */
  readonly subject: ToolReply;
  /** The reason given; null when none was. */
  readonly reason: string | null;
  /** One sentence for the owner. */
  readonly summary: string;
  /** All the owner needs to judge it. */
  readonly preview: ToolReply;
}

/**
 * Every challenge on record, oldest first.
 *
 * @param tx Where they are read.
 * @returns The records, sealed or not.
 */
export function listChallenges(tx: Transaction): Challenge[] {
  const dir = tx.at("owner", "challenges");
  return tx.list(dir).flatMap((name) => {
    const id = name.replace(/\.json$/, "");
    if (!isId("C", id)) return [];
    const challenge = readChallenge(tx, `${dir}/${name}`);
    return challenge !== undefined && challenge.challenge_id === id ? [challenge] : [];
  });
}

/** A broken record opens nothing, and must not lock the owner out: the doctor names it. */
function readChallenge(tx: Transaction, path: string): Challenge | undefined {
  try {
    return tx.record(path, CHALLENGE);
  } catch (error) {
    if (error instanceof StateCorruptError) return undefined;
    throw error;
  }
}

/**
 * Whether a challenge still waits for the owner or the agent.
 *
 * @param challenge The record.
 * @param unixMs Now.
 * @returns Whether it does.
 */
export function isWaiting(challenge: Challenge, unixMs: number): boolean {
  return (challenge.status === "pending" || challenge.status === "approved") &&
    !hasLapsed(challenge, unixMs);
}

function hasLapsed({ created_ts, expires_ts }: Challenge, unixMs: number): boolean {
  return expires_ts <= unixMs / 1000 || isFromLater(created_ts, unixMs);
}

/**
 * Finds the live challenge of a change; what has lapsed is retired on the way.
 *
 * @param ctx The call.
 * @param wanted Which one.
 * @returns The challenge, undefined when there is none, or why it cannot be told.
 */
export function findLive(
  ctx: CallContext,
  wanted: Wanted,
): IssuedChallenge | CallRefusal | undefined {
  const isWanted = matcher(wanted);
  const matches = listChallenges(ctx.tx).filter((challenge) =>
    ["pending", "approved", "denied"].includes(challenge.status) && isWanted(challenge)
  );
  if (matches.length === 0) return undefined;
  const held = ctx.world.vault.key();
  if ("problem" in held) return new CallRefusal("owner_channel_unavailable", held.problem);
  let live: IssuedChallenge | undefined;
  for (const record of matches) {
    if (!isSealed(held.key, record) || isOver(ctx, record)) continue;
    const challenge = asAnswered(ctx, record);
    if (hasLapsed(challenge, ctx.world.unixMs)) retire(ctx, { challenge, key: held.key });
    else if (isCutOff(ctx, challenge)) continue;
    else live = { challenge, key: held.key };
  }
  return live;
}

/**
 * Issues a challenge. The code is in the returned notice and nowhere else.
 *
 * @param ctx The call.
 * @param change The change to approve.
 * @returns What to tell the owner, or why the owner cannot be asked.
 */
export function issue(ctx: CallContext, change: Approvable): OwnerNotice | CallRefusal {
  const held = ctx.world.vault.key();
  if ("problem" in held) return new CallRefusal("owner_channel_unavailable", held.problem);
  const { unixMs, random } = ctx.world;
  const flood = refuseFlood(ctx);
  if (flood !== undefined) return flood;
  const { action, summary, preview, reason, subject } = change;
  const challengeId = ctx.id("C");
  const code = codeText(drawCode(random));
  const expiresMs = unixMs + ctx.config.codeTtlSeconds * 1000;
  const challenge: Challenge = {
    challenge_id: challengeId,
    action,
    fingerprint: fingerprint({ action, subject, reason }),
    subject_fingerprint: legacyFingerprint(subject),
    reason,
    summary,
    preview: { ...preview, reason: reason ?? "(none given)" },
    kdf: KDF,
    code_hash: codeHash(held.key, challengeId, code),
    created_at: ctx.utc,
    created_ts: unixMs / 1000,
    expires_at: utcStamp(expiresMs),
    expires_ts: expiresMs / 1000,
    attempts: 0,
    status: "pending",
    delivery: { channel: ctx.config.channel, status: "sending" },
  };
  saveChallenge(ctx, { challenge, key: held.key });
  saveTally(ctx, challenge, { attempts: 0, isOver: false });
  ctx.audit("owner_challenge_issued", {
    challenge_id: challengeId,
    action,
    fingerprint: challenge.fingerprint,
    channel: ctx.config.channel,
    expires_at: challenge.expires_at,
  });
  return {
    challengeId,
    action,
    summary,
    preview: challenge.preview,
    code,
    expiresAt: challenge.expires_at,
  };
}

/** Writes a challenge, sealed anew. */
export function saveChallenge(ctx: CallContext, { challenge, key }: IssuedChallenge): void {
  const path = ctx.tx.at("owner", "challenges", `${challenge.challenge_id}.json`);
  ctx.tx.put(path, { ...challenge, seal: seal(key, challenge) });
}

/** A challenge in another state, with what that state adds. */
export function withStatus(
  challenge: Challenge,
  status: Challenge["status"],
  more: ToolReply,
): Challenge {
  return { ...challenge, ...more, status };
}

/** Whether a record carries the seal of the owner's key. */
export function isSealed(key: Uint8Array, challenge: Challenge): boolean {
  return challenge.kdf === KDF && challenge.seal !== undefined &&
    isSameSecret(seal(key, challenge), challenge.seal);
}

/** Whether it was used or had too many tries, even if an older record was put back. */
export function isOver(ctx: CallContext, challenge: Challenge): boolean {
  return ctx.world.vault.tally(challenge.challenge_id).isOver;
}

function matcher(wanted: Wanted): (challenge: Challenge) => boolean {
  if ("challengeId" in wanted) return ({ challenge_id }) => challenge_id === wanted.challengeId;
  const subject = legacyFingerprint(wanted.subject);
  return (challenge) =>
    challenge.action === wanted.action && challenge.subject_fingerprint === subject;
}

function isCutOff(ctx: CallContext, { delivery, status, created_ts }: Challenge): boolean {
  const isSending = typeof delivery === "object" && delivery !== null && "status" in delivery &&
    delivery.status === "sending";
  const { channel, touchIdTimeoutSeconds } = ctx.config;
  const most = channel === "touchid" ? touchIdTimeoutSeconds : 0; // The prompt's own time counts.
  // An approval given in the terminal meanwhile stays valid.
  return isSending && status === "pending" &&
    ctx.world.unixMs / 1000 - created_ts > most + DELIVERY_SECONDS;
}

function retire(ctx: CallContext, live: IssuedChallenge): void {
  const challenge = withStatus(live.challenge, "expired", { expired_at: ctx.utc });
  saveChallenge(ctx, { ...live, challenge });
  ctx.audit("owner_challenge_expired", {
    challenge_id: challenge.challenge_id,
    action: challenge.action,
  });
}
