/**
 * Ending things: a mission with evidence or abandoned, and the day.
 *
 * @module
 */

import { z } from "zod";
import { closeMission } from "../mission/closing.ts";
import { revokeLeases } from "../mission/leases.ts";
import { activeMissionId, loadMission } from "../mission/missions.ts";
import {
  checkText,
  defineTool,
  literalTrue,
  optionalText,
  optionalTexts,
  positive,
  text,
  type Tool,
} from "../call/tool.ts";
import { EVIDENCE_INPUT } from "./contract_inputs.ts";

const CLOSED = z.looseObject({
  ok: z.literal(true),
  status: z.enum(["completed", "abandoned", "incomplete"]),
  closed: z.boolean().describe("Whether the mission is closed; false with incomplete."),
  missing: z.array(z.string()).optional().describe("Criteria without evidence, if any."),
  missing_criteria: z.array(z.string()).optional(),
  invalid_evidence: z.array(
    z.looseObject({ criterion_id: z.string(), error: z.string(), message: z.string() }),
  ).optional(),
  verified_criteria: z.record(z.string(), z.looseObject({ path: z.string(), sha256: z.string() }))
    .optional(),
  mission_id: z.string().optional(),
  outcome_summary: z.string().optional(),
  reason: z.string().optional(),
  revoked_sessions: z.array(z.string()).optional(),
  audit_event_id: z.string().optional(),
  next_mission: z.null().optional(),
  owner_gate: z.looseObject({ gate: z.string() }).optional(),
  message: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});

const ID = text("The active mission.");
const VERSION = positive("Its current contract version.");
const DEVICE = optionalText("The device, for missions with a project_id.");
const CODE = optionalText("The owner's code, when the owner has to approve.");

const close = defineTool({
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
  run: (ctx, args) => closeMission(ctx, { ...args, closure: args.closure.trim().toLowerCase() }),
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
  run: (ctx, args) => closeMission(ctx, { ...args, closure: "completed" }),
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
    const isRunning = pointed !== null && loadMission(ctx.tx, pointed)?.status === "active";
    const paused = isRunning ? pointed : null;
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
export const CLOSE_TOOLS: readonly Tool[] = [close];

/** Proof, of the daily loop. */
export const PROOF_TOOLS: readonly Tool[] = [proof];

/** Stop, of the daily loop. */
export const STOP_TOOLS: readonly Tool[] = [stop];
