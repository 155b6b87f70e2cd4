/**
 * Ending things: a mission with evidence or abandoned, and the day.
 *
 * @module
 */

import { z } from "zod";
import { Asking, type CallContext } from "../call_context.ts";
import { checkId } from "../ids.ts";
import { revokeLeases } from "../leases.ts";
import {
  type ActiveMission,
  activeMissionId,
  loadMission,
  requireActive,
  saveMission,
  setActiveMission,
} from "../missions.ts";
import { requireMount, rootOf } from "../mounts.ts";
import { checkAck, Passed, passGate } from "../owner_gate.ts";
import { type EvidenceInput, judgeEvidence, type Proof } from "../proof.ts";
import { Refusal, type Reply } from "../refusal.ts";
import {
  checkText,
  defineTool,
  firstRefusal,
  literalTrue,
  optionalText,
  optionalTexts,
  positive,
  text,
  type Tool,
} from "../tool.ts";
import { EVIDENCE_INPUT } from "./contract_inputs.ts";

const CLOSED = z.looseObject({
  ok: z.literal(true),
  status: z.enum(["completed", "abandoned", "incomplete"]),
  closed: z.boolean(),
});

const ID = text("The active mission.");
const VERSION = positive("Its current contract version.");
const DEVICE = optionalText("The device, for missions with a project_id.");
const CODE = optionalText("The owner's code, when the owner has to approve.");

const closeMission = defineTool({
  name: "hai_close_mission",
  title: "Close the mission",
  description: "Completes the mission with evidence for every criterion, or abandons it with the " +
    "owner's approval. closed says whether it is closed: status incomplete means it is not.",
  effect: "replaces",
  asksOwner: true,
  input: z.strictObject({
    mission_id: ID,
    contract_version: VERSION,
    closure: text("completed or abandoned."),
    outcome_summary: text("What came of it; for abandoned the reason the owner approves."),
    evidence: EVIDENCE_INPUT.nullish()
      .describe("Evidence by criterion id, for completed; see hai_proof."),
    owner_ack: literalTrue("Counts only with HAI_OWNER_GATE=ack_legacy."),
    device_id: DEVICE,
    owner_code: CODE,
  }),
  output: CLOSED,
  run: (ctx, args) => close(ctx, { ...args, closure: args.closure.trim().toLowerCase() }),
});

const proof = defineTool({
  name: "hai_proof",
  title: "Prove it is done",
  description: "Completes the mission with evidence: for every criterion a file inside the " +
    "project, written since the mission was opened. closed says whether it is closed.",
  effect: "replaces",
  asksOwner: true,
  input: z.strictObject({
    mission_id: ID,
    contract_version: VERSION,
    evidence: EVIDENCE_INPUT,
    outcome_summary: text("What came of it."),
    device_id: DEVICE,
    owner_code: CODE,
  }),
  output: CLOSED,
  run: (ctx, args) => close(ctx, { ...args, closure: "completed" }),
});

const stop = defineTool({
  name: "hai_stop",
  title: "Stop the day",
  description: "Ends the day: every session of the active mission ends, the mission stays open. " +
    "Plans nothing for tomorrow.",
  effect: "replaces",
  input: z.strictObject({
    day: text("The day, in your words."),
    loop_closed: z.boolean().describe("Whether the day's loop is closed; literally true or false."),
    clearer: text("What is clearer now; may be empty."),
    agency_gained: text("What the owner can do now; may be empty."),
    manual_practice: optionalTexts("What the owner did by hand."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    status: z.literal("day_stopped"),
    day: z.string(),
    stop_id: z.string(),
    path: z.string(),
    manual_practice: z.array(z.string()),
    paused_mission: z.string().nullable(),
    revoked_sessions: z.array(z.string()),
    next_mission: z.null(),
    message: z.string(),
  }),
  run(ctx, args) {
    const blank = checkText("day", args.day);
    if (blank !== undefined) return blank;
    const pointed = activeMissionId(ctx.tx);
    const isActive = pointed !== null && loadMission(ctx.tx, pointed)?.status === "active";
    const paused = isActive ? pointed : null;
    const revoked = paused === null ? [] : revokeLeases(ctx, paused, "day_stopped");
    const stopId = ctx.id("A");
    const path = ctx.tx.at("stops", `${stopId}.json`);
    const practice = (args.manual_practice ?? []).map((item) => item.trim())
      .filter((item) => item !== "");
    ctx.tx.put(path, {
      stop_id: stopId,
      day: args.day.trim(),
      loop_closed: args.loop_closed,
      clearer: args.clearer,
      agency_gained: args.agency_gained,
      manual_practice: practice,
      paused_mission: paused,
      revoked_sessions: revoked,
      next_mission: null,
      stopped_at: ctx.utc,
    });
    ctx.audit("day_stopped", {
      stop_id: stopId,
      paused_mission: paused,
      revoked_sessions: revoked,
    });
    return {
      ok: true,
      status: "day_stopped",
      day: args.day.trim(),
      stop_id: stopId,
      path,
      manual_practice: practice,
      paused_mission: paused,
      revoked_sessions: revoked,
      next_mission: null,
      message: "The day is stopped; nothing is planned",
    };
  },
});

/** The closing tool of the mission lifecycle. */
export const CLOSE_TOOLS: readonly Tool[] = [closeMission];

/** Proof, of the daily loop. */
export const PROOF_TOOLS: readonly Tool[] = [proof];

/** Stop, of the daily loop. */
export const STOP_TOOLS: readonly Tool[] = [stop];

interface Closing {
  readonly mission_id: string;
  readonly contract_version: number;
  readonly closure: string;
  readonly outcome_summary: string;
  readonly evidence?: Readonly<Record<string, EvidenceInput>> | null | undefined;
  readonly device_id?: string | null | undefined;
  readonly owner_code?: string | null | undefined;
  readonly owner_ack?: unknown;
}

function close(ctx: CallContext, args: Closing) {
  const bad = checkId("M", "mission_id", args.mission_id);
  if (bad !== undefined) return bad;
  const active = requireActive(ctx, args.mission_id, args.contract_version);
  if (active instanceof Refusal) return active;
  const { project_id } = active.contract.constraints;
  const mount = project_id === null ? undefined : requireMount(ctx, project_id, args.device_id);
  if (mount instanceof Refusal) return mount;
  if (args.closure === "abandoned") return abandon(ctx, active, args);
  if (args.closure === "completed") return complete(ctx, active, args);
  return new Refusal("invalid_args", "closure must be completed or abandoned", {
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
      ? new Refusal("invalid_args", "evidence must be an object", {
        field: "evidence",
        expected: "object",
        got: "nothing",
      })
      : undefined,
  );
  if (refused !== undefined) return refused;
  const root = rootOf(ctx, active.contract, args.device_id);
  if (root instanceof Refusal) return root;
  const judged = judgeEvidence(ctx, evidence ?? {}, { contract: active.contract, root });
  if (judged.missing.length > 0) return incomplete(judged);
  const passed = passCompletion(ctx, active, { judged, args });
  return "toReply" in passed || passed instanceof Asking ? passed : completeNow(ctx, active, {
    judged,
    summary: args.outcome_summary.trim(),
    gate: passed,
  });
}

function incomplete({ verified, missing, invalid, warnings }: Proof): Reply {
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
): Reply | Refusal | Asking {
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
  done: { readonly judged: Proof; readonly summary: string; readonly gate: Reply },
): Reply {
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
