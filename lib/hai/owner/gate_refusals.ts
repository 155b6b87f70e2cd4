/**
 * Refusals of the owner gate, and the sentence that an agent hands to its person.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import type { Challenge } from "../state/records.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";

/** Wrong codes a challenge bears; the third cancels it. */
export const MAX_ATTEMPTS = 3;

/** Refuses until the owner has approved, or until the approved change is called for again. */
export function refusePending(ctx: CallContext, challenge: Challenge): CallRefusal {
  const isApproved = challenge.status === "approved";
  return new CallRefusal(
    "owner_gate_required",
    isApproved
      ? "The owner approved exactly this change. Call again with the same arguments to apply it"
      : "The owner has to approve exactly this change. Ask the owner for the code and call again " +
        "with the same arguments and owner_code, or without it once the owner approved in a terminal",
    {
      gate: "nonce",
      status: isApproved ? "owner_approved" : "pending_owner_code",
      challenge_id: challenge.challenge_id,
      action: challenge.action,
      fingerprint: challenge.fingerprint,
      expires_at: challenge.expires_at,
      attempts_remaining: MAX_ATTEMPTS - challenge.attempts,
      channel: ctx.config.channel,
      ...(isApproved ? {} : { tell_owner: tellOwner(ctx, challenge) }),
    },
  );
}

/** Refuses a change that the owner denied. */
export function refuseDenied(
  challenge: Pick<Challenge, "challenge_id" | "expires_at">,
): CallRefusal {
  return refuseGate("owner_denied", "The owner denied exactly this change", {
    challenge_id: challenge.challenge_id,
    status: "denied",
    expires_at: challenge.expires_at,
  });
}

/** Refuses at the gate, with a detail that says why. */
export function refuseGate(detail: string, message: string, extra: ToolReply = {}): CallRefusal {
  return new CallRefusal("owner_gate_required", message, { gate: "nonce", detail, ...extra });
}

/** One sentence for the person: what waits, the command, and where. */
function tellOwner(
  { config }: CallContext,
  { challenge_id, action, expires_at }: Challenge,
): string {
  const where = config.channel === "ntfy"
    ? "your ntfy topic shows the request"
    : config.channel === "touchid"
    ? "the sensor of this Mac asks"
    : `the request lies in ${config.ownerHome}`;
  return `Your approval is needed (${action}, until ${expires_at}): run ` +
    `'hai-mcp owner approve ${challenge_id}' in a terminal on the machine where hai-mcp runs; ${where}.`;
}
