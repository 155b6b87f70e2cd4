/**
 * The owner's side of a control plane, for every front: the terminal, a console, a proxy.
 *
 * Decisions are taken under the lock on the state as it is then, and name the fingerprint that the
 * owner was shown. Where the audit trail is broken nothing is decided.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { listLeases, requireLease, revokeLeases, saveLease } from "../mission/leases.ts";
import { activeMissionId } from "../mission/missions.ts";
import { decide, openChallenges, type OwnerDecision } from "../owner/owner_desk.ts";
import { type RequestView, viewRequest } from "../desk/request_view.ts";
import type { Contract, Lease, Mission } from "../state/records.ts";
import { CallRefusal, corruptRefusal, StateCorruptError } from "../state/refusal.ts";
import type { HaiShell } from "./hai_shell.ts";

/** The owner's functions. */
export interface OwnerService {
  /** Requests that wait, and approvals not yet used, oldest first; or why there can be none. */
  requests(): Promise<readonly RequestView[] | { readonly problem: string }>;
  /** Carries out a decision; false when the request is not as it was shown any more. */
  decide(decision: OwnerDecision): Promise<boolean>;
  /** Sessions of the active mission that run. */
  leases(): Promise<readonly Lease[]>;
  /** Ends a running session; false when there is none of that id. */
  revoke(sessionId: string): Promise<boolean>;
  /** Ends every session and grants no new one; gives the ids of those ended. */
  stopAll(): Promise<readonly string[]>;
  /** Lets work go on after {@linkcode OwnerService.stopAll}. */
  resume(): Promise<void>;
}

/** A session that may work now. */
export interface ValidSession {
  readonly lease: Lease;
  readonly mission: Mission;
  readonly contract: Contract;
}

/**
 * The owner's functions on a control plane.
 *
 * @param shell The control plane, with the owner's folder and settings.
 * @returns The functions.
 * @throws {StateCorruptError} From each of them, where the audit trail is broken.
 */
export function ownerService(shell: HaiShell): OwnerService {
  const onSound = <T>(work: (ctx: CallContext, key: Uint8Array | undefined) => T) =>
    shell.hold((ctx, owner) => {
      if ("fault" in ctx.world.chain) throw ctx.world.chain.fault;
      return work(ctx, owner.existingKey());
    });
  return {
    requests: () =>
      onSound((ctx, key) =>
        key === undefined
          ? { problem: "Nothing waits: the owner's folder holds no key yet" }
          : openChallenges(ctx, key).map((challenge) => viewRequest(ctx, challenge))
      ),
    decide: (decision) => onSound((ctx, key) => key !== undefined && decide(ctx, key, decision)),
    leases: () => onSound(runningLeases),
    revoke: (sessionId) => onSound((ctx) => revoke(ctx, sessionId)),
    stopAll: () => onSound(stopAll),
    resume: () => onSound((ctx) => void ctx.audit("work_resumed", { by: "owner" })),
  };
}

/**
 * Checks that a session may work now. It fails closed: whatever keeps it from being told is a
 * refusal.
 *
 * @param shell The control plane.
 * @param session Id and token, as the agent gave them.
 * @returns The session with its contract, or the refusal.
 */
export async function checkSession(
  shell: HaiShell,
  session: { readonly session_id: string; readonly session_token?: string | undefined },
): Promise<ValidSession | CallRefusal> {
  try {
    return await shell.hold((ctx) => {
      if ("fault" in ctx.world.chain) return corruptRefusal(ctx.world.chain.fault);
      return requireLease(ctx, session);
    });
  } catch (error) {
    if (error instanceof StateCorruptError) return corruptRefusal(error);
    const kind = error instanceof Error ? error.name : "Error";
    return new CallRefusal("state_unavailable", `The session cannot be checked (${kind})`);
  }
}

function runningLeases(ctx: CallContext): Lease[] {
  const missionId = activeMissionId(ctx.tx);
  return missionId === null
    ? []
    : listLeases(ctx, missionId).filter((lease) => lease.status === "active");
}

function revoke(ctx: CallContext, sessionId: string): boolean {
  const lease = runningLeases(ctx).find(({ session_id }) => session_id === sessionId);
  if (lease === undefined) return false;
  const { session_id, mission_id } = lease;
  saveLease(ctx, { ...lease, status: "revoked", revoked_at: ctx.utc, revoke_reason: "owner" });
  ctx.audit("session_released", { session_id, mission_id, reason: "revoked by the owner" });
  return true;
}

function stopAll(ctx: CallContext): string[] {
  const missionId = activeMissionId(ctx.tx);
  const revoked_sessions = missionId === null ? [] : revokeLeases(ctx, missionId, "owner_stopped");
  ctx.audit("work_stopped", { by: "owner", revoked_sessions });
  return revoked_sessions;
}
