/**
 * Session leases: bounded permission to work, and when one is valid.
 *
 * A lease is bound to a mission, a contract version and that contract's hash.
 * It ends by time, by release, or when the mission moves on.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { checkId, isFromLater, isId, stampSeconds } from "../state/ids.ts";
import {
  activeMissionId,
  checkDeadline,
  checkTrail,
  loadContract,
  loadMission,
} from "./missions.ts";
import { type Contract, LEASE, type Lease, type Mission } from "../state/records.ts";
import { CallRefusal, StateCorruptError } from "../state/refusal.ts";
import { checkHolder } from "./session_tokens.ts";
import { leaseHash, type Trail } from "../trail/trail.ts";

/** A lease that is good to work under. */
interface ValidLease {
  readonly lease: Lease;
  readonly mission: Mission;
  readonly contract: Contract;
}

/** Leases of a mission, in order of their ids; links and foreign records are left out. */
export function listLeases(ctx: CallContext, missionId: string): Lease[] {
  const dir = sessionsDir(ctx, missionId);
  if (!ctx.tx.isConfined(`${dir}/x`)) return [];
  return ctx.tx.list(dir).flatMap((name) => {
    const lease = readLease(ctx, missionId, name.replace(/\.json$/, ""));
    return lease === undefined ? [] : [lease];
  });
}

/** Writes a lease. */
export function saveLease(ctx: CallContext, lease: Lease): void {
  ctx.tx.put(`${sessionsDir(ctx, lease.mission_id)}/${lease.session_id}.json`, lease);
}

/**
 * Finds a lease by its id, whatever its state.
 *
 * @param ctx The call.
 * @param sessionId The id as it came.
 * @returns The lease, or `invalid_args`.
 */
export function findLease(ctx: CallContext, sessionId: string): Lease | CallRefusal {
  const bad = checkId("S", "session_id", sessionId);
  if (bad !== undefined) return bad.with({ required_action: "pause" });
  const active = activeMissionId(ctx.tx);
  const found = active === null ? undefined : readLease(ctx, active, sessionId);
  if (found !== undefined) return found;
  for (const missionId of ctx.tx.list(ctx.tx.at("missions"))) {
    if (!isId("M", missionId) || missionId === active) continue;
    const lease = readLease(ctx, missionId, sessionId);
    if (lease !== undefined) return lease;
  }
  return new CallRefusal("invalid_args", `session_id names no session: ${sessionId}`, {
    field: "session_id",
    expected: "id of a granted session",
    got: JSON.stringify(sessionId),
    required_action: "pause",
  });
}

/**
 * Checks that a session may work now. An expired lease is retired on the way.
 *
 * @param ctx The call.
 * @param session Id and token as received.
 * @returns The lease with its mission and contract, or why it is not valid.
 */
export function requireLease(
  ctx: CallContext,
  session: { readonly session_id: string; readonly session_token?: string | null | undefined },
): ValidLease | CallRefusal {
  const lease = findLease(ctx, session.session_id);
  if (lease instanceof CallRefusal) return lease;
  return checkHolder(ctx, lease, session.session_token) ?? judgeLease(ctx, lease);
}

/** Judges a lease that was found; see {@linkcode requireLease}. */
export function judgeLease(ctx: CallContext, lease: Lease): ValidLease | CallRefusal {
  const pause = { session_id: lease.session_id, required_action: "pause" };
  const mission = loadMission(ctx.tx, lease.mission_id);
  if (mission?.status !== "active" || activeMissionId(ctx.tx) !== lease.mission_id) {
    return new CallRefusal(
      "mission_not_active",
      "The mission of this session is not active",
      pause,
    );
  }
  const contract = loadContract(ctx.tx, lease.mission_id, mission.current_version);
  const unverified = checkTrail(ctx, mission, contract);
  if (unverified !== undefined) return unverified.with(pause);
  checkGranted(ctx, lease);
  if (
    contract === undefined || lease.contract_version !== mission.current_version ||
    lease.contract_hash !== contract.contract_hash
  ) {
    return new CallRefusal(
      "contract_version_mismatch",
      `This session was granted for contract version ${lease.contract_version}, ` +
        `the current one is ${mission.current_version}: authorize a new session`,
      { ...pause, current_version: mission.current_version },
    );
  }
  if (isTimeOver(ctx, lease)) {
    retireLease(ctx, lease);
    const why = ctx.utc > lease.expires_at
      ? `ended at ${lease.expires_at}`
      : `was granted at ${lease.granted_at}, and the clock was set back since`;
    return new CallRefusal("lease_expired", `This session ${why}`, {
      ...pause,
      expires_at: lease.expires_at,
    });
  }
  if (lease.status !== "active") {
    return new CallRefusal("lease_revoked", `This session is ${lease.status}`, {
      ...pause,
      reason: lease.revoke_reason ?? lease.status,
    });
  }
  return checkDeadline(ctx, { mission, contract })?.with(pause) ?? { lease, mission, contract };
}

