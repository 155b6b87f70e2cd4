/**
 * Recall: what was captured and never came to an end, and how each item ended.
 *
 * Resolving never edits the item: it adds a record to a chain of its own.
 * Removing that record opens the item again.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { recordHash } from "../state/hashes.ts";
import { checkId, isId, stampSeconds } from "../state/ids.ts";
import { loadLanes } from "../mission/lanes.ts";
import { allRecords } from "./record_lists.ts";
import { DISTILLATION, INTAKE, PARKED, RESOLUTION, RESOLUTION_HEAD } from "../state/records.ts";
import { CallRefusal, StateCorruptError, type ToolReply } from "../state/refusal.ts";
import { byCodePoint } from "../state/state_json.ts";
import type { Transaction } from "../state/transaction.ts";

/** Backlogs, in the order they are shown. */
const BACKLOGS = {
  next_step_open: "Next steps without an outcome",
  parking_open: "Parked items",
  intake_untriaged: "Intakes nobody distilled",
} as const;

/** Name of a backlog. */
type Backlog = keyof typeof BACKLOGS;

/** An open item. */
interface OpenItem {
  readonly backlog: Backlog;
  readonly item_id: string;
  readonly created_at: string;
  readonly age_days: number | null;
  readonly summary: string;
  readonly detail: string;
  readonly source: string;
  readonly relevance: number;
}

/** How an item may end. */
export const OUTCOMES = ["resolved", "dropped", "promoted"] as const;

/**
 * Reports what is open.
 *
 * @param ctx The call.
 * @param limit Items shown per backlog.
 * @returns The report.
 */
export function recallReport(ctx: CallContext, limit: number): ToolReply {
  const terms = contextTerms(ctx.tx);
  const items = openItems(ctx, terms);
  return {
    ok: true,
    generated_at: ctx.utc,
    hai_home: ctx.tx.home,
    open_total: items.length,
    context_terms: [...terms].sort(byCodePoint),
    backlogs: Object.entries(BACKLOGS).map(([backlog, title]) => {
      const open = items.filter((item) => item.backlog === backlog);
      return { backlog, title, open: open.length, shown: open.slice(0, limit) };
    }),
  };
}

/** The owner's resolution of an item. */
export interface ResolveWish {
  readonly itemId: string;
  readonly outcome: string;
  readonly why: string;
  readonly missionId: string | null;
}

/**
 * Ends an item.
 *
 * @param ctx The call.
 * @param wish How and why.
 * @returns The resolution, or why not.
 */
export function resolveItem(ctx: CallContext, wish: ResolveWish): ToolReply | CallRefusal {
  const outcome = OUTCOMES.find((known) => known === wish.outcome);
  const refused = checkWish(wish, outcome);
  if (refused !== undefined) return refused;
  if (outcome === undefined) return new CallRefusal("invalid_args", "outcome is unknown");
  const resolutions = loadResolutions(ctx.tx);
  if (resolutions.some((resolution) => resolution.item_id === wish.itemId)) {
    return new CallRefusal("already_resolved", `${wish.itemId} is resolved already`);
  }
  if (!openItems(ctx, new Set()).some((item) => item.item_id === wish.itemId)) {
    return new CallRefusal("unknown_item", `${wish.itemId} is no open item`);
  }
  const head = ctx.tx.record(headPath(ctx.tx), RESOLUTION_HEAD);
  const open = {
    resolution_id: ctx.id("R"),
    item_id: wish.itemId,
    outcome,
    rationale: wish.why.trim(),
    mission_id: wish.missionId,
    resolved_at: ctx.utc,
    seq: (head?.seq ?? 0) + 1,
    prev_resolution_id: head?.resolution_id ?? null,
    prev_hash: head?.record_hash ?? null,
  };
  const record = { ...open, record_hash: recordHash(open, "record_hash") };
  const { seq, resolution_id, record_hash } = record;
  ctx.tx.put(ctx.tx.at("resolutions", `${resolution_id}.json`), record);
  ctx.tx.put(headPath(ctx.tx), { seq, resolution_id, record_hash });
  return { ok: true, resolution: record };
}

