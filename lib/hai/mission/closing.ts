/**
 * Closing a mission: abandoned with the owner, or completed with evidence.
 *
 * @module
 */

import { type CallContext, OwnerAsking } from "../call/call_context.ts";
import { checkId } from "../state/ids.ts";
import { revokeLeases } from "./leases.ts";
import { type ActiveMission, requireActive, saveMission, setActiveMission } from "./missions.ts";
import { requireMount, rootOf } from "./mounts.ts";
import { checkAck, Passed, passGate } from "../owner/owner_gate.ts";
import { type EvidenceInput, judgeEvidence, type Proof } from "./proof.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";
import { checkText, firstRefusal } from "../call/tool.ts";

/** How a mission is to be closed. */
export interface Closing {
  readonly mission_id: string;
  readonly contract_version: number;
  readonly closure: string;
  readonly outcome_summary: string;
  readonly evidence?: Readonly<Record<string, EvidenceInput>> | null | undefined;
  readonly device_id?: string | null | undefined;
  readonly owner_code?: string | null | undefined;
  readonly owner_ack?: unknown;
}

/**
 * Closes the active mission.
 *
 * @param ctx The call.
 * @param args How.
 * @returns The reply, a refusal, or the owner to be asked.
 */
export function closeMission(ctx: CallContext, args: Closing) {
  const bad = checkId("M", "mission_id", args.mission_id);
  if (bad !== undefined) return bad;
  const active = requireActive(ctx, args.mission_id, args.contract_version);
  if (active instanceof CallRefusal) return active;
  const { project_id } = active.contract.constraints;
  const mount = project_id === null ? undefined : requireMount(ctx, project_id, args.device_id);
  if (mount instanceof CallRefusal) return mount;
  if (args.closure === "abandoned") return abandon(ctx, active, args);
  if (args.closure === "completed") return complete(ctx, active, args);
  return new CallRefusal("invalid_args", "closure must be completed or abandoned", {
    field: "closure",
    expected: '"completed" or "abandoned"',
    got: JSON.stringify(args.closure),
  });
}

function abandon(ctx: CallContext, active: ActiveMission, args: Closing) {
  const reason = args.outcome_summary.trim();
  const refused = ctx.config.gate === "ack_legacy"
    ? checkAck(ctx, { ack: args.owner_ack, reason: reason || "blank" })
    : undefined;
  const blank = refused ?? checkText("outcome_summary", reason);
  if (blank !== undefined) return blank;
  const { mission_id, contract_version, objective } = active.contract;
  const passed = passGate(ctx, {
    action: "abandon_mission",
    subject: { mission_id, contract_version, closure: "abandoned" },
    reason,
    summary: `Abandon mission ${mission_id}`,
    preview: { mission_id, objective },
    code: args.owner_code,
    ack: args.owner_ack,
  });
  if (!(passed instanceof Passed)) return passed;
  const revoked = revokeLeases(ctx, mission_id, "abandoned");
  saveMission(ctx.tx, {
    ...active.mission,
    status: "abandoned",
    closed_at: ctx.utc,
    abandon_reason: reason,
  });
  setActiveMission(ctx, null);
  return {
    ok: true,
    status: "abandoned",
    closed: true,
    mission_id,
    reason,
    revoked_sessions: revoked,
    audit_event_id: ctx.audit("mission_abandoned", {
      mission_id,
      reason,
      revoked_sessions: revoked,
      owner_gate: passed.info,
    }),
    next_mission: null,
    owner_gate: passed.info,
  };
}

function complete(ctx: CallContext, active: ActiveMission, args: Closing) {
  const { evidence } = args;
  const refused = firstRefusal(
    checkText("outcome_summary", args.outcome_summary),
    evidence === null || evidence === undefined
      ? new CallRefusal("invalid_args", "evidence must be an object", {
        field: "evidence",
        expected: "object",
        got: "nothing",
      })
      : undefined,
  );
  if (refused !== undefined) return refused;
  const root = rootOf(ctx, active.contract, args.device_id);
  if (root instanceof CallRefusal) return root;
  const judged = judgeEvidence(ctx, evidence ?? {}, { contract: active.contract, root });
  if (judged.missing.length > 0) return incomplete(judged);
  const passed = passCompletion(ctx, active, { judged, args });
  return "toReply" in passed || passed instanceof OwnerAsking ? passed : completeNow(ctx, active, {
    judged,
    summary: args.outcome_summary.trim(),
    gate: passed,
  });
}

function incomplete({ verified, missing, invalid, warnings }: Proof): ToolReply {
  return {
    ok: true,
    status: "incomplete",
    closed: false,
    missing,
    missing_criteria: missing,
    invalid_evidence: invalid,
    verified_criteria: verified,
    message: `NOT closed: evidence is missing for ${missing.join(", ")}`,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function passCompletion(
  ctx: CallContext,
  active: ActiveMission,
  { judged, args }: { readonly judged: Proof; readonly args: Closing },
): ToolReply | CallRefusal | OwnerAsking {
  if (ctx.config.policy !== "strict" || ctx.config.gate === "ack_legacy") return {};
  const { mission_id, contract_version, objective } = active.contract;
  const passed = passGate(ctx, {
    action: "complete_mission",
    subject: { mission_id, contract_version, closure: "completed", evidence: judged.verified },
    reason: args.outcome_summary.trim(),
    summary: `Complete mission ${mission_id} with this evidence`,
    preview: { mission_id, objective, evidence: judged.verified, warnings: judged.warnings },
    code: args.owner_code,
  });
  return passed instanceof Passed ? { owner_gate: passed.info } : passed;
}

function completeNow(
  ctx: CallContext,
  active: ActiveMission,
  done: { readonly judged: Proof; readonly summary: string; readonly gate: ToolReply },
): ToolReply {
  const { mission_id } = active.mission;
  const { verified, warnings } = done.judged;
  const revoked = revokeLeases(ctx, mission_id, "completed");
  saveMission(ctx.tx, {
    ...active.mission,
    status: "completed",
    closed_at: ctx.utc,
    outcome_summary: done.summary,
    verified_criteria: verified,
  });
  setActiveMission(ctx, null);
  return {
    ok: true,
    status: "completed",
    closed: true,
    mission_id,
    verified_criteria: verified,
    outcome_summary: done.summary,
    revoked_sessions: revoked,
    audit_event_id: ctx.audit("mission_completed", {
      mission_id,
      verified_criteria: verified,
      outcome_summary: done.summary,
      revoked_sessions: revoked,
      ...done.gate,
    }),
    next_mission: null,
    ...done.gate,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
