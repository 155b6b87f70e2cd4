/**
 * Capturing without acting: parked thoughts, intake, distilling, reading
 * back what was captured.
 *
 * @module
 */

import { z } from "zod";
import { INTEGER } from "../call/boundary.ts";
import type { CallContext } from "../call/call_context.ts";
import { checkId } from "../state/ids.ts";
import { parkThought } from "../ledger/inbox.ts";
import { findLease } from "../mission/leases.ts";
import { loadLanes } from "../mission/lanes.ts";
import { loadMission } from "../mission/missions.ts";
import { listRecords, RECORD_KINDS } from "../ledger/record_lists.ts";
import { INTAKE, PARKED } from "../state/records.ts";
import { CallRefusal } from "../state/refusal.ts";
import {
  checkText,
  defineTool,
  firstRefusal,
  optionalText,
  optionalTexts,
  text,
  type Tool,
} from "../call/tool.ts";

const park = defineTool({
  name: "hai_park",
  title: "Park a thought",
  description: "Puts a thought in the inbox so that the work in hand goes on. Starts nothing.",
  effect: "adds",
  input: z.strictObject({
    text: text("The thought, not blank."),
    tags: optionalTexts("Words to find it by."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    path: z.string(),
    active_unchanged: z.literal(true),
    active_count: z.int(),
    message: z.string(),
  }),
  run(ctx, args) {
    const blank = checkText("text", args.text);
    if (blank !== undefined) return blank;
    const path = parkThought(ctx, args.text, args.tags ?? []);
    const { active } = loadLanes(ctx.tx);
    return {
      ok: true,
      path,
      active_unchanged: true,
      active_count: active.length,
      message: "Parked; nothing was started",
    };
  },
});

const parkItem = defineTool({
  name: "hai_park_item",
  title: "Park an idea of a mission",
  description: "Parks an idea that came up in a mission but is not part of it. Call it when " +
    "hai_check_activity answers park_candidate.",
  effect: "adds",
  input: z.strictObject({
    idea: text("The idea, not blank."),
    origin_session_id: text("The session it came up in."),
    trigger_event: text("What brought it up, such as park_candidate."),
    mission_id: text("The mission of that session."),
    rationale: text("Why it is parked and not done now."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    parking_id: z.string(),
    status: z.literal("parked"),
    record: PARKED,
    audit_event_id: z.string(),
    message: z.string(),
  }),
  run(ctx, args) {
    const refused = firstRefusal(
      checkText("idea", args.idea),
      checkText("rationale", args.rationale),
      checkText("trigger_event", args.trigger_event),
      checkId("S", "origin_session_id", args.origin_session_id),
      checkId("M", "mission_id", args.mission_id),
      checkOrigin(ctx, args),
    );
    if (refused !== undefined) return refused;
    const record = {
      parking_id: ctx.id("P"),
      status: "parked",
      idea: args.idea.trim(),
      origin_session_id: args.origin_session_id,
      trigger_event: args.trigger_event.trim(),
      mission_id: args.mission_id,
      rationale: args.rationale.trim(),
      parked_at: ctx.utc,
      actionable: false as const,
    };
    ctx.tx.put(ctx.tx.at("parking", `${record.parking_id}.json`), record);
    const { parking_id, mission_id } = record;
    return {
      ok: true,
      parking_id,
      status: "parked",
      record,
      audit_event_id: ctx.audit("item_parked", { parking_id, mission_id }),
      message: "Parked; the contract is unchanged",
    };
  },
});

const intake = defineTool({
  name: "hai_intake",
  title: "Take in raw input",
  description: "Keeps raw input exactly as it came. It is not a task: distill it first.",
  effect: "adds",
  input: z.strictObject({ raw: text("The input as it came, not blank.") }),
  output: z.looseObject({
    ok: z.literal(true),
    intake_id: z.string(),
    actionable: z.literal(false),
    message: z.string(),
  }),
  run(ctx, args) {
    const blank = checkText("raw", args.raw);
    if (blank !== undefined) return blank;
    const record = {
      intake_id: ctx.id("I"),
      raw: args.raw,
      actionable: false,
      captured_at: ctx.utc,
    };
    ctx.tx.put(ctx.tx.at("intake", `${record.intake_id}.json`), record);
    return {
      ok: true,
      intake_id: record.intake_id,
      actionable: false,
      message: "Captured; hai_distill makes one decision and one next step of it",
    };
  },
});

const distill = defineTool({
  name: "hai_distill",
  title: "Distill an intake",
  description: "Makes one decision and one next step of an intake, and parks the rest.",
  effect: "adds",
  input: z.strictObject({
    intake_id: text("The intake."),
    decision: text("One decision, one line."),
    next_step: text("One next step, one line."),
    parklist: optionalTexts("What is parked instead.", 200),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    distill_id: z.string(),
    intake_id: z.string(),
    decision: z.string(),
    next_step: z.string(),
    parked_count: z.int(),
    message: z.string(),
  }),
  run(ctx, args) {
    const refused = firstRefusal(
      checkId("I", "intake_id", args.intake_id),
      checkLine("decision", args.decision),
      checkLine("next_step", args.next_step),
    );
    if (refused !== undefined) return refused;
    if (ctx.tx.record(ctx.tx.at("intake", `${args.intake_id}.json`), INTAKE) === undefined) {
      return new CallRefusal("invalid_args", `intake_id names no intake: ${args.intake_id}`, {
        field: "intake_id",
      });
    }
    const items = (args.parklist ?? []).filter((item) => item.trim() !== "");
    for (const item of items) parkThought(ctx, item, ["distilled", args.intake_id]);
    const record = {
      distill_id: ctx.id("A"),
      intake_id: args.intake_id,
      decision: args.decision.trim(),
      next_step: args.next_step.trim(),
      parked_count: items.length,
      distilled_at: ctx.utc,
    };
    ctx.tx.put(ctx.tx.at("distillations", `${record.distill_id}.json`), record);
    const { distilled_at: _at, ...shown } = record;
    return { ok: true, ...shown, message: "Distilled; nothing was started" };
  },
});

const listAll = defineTool({
  name: "hai_list_records",
  title: "What was captured",
  description: "Reads back parked items, inbox thoughts, intakes, distillations, stops or " +
    "checkpoints, newest first, a page at a time; long texts are cut.",
  effect: "reads",
  input: z.strictObject({
    kind: z.enum(RECORD_KINDS).describe("Which records."),
    limit: z.int(INTEGER).min(1).max(200).default(20).describe("How many at most."),
    cursor: optionalText("next_cursor of the page before; left out for the newest."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    kind: z.enum(RECORD_KINDS),
    records: z.array(z.looseObject({})),
    total: z.int(),
    next_cursor: z.string().nullable().describe("Goes on with older ones; null at the end."),
  }),
  run: (ctx, { kind, limit, cursor }) => ({
    ok: true,
    kind,
    ...listRecords(ctx.tx, { kind, limit, cursor: cursor ?? undefined }),
  }),
});

/** The inbox tool of the control plane. */
export const PARK_TOOLS: readonly Tool[] = [park];

/** Parking in a mission. */
export const PARK_ITEM_TOOLS: readonly Tool[] = [parkItem];

/** Intake tools of the daily loop. */
export const INTAKE_TOOLS: readonly Tool[] = [intake, distill];

/** Reading records back: beyond the contract. */
export const ADDED_RECORD_TOOLS: readonly Tool[] = [listAll];

function checkOrigin(
  ctx: CallContext,
  given: { readonly mission_id: string; readonly origin_session_id: string },
): CallRefusal | undefined {
  if (loadMission(ctx.tx, given.mission_id) === undefined) {
    return new CallRefusal("invalid_args", `mission_id names no mission: ${given.mission_id}`, {
      field: "mission_id",
    });
  }
  const lease = findLease(ctx, given.origin_session_id);
  if (!(lease instanceof CallRefusal) && lease.mission_id === given.mission_id) return undefined;
  return new CallRefusal("invalid_args", "origin_session_id names no session of this mission", {
    field: "origin_session_id",
  });
}

function checkLine(field: string, value: string): CallRefusal | undefined {
  const blank = checkText(field, value);
  if (blank !== undefined || !/[\r\n]/.test(value.trim())) return blank;
  return new CallRefusal("invalid_args", `${field} must be one line`, {
    field,
    expected: "one line",
    got: "several lines",
  });
}