/** Every resolution, its own hash verified. A missing one is allowed: its item is open again. */
export function loadResolutions(tx: Transaction) {
  const all = allRecords(tx, { dir: "resolutions", prefix: "R", shape: RESOLUTION });
  for (const record of all) {
    if (recordHash(record, "record_hash") === record.record_hash) continue;
    const file = tx.at("resolutions", `${record.resolution_id}.json`);
    throw new StateCorruptError(file, "its hash does not match");
  }
  tx.record(headPath(tx), RESOLUTION_HEAD);
  return all;
}

function checkWish(wish: ResolveWish, outcome: string | undefined): CallRefusal | undefined {
  const { itemId, why, missionId } = wish;
  if (!isId("I", itemId) && !isId("P", itemId) && !isId("A", itemId)) {
    return new CallRefusal("invalid_args", "the item must be an I-, P- or A- id", {
      field: "item",
    });
  }
  if (outcome === undefined) {
    return new CallRefusal("invalid_args", `--as must be one of ${OUTCOMES.join(", ")}`, {
      field: "as",
    });
  }
  if (why.trim() === "") {
    return new CallRefusal("invalid_args", "--why must not be blank", { field: "why" });
  }
  if (outcome === "promoted" && missionId === null) {
    return new CallRefusal("invalid_args", "--as promoted needs --mission", { field: "mission" });
  }
  return missionId === null ? undefined : checkId("M", "mission", missionId);
}

function openItems(ctx: CallContext, terms: ReadonlySet<string>): OpenItem[] {
  const { tx } = ctx;
  const distilled = allRecords(tx, { dir: "distillations", prefix: "A", shape: DISTILLATION });
  const parked = allRecords(tx, { dir: "parking", prefix: "P", shape: PARKED });
  const intakes = allRecords(tx, { dir: "intake", prefix: "I", shape: INTAKE });
  const triaged = new Set(distilled.map((record) => record.intake_id));
  const ended = new Set(loadResolutions(tx).map((record) => record.item_id));
  const item = (
    backlog: Backlog,
    record: { id: string; at: string; text: string; detail: string; source: string },
  ): OpenItem => ({
    backlog,
    item_id: record.id,
    created_at: record.at,
    age_days: ageDays(ctx, record.at),
    summary: [...record.text.replaceAll(/\s+/g, " ").trim()].slice(0, 150).join(""),
    detail: record.detail,
    source: record.source,
    relevance: [...words(record.text + " " + record.detail)].filter((w) => terms.has(w)).length,
  });
  return [
    ...distilled.filter((record) => record.next_step.trim() !== "").map((record) =>
      item("next_step_open", {
        id: record.distill_id,
        at: record.distilled_at,
        text: record.next_step,
        detail: record.decision,
        source: record.intake_id,
      })
    ),
    ...parked.filter((record) => record.status === "parked").map((record) =>
      item("parking_open", {
        id: record.parking_id,
        at: record.parked_at,
        text: record.idea,
        detail: record.rationale,
        source: record.mission_id,
      })
    ),
    ...intakes.filter((record) => !triaged.has(record.intake_id)).map((record) =>
      item("intake_untriaged", {
        id: record.intake_id,
        at: record.captured_at,
        text: record.raw,
        detail: "",
        source: record.intake_id,
      })
    ),
  ]
    .filter((open) => !ended.has(open.item_id))
    .sort((a, b) =>
      b.relevance - a.relevance || (b.age_days ?? 0) - (a.age_days ?? 0) ||
      byCodePoint(a.created_at, b.created_at) || byCodePoint(a.item_id, b.item_id)
    );
}

function ageDays(ctx: CallContext, at: string): number | null {
  const days = (ctx.world.unixMs / 1000 - stampSeconds(at)) / 86400;
  return Number.isFinite(days) ? Math.round(days * 10) / 10 : null;
}

function contextTerms(tx: Transaction): Set<string> {
  const { focusId, active } = loadLanes(tx);
  const lane = active.find((known) => known.id === focusId);
  return words([focusId, lane?.label, lane?.project_path].filter(Boolean).join(" "));
}

function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[a-z0-9äöüß-]{4,}/g) ?? []);
}

function headPath(tx: Transaction): string {
  return tx.at("resolutions", "HEAD.json");
}
