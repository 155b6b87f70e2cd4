/**
 * The owner's desk: requests that wait, and what the owner does with them.
 *
 * Only records sealed with the owner's key are on it, so what is approved here is what the server
 * asked for. A decision names the fingerprint that was shown: a request that changed in between is
 * not decided.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { utcStamp } from "../state/ids.ts";
import type { Challenge } from "../state/records.ts";
import type { ToolReply } from "../state/refusal.ts";
import { asAnswered, saveTally } from "./asked_changes.ts";
import {
  isOver,
  isSealed,
  isWaiting,
  listChallenges,
  saveChallenge,
  withStatus,
} from "./challenges.ts";

/** Challenges that wait for the owner, oldest first; none without a key. */
export function waitingChallenges(ctx: CallContext, key: Uint8Array | undefined): Challenge[] {
  return key === undefined
    ? []
    : openChallenges(ctx, key).filter(({ status }) => status === "pending");
}

/** Challenges that wait for the owner, or that are approved and not yet used, oldest first. */
export function openChallenges(ctx: CallContext, key: Uint8Array): Challenge[] {
  return listChallenges(ctx.tx)
    .filter((challenge) => isSealed(key, challenge) && !isOver(ctx, challenge))
    .map((challenge) => asAnswered(ctx, challenge))
    .filter((challenge) => isWaiting(challenge, ctx.world.unixMs));
}

/** A decision of the owner. */
export interface OwnerDecision {
  /** The challenge. */
  readonly challengeId: string;
  /** `pending` takes an approval back, `later` lets the request wait as long again. */
  readonly verdict: "approved" | "denied" | "pending" | "later";
  /** The fingerprint that was shown; another one is not decided. */
  readonly fingerprint: string;
  /**
   * Where the owner decided.
   *
   * @default {"terminal"}
   */
  readonly via?: string;
}

/** Each verdict: the state it needs, the state it leads to, its event. */
const MOVES: Readonly<
  Record<
    OwnerDecision["verdict"],
    { readonly from: Challenge["status"]; readonly to: Challenge["status"]; readonly event: string }
  >
> = {
  approved: { from: "pending", to: "approved", event: "approved" },
  denied: { from: "pending", to: "denied", event: "denied" },
  later: { from: "pending", to: "pending", event: "deferred" },
  pending: { from: "approved", to: "pending", event: "taken_back" },
};

/**
 * Carries out a decision.
 *
 * @param ctx The call.
 * @param key The owner's key.
 * @param decision The decision.
 * @returns Whether the request was still in the state it was shown in; nothing is changed if not.
 */
export function decide(ctx: CallContext, key: Uint8Array, decision: OwnerDecision): boolean {
  const { verdict, fingerprint, challengeId, via = "terminal" } = decision;
  const { from, to, event } = MOVES[verdict];
  const challenge = openChallenges(ctx, key).find((open) =>
    open.challenge_id === challengeId && open.fingerprint === fingerprint && open.status === from
  );
  if (challenge === undefined) return false;
  const decided = withStatus(challenge, to, {
    [`${event}_at`]: ctx.utc,
    ...(verdict === "later" ? longer(ctx) : {}),
  });
  saveChallenge(ctx, { challenge: decided, key });
  saveTally(ctx, decided, { attempts: decided.attempts, isOver: false });
  ctx.audit(`owner_challenge_${event}`, {
    challenge_id: challengeId,
    action: challenge.action,
    via,
    ...(verdict === "later" ? { expires_at: decided.expires_at } : {}),
  });
  return true;
}

function longer(ctx: CallContext): ToolReply {
  const expiresMs = ctx.world.unixMs + ctx.config.codeTtlSeconds * 1000;
  return { expires_at: utcStamp(expiresMs), expires_ts: expiresMs / 1000 };
}
