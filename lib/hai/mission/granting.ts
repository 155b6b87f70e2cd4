/**
 * Granting a lease: whether the wish fits the contract, and the lease itself.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { checkIdent, stampSeconds, utcStamp } from "../state/ids.ts";
import { isTimeOver, listLeases, retireLease, saveLease } from "./leases.ts";
import { type ActiveMission, checkDeadline, deadlineOf } from "./missions.ts";
import { requireMount } from "./mounts.ts";
import type { Lease } from "../state/records.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";
import { makeToken } from "./session_tokens.ts";
import { leaseHash } from "../trail/trail.ts";

/** A lease lasts a day at most. */
const MAX_MINUTES = 1440;

/** The lease that an agent asks for. */
interface LeaseWish {
  readonly agent_identity: string;
  readonly role: string;
  readonly contribution: string;
  readonly expected_result: string;
  readonly duration_minutes: number;
  readonly criterion_ids: readonly string[];
  readonly capabilities: readonly string[];
  readonly request_id?: string | null | undefined;
  readonly device_id?: string | null | undefined;
  readonly harness_id?: string | null | undefined;
}

/**
 * Grants a lease on the active mission.
 *
 * @param ctx The call.
 * @param active The mission.
 * @param wish What is asked for.
 * @returns The reply, or why it is denied.
 */
export function grantLease(
  ctx: CallContext,
  active: ActiveMission,
  wish: LeaseWish,
): ToolReply | CallRefusal {
  const denied = checkStopped(ctx) ?? checkDeadline(ctx, active) ?? checkCriteria(active, wish) ??
    checkRoom(ctx, active) ?? checkCapabilities(active, wish) ?? checkPlace(ctx, active, wish);
  return denied === undefined ? grant(ctx, active, wish) : denied.with({ status: "denied" });
}

/**
 * When a lease that starts now ends.
 *
 * @param ctx The call.
 * @param minutes How long it lasts; a day at most.
 * @returns The instant, UTC.
 */
function endAfter(ctx: CallContext, minutes: number): string {
  const seconds = stampSeconds(ctx.utc) + Math.min(minutes, MAX_MINUTES) * 60;
  return utcStamp(seconds * 1000);
}

/** Refuses while the owner has stopped all work; running sessions were ended by the stop. */
function checkStopped({ world: { chain } }: CallContext): CallRefusal | undefined {
  const at = "fault" in chain ? undefined : chain.trail.stoppedAt;
  if (at === undefined) return undefined;
  return new CallRefusal("work_stopped", `The owner stopped all work at ${at}`, {
    required_action: "stop",
    hint: "Tell the owner; 'hai-mcp owner resume' in their terminal lets work go on",
  });
}

/** Without a time limit of the mission, a lease is renewed for no longer than this in all. */
const MAX_DAYS = 7;

/**
 * When a renewed lease ends: never after the mission's deadline.
 *
 * @param ctx The call.
 * @param valid The lease with its mission and contract.
 * @param minutes Minutes from now.
 * @returns The instant, UTC.
 */
export function renewedEnd(
  ctx: CallContext,
  valid: ActiveMission & { readonly lease: Lease },
  minutes: number,
): string {
  const until = endAfter(ctx, minutes);
  const last = deadlineOf(valid) ??
    utcStamp((stampSeconds(valid.lease.granted_at) + MAX_DAYS * 86_400) * 1000);
  return until < last ? until : last;
}

function checkCriteria({ contract }: ActiveMission, wish: LeaseWish): CallRefusal | undefined {
  const known = contract.done_criteria.map((criterion) => criterion.id);
  const unknown = wish.criterion_ids.filter((id) => !known.includes(id));
  if (wish.criterion_ids.length > 0 && unknown.length === 0) return undefined;
  return new CallRefusal(
    "invalid_args",
    wish.criterion_ids.length === 0
      ? "criterion_ids must name at least one criterion"
      : `criterion_ids are not in the contract: ${unknown.join(", ")}`,
    { field: "criterion_ids", clause: "authorize_session.criterion_ids", known },
  );
}

function checkRoom(
  ctx: CallContext,
  { mission, contract }: ActiveMission,
): CallRefusal | undefined {
  const leases = listLeases(ctx, mission.mission_id).filter((lease) => lease.status === "active");
  const isOver = (lease: Lease) => isTimeOver(ctx, lease);
  for (const lease of leases.filter(isOver)) retireLease(ctx, lease);
  const live = leases.filter((lease) => !isOver(lease));
  const max = contract.constraints.max_parallel_sessions;
  if (live.length < max) return undefined;
  return new CallRefusal(
    "parallel_session_denied",
    `${live.length} of ${max} sessions are active; hai_release_session ends one`,
    {
      clause: "constraints.max_parallel_sessions",
      active_sessions: live.map((lease) => lease.session_id),
    },
  );
}

function checkCapabilities({ contract }: ActiveMission, wish: LeaseWish): CallRefusal | undefined {
  const known = contract.constraints.capabilities;
  const unknown = wish.capabilities.filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  return new CallRefusal(
    "invalid_args",
    `capabilities are not in the contract: ${unknown.join(", ")}`,
    { field: "capabilities", clause: "constraints.capabilities", known },
  );
}

function checkPlace(
  ctx: CallContext,
  { contract }: ActiveMission,
  wish: LeaseWish,
): CallRefusal | undefined {
  const { project_id } = contract.constraints;
  if (project_id !== null) {
    const mount = requireMount(ctx, project_id, wish.device_id);
    if (mount instanceof CallRefusal) return mount;
  } else if (typeof wish.device_id === "string") {
    const bad = checkIdent("device_id", wish.device_id);
    if (bad !== undefined) return bad;
  }
  return typeof wish.harness_id === "string"
    ? checkIdent("harness_id", wish.harness_id)
    : undefined;
}

function grant(ctx: CallContext, { mission, contract }: ActiveMission, wish: LeaseWish) {
  const capabilities = wish.capabilities.length > 0
    ? wish.capabilities
    : [...contract.constraints.capabilities].sort();
  const lease: Lease = {
    session_id: ctx.id("S"),
    mission_id: mission.mission_id,
    contract_version: contract.contract_version,
    contract_hash: contract.contract_hash,
    agent_identity: wish.agent_identity.trim(),
    role: wish.role.trim(),
    contribution: wish.contribution.trim(),
    expected_result: wish.expected_result.trim(),
    criterion_ids: [...wish.criterion_ids],
    capabilities: [...capabilities],
    granted_at: ctx.utc,
    expires_at: endAfter(ctx, wish.duration_minutes),
    status: "active",
    ...(typeof wish.request_id === "string" ? { request_id: wish.request_id } : {}),
    ...(typeof wish.device_id === "string" ? { device_id: wish.device_id } : {}),
    ...(typeof wish.harness_id === "string" ? { harness_id: wish.harness_id } : {}),
  };
  const { token, hashes } = makeToken(ctx);
  const held: Lease = { ...lease, ...hashes };
  saveLease(ctx, held);
  const { session_id, mission_id, contract_version } = lease;
  return {
    ok: true,
    status: "granted",
    session_id,
    session_token: token,
    session_lease: lease,
    audit_event_id: ctx.audit("session_authorized", {
      mission_id,
      session_id,
      contract_version,
      lease_hash: leaseHash(held),
      expires_at: lease.expires_at,
    }),
  };
}
