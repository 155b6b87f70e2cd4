/**
 * What the owner was asked and asAnswered, kept in the owner's folder, where the agent can neither
 * delete it nor put an older record back.
 *
 * @module
 */

import type { AskedChange, CallContext, ChallengeTally } from "../call/call_context.ts";
import { legacyFingerprint } from "../state/hashes.ts";
import type { Challenge } from "../state/records.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";
import { hashableJson } from "../state/state_json.ts";

/** Requests within {@linkcode ASK_SECONDS} that may go without an approval. */
const MAX_ASKED = 10;
const ASK_SECONDS = 3600;

/** Records request, answer, tries and use in the owner's folder. */
export function saveTally(
  ctx: CallContext,
  challenge: Challenge,
  tally: Omit<ChallengeTally, "asked">,
): void {
  const { vault } = ctx.world;
  const { status } = challenge;
  const note = {
    challenge_id: challenge.challenge_id,
    attempts: tally.attempts,
    over: tally.isOver,
    at: ctx.utc,
    action: challenge.action,
    subject: challenge.subject_fingerprint,
    created_ts: challenge.created_ts,
    expires_ts: challenge.expires_ts,
    answer: status === "denied" || status === "approved"
      ? status
      : status === "consumed"
      ? "approved"
      : "none",
  };
  const text = `${hashableJson(note)}\n`;
  ctx.tx.putText("owner", vault.tallyPath(challenge.challenge_id), text, vault.root);
}

/**
 * A challenge as the owner's folder has it answered: a record from before the last answer, put back
 * by hand, neither approves what was taken back nor undoes a denial.
 *
 * @param ctx The call.
 * @param challenge A sealed record.
 * @returns The record, its status corrected.
 */
export function asAnswered(ctx: CallContext, challenge: Challenge): Challenge {
  const { status, challenge_id } = challenge;
  const answer = ctx.world.vault.tally(challenge_id).asked?.answer;
  if (answer === "denied" && (status === "pending" || status === "approved")) {
    return { ...challenge, status: "denied" };
  }
  return status === "approved" && answer !== "approved"
    ? { ...challenge, status: "pending" }
    : challenge;
}

/** A denial of exactly this change that still holds, though its record may be gone. */
export function findDenial(
  ctx: CallContext,
  { action, subject }: { readonly action: string; readonly subject: ToolReply },
): AskedChange | undefined {
  const fingerprint = legacyFingerprint(subject);
  return ctx.world.vault.recentlyAsked(ctx.world.unixMs).find((asked) =>
    asked.answer === "denied" && asked.action === action && asked.subject === fingerprint &&
    asked.expiresSeconds > ctx.world.unixMs / 1000
  );
}

/** Seconds until the owner may be asked again. Approved requests do not count. */
function secondsToWait(ctx: CallContext): number {
  const now = ctx.world.unixMs / 1000;
  const inVain = ctx.world.vault.recentlyAsked(ctx.world.unixMs)
    .filter(({ answer }) => answer !== "approved")
    .map(({ createdSeconds }) => createdSeconds)
    .filter((created) => created > now - ASK_SECONDS)
    .sort((a, b) => b - a);
  const decisive = inVain[MAX_ASKED - 1];
  return decisive === undefined ? 0 : Math.ceil(decisive + ASK_SECONDS - now);
}

/** Refuses when the owner was asked too often in vain; undefined when one more request may go out. */
export function refuseFlood(ctx: CallContext): CallRefusal | undefined {
  const seconds = secondsToWait(ctx);
  if (seconds === 0) return undefined;
  return new CallRefusal(
    "owner_gate_required",
    `The owner was asked ${MAX_ASKED} times within the hour and approved none of it. ` +
      "Talk to the owner before asking for anything more",
    { gate: "nonce", detail: "too_many_challenges", retry_after_seconds: seconds },
  );
}
