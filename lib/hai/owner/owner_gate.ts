/**
 * The owner gate: a change the agent cannot make alone.
 *
 * An approval is bound to one action, one exact change and the reason given on
 * the first call. It is single use, expires, and bears three tries. Records in
 * `HAI_HOME` are sealed with the owner's key, so a forged one
 * opens nothing; tries and use are also noted in the owner's folder, so that
 * putting an old record back revives nothing.
 *
 * @module
 */

import { type CallContext, OwnerAsking } from "../call/call_context.ts";
import { findDenial, saveTally } from "./asked_changes.ts";
import { findLive, issue, type IssuedChallenge, saveChallenge, withStatus } from "./challenges.ts";
import { codeHash, isSameSecret } from "../state/hashes.ts";
import { utcStamp } from "../state/ids.ts";
import { MAX_ATTEMPTS, refuseDenied, refuseGate, refusePending } from "./gate_refusals.ts";
import { codeText, normalizeCode } from "./owner_code.ts";
import type { Delivery } from "../call/owner_notice.ts";
import type { Challenge } from "../state/records.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";

/** Actions that need the owner. */
type GatedAction =
  | "accept_next_step"
  | "recontract"
  | "abandon_mission"
  | "open_mission"
  | "complete_mission"
  | "bind_project"
  | "complete_learning"
  | "release_session";

/** A change that asks to pass. */
interface GateRequest {
  /** The action. */
  readonly action: GatedAction;
  /** The exact change. */
  readonly subject: ToolReply;
  /** The reason given; null when none was. */
  readonly reason: string | null;
  /** One sentence for the owner. */
  readonly summary: string;
  /** All the owner needs to judge it. */
  readonly preview: ToolReply;
  /** The code supplied, if any. */
  readonly code: string | null | undefined;
  /** `owner_ack` as it came; counts in the legacy mode only. */
  readonly ack?: unknown;
}

/** A gate that was passed. */
export class Passed {
  /** Members for the reply. */
  readonly info: ToolReply;
  /** The approved reason. */
  readonly reason: string | null;

  /**
   * Makes it.
   *
   * @param info Members for the reply.
   * @param reason The approved reason.
   */
  constructor(info: ToolReply, reason: string | null) {
    this.info = info;
    this.reason = reason;
  }
}

/**
 * Lets a change pass, asks the owner, or refuses.
 *
 * @param ctx The call.
 * @param request The change.
 * @returns Passed, a refusal, or what to tell the owner.
 */
export function passGate(
  ctx: CallContext,
  request: GateRequest,
): Passed | CallRefusal | OwnerAsking {
  if (ctx.config.gate === "ack_legacy") {
    return checkAck(ctx, request) ?? new Passed({ gate: "ack_legacy" }, request.reason);
  }
  const isSupplied = request.code !== null && request.code !== undefined && request.code !== "";
  const code = isSupplied ? normalizeCode(request.code) : undefined;
  if (isSupplied && code === undefined) {
    return refuseGate("malformed_owner_code", "owner_code must be 8 letters or digits, XXXX-XXXX");
  }
  const live = findLive(ctx, request);
  if (live instanceof CallRefusal) return live;
  if (code !== undefined) return redeem(ctx, request, { live, code });
  if (live === undefined) {
    const denial = findDenial(ctx, request);
    return denial === undefined ? ask(ctx, request) : refuseDenied({
      challenge_id: denial.challengeId,
      expires_at: utcStamp(denial.expiresSeconds * 1000),
    });
  }
  const { challenge } = live;
  if (challenge.status === "denied") return refuseDenied(challenge);
  if (!isSameReason(challenge, request)) {
    cancel(ctx, live, "superseded");
    return ask(ctx, request);
  }
  if (challenge.status === "approved") return consume(ctx, live);
  return refusePending(ctx, challenge);
}

/**
 * The legacy check: the flag literally true, and a reason.
 *
 * @param ctx The call.
 * @param given The text as received.
 * @returns The refusal; undefined when it passes.
 */
export function checkAck(
  ctx: CallContext,
  given: { readonly ack?: unknown; readonly reason: string | null },
): CallRefusal | undefined {
  if (given.ack === true && given.reason !== null) return undefined;
  const missing = given.ack === true ? "a reason" : "owner_ack: true";
  return new CallRefusal(
    "owner_gate_required",
    `The owner has to confirm this; ${missing} is missing`,
    {
      gate: "ack_legacy",
      status: "pending_owner_confirmation",
      owner_ack_required: true,
      ...(ctx.ignored.length > 0 ? { ignored: ctx.ignored } : {}),
    },
  );
}

/**
 * Records what came of telling the owner.
 *
 * @param ctx A new call, after the delivery.
 * @param challengeId The challenge.
 * @param delivery The answer of the channel.
 * @returns What the first call is answered.
 */