/** How a lease differs from what the audit trail says; undefined when it does not. */
export function leaseFault(trail: Trail, lease: Lease): string | undefined {
  const known = trail.lease(lease.session_id);
  if (known === undefined) {
    return trail.isRestarted ? undefined : "the audit trail does not know this session";
  }
  if (known.hash !== undefined && known.hash !== leaseHash(lease)) {
    return "it is not the lease that was granted: the audit trail names another hash";
  }
  if (known.expiresAt !== undefined && known.expiresAt !== lease.expires_at) {
    return `the audit trail says that it ends at ${known.expiresAt}`;
  }
  return known.isOver && lease.status === "active"
    ? "the audit trail says that it is over"
    : undefined;
}

function checkGranted(ctx: CallContext, lease: Lease): void {
  const { chain } = ctx.world;
  const fault = "fault" in chain ? undefined : leaseFault(chain.trail, lease);
  if (fault === undefined) return;
  const { mission_id, session_id } = lease;
  throw new StateCorruptError(`${sessionsDir(ctx, mission_id)}/${session_id}.json`, fault);
}

/**
 * Ends every live lease of a mission.
 *
 * @param ctx The call.
 * @param missionId The mission.
 * @param reason Why.
 * @returns Ids of the leases ended.
 */
export function revokeLeases(ctx: CallContext, missionId: string, reason: string): string[] {
  const live = listLeases(ctx, missionId).filter((lease) => lease.status === "active");
  for (const lease of live) {
    saveLease(ctx, {
      ...lease,
      status: "revoked",
      revoked_at: ctx.utc,
      revoke_reason: reason,
    });
  }
  return live.map((lease) => lease.session_id);
}

/** Whether a lease's time is over, or cannot be told because the clock was set back. */
export function isTimeOver(ctx: CallContext, lease: Lease): boolean {
  return ctx.utc > lease.expires_at ||
    isFromLater(stampSeconds(lease.granted_at), ctx.world.unixMs);
}

/** Seconds until a lease ends, never below 0. */
export function remainingSeconds(ctx: CallContext, lease: Lease): number {
  return Math.max(0, Math.floor(stampSeconds(lease.expires_at) - ctx.world.unixMs / 1000));
}

/** Marks an active lease whose time is over, once. */
export function retireLease(ctx: CallContext, lease: Lease): void {
  if (lease.status !== "active") return;
  saveLease(ctx, { ...lease, status: "expired" });
  ctx.audit("lease_expired", {
    session_id: lease.session_id,
    mission_id: lease.mission_id,
    expires_at: lease.expires_at,
    contract_version: lease.contract_version,
    contract_hash: lease.contract_hash,
  });
}

function readLease(ctx: CallContext, missionId: string, sessionId: string): Lease | undefined {
  if (!isId("S", sessionId)) return undefined;
  const path = `${sessionsDir(ctx, missionId)}/${sessionId}.json`;
  if (!ctx.tx.isConfined(path) || ctx.world.disk.kind(path) === "symlink") return undefined;
  const lease = ctx.tx.record(path, LEASE);
  return lease?.session_id === sessionId && lease.mission_id === missionId ? lease : undefined;
}

function sessionsDir(ctx: CallContext, missionId: string): string {
  return ctx.tx.at("missions", missionId, "sessions");
}