export function settleDelivery(
  ctx: CallContext,
  challengeId: string,
  delivery: Delivery,
): CallRefusal {
  const live = findLive(ctx, { challengeId });
  if (live instanceof CallRefusal) return live;
  if (live === undefined) {
    return refuseGate("no_pending_challenge", "This challenge ended while the owner was told");
  }
  if (delivery.kind === "unavailable") {
    cancel(ctx, live, "delivery_failed");
    return new CallRefusal("owner_channel_unavailable", delivery.message, { gate: "nonce" });
  }
  const record = { channel: ctx.config.channel, ...delivery.record };
  if (delivery.kind === "sent") {
    const sent = { ...live.challenge, delivery: record };
    saveChallenge(ctx, { ...live, challenge: sent });
    return sent.status === "denied" ? refuseDenied(sent) : refusePending(ctx, sent);
  }
  const status = delivery.kind;
  const settled = { ...live.challenge, delivery: record, status };
  saveChallenge(ctx, { ...live, challenge: settled });
  saveTally(ctx, settled, { attempts: settled.attempts, isOver: false });
  ctx.audit(`owner_challenge_${status}`, {
    challenge_id: challengeId,
    action: settled.action,
    via: ctx.config.channel,
  });
  return status === "denied" ? refuseDenied(settled) : refusePending(ctx, settled);
}

function ask(ctx: CallContext, request: GateRequest): CallRefusal | OwnerAsking {
  const issued = issue(ctx, request);
  return issued instanceof CallRefusal ? issued : new OwnerAsking(issued);
}

function redeem(
  ctx: CallContext,
  request: GateRequest,
  given: { readonly live: IssuedChallenge | undefined; readonly code: string },
): Passed | CallRefusal {
  const { live, code } = given;
  if (live === undefined) {
    return refuseGate(
      "no_pending_challenge",
      "No approval is pending for exactly this change. Call again without owner_code to ask for one",
    );
  }
  const { challenge } = live;
  if (challenge.status === "denied") return refuseDenied(challenge);
  if (request.reason !== null && !isSameReason(challenge, request)) {
    return refuseGate(
      "reason_mismatch",
      "The owner was shown another reason. Repeat the reason of the first call, or leave it out",
      { field: "reason", expected: challenge.reason ?? null, got: request.reason },
    );
  }
  if (challenge.status === "approved") return consume(ctx, live);
  const hash = codeHash(live.key, challenge.challenge_id, codeText(code));
  return isSameSecret(hash, challenge.code_hash) ? consume(ctx, live) : miss(ctx, live);
}

function consume(ctx: CallContext, live: IssuedChallenge): Passed {
  const { challenge } = live;
  const used = withStatus(challenge, "consumed", { consumed_at: ctx.utc });
  saveChallenge(ctx, { ...live, challenge: used });
  saveTally(ctx, used, { attempts: challenge.attempts, isOver: true });
  const auditEventId = ctx.audit("owner_gate_passed", {
    challenge_id: challenge.challenge_id,
    action: challenge.action,
    fingerprint: challenge.fingerprint,
  });
  return new Passed(
    { gate: "nonce", challenge_id: challenge.challenge_id, audit_event_id: auditEventId },
    challenge.reason ?? null,
  );
}

function miss(ctx: CallContext, live: IssuedChallenge): CallRefusal {
  const { challenge_id } = live.challenge;
  const before = Math.max(live.challenge.attempts, ctx.world.vault.tally(challenge_id).attempts);
  const attempts = before + 1;
  const isOver = attempts >= MAX_ATTEMPTS;
  saveTally(ctx, live.challenge, { attempts, isOver });
  const counted = { ...live.challenge, attempts };
  const challenge = isOver
    ? withStatus(counted, "cancelled", { cancel_reason: "max_attempts" })
    : counted;
  saveChallenge(ctx, { ...live, challenge });
  ctx.audit("owner_gate_failed", {
    challenge_id: challenge.challenge_id,
    action: challenge.action,
    attempts,
    cancelled: isOver,
  });
  return refuseGate(
    "invalid_owner_code",
    isOver ? "Wrong code, the third: this approval is cancelled" : "Wrong code",
    {
      challenge_id: challenge.challenge_id,
      attempts_remaining: MAX_ATTEMPTS - attempts,
      status: isOver ? "cancelled" : "pending_owner_code",
    },
  );
}

function cancel(ctx: CallContext, live: IssuedChallenge, reason: string): void {
  const challenge = withStatus(live.challenge, "cancelled", { cancel_reason: reason });
  saveChallenge(ctx, { ...live, challenge });
  ctx.audit("owner_challenge_cancelled", {
    challenge_id: challenge.challenge_id,
    action: challenge.action,
    reason,
  });
}

/** On a repeat the reason may be left out: then the approved one counts. */
function isSameReason(challenge: Challenge, request: GateRequest): boolean {
  return request.reason === null || request.reason === (challenge.reason ?? null);
}
