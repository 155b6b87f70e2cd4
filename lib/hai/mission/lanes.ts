/**
 * Focus lanes: at most two things are active at once.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { CONTEXT, type Lane } from "../state/records.ts";
import { CallRefusal } from "../state/refusal.ts";
import type { Transaction } from "../state/transaction.ts";

/** Lanes that may be active at once. */
export const MAX_ACTIVE_LANES = 2;

/** The lanes there are, and the one in focus. */
export interface Lanes {
  readonly focusId: string | null;
  readonly active: readonly Lane[];
}

/** Reads the lanes. */
export function loadLanes(tx: Transaction): Lanes {
  const context = tx.record(contextPath(tx), CONTEXT);
  return { focusId: context?.focus_id ?? null, active: context?.active ?? [] };
}

/** Writes the lanes. */
function saveLanes(tx: Transaction, lanes: Lanes): void {
  tx.put(contextPath(tx), contextRecord(lanes));
}

/** Lanes as `ACTIVE_CONTEXT.json` holds them. */
export function contextRecord({ focusId, active }: Lanes) {
  return { version: 1, focus_id: focusId, active };
}

/** The lane to put in focus. */
interface LaneWish {
  readonly id: string;
  readonly label: string | undefined;
  readonly projectPath: string | undefined;
}

/**
 * Puts a lane in focus, adding it when there is room.
 *
 * @param ctx The call.
 * @param wish The lane.
 * @returns The lanes, or that there is no room.
 */
export function focusLane(ctx: CallContext, wish: LaneWish): Lanes | CallRefusal {
  const { active } = loadLanes(ctx.tx);
  const known = active.find((lane) => lane.id === wish.id);
  const path = wish.projectPath === undefined ? {} : { project_path: wish.projectPath };
  if (known === undefined && active.length >= MAX_ACTIVE_LANES) {
    return new CallRefusal(
      "max_active_lanes",
      `${MAX_ACTIVE_LANES} lanes are active; park the thought, or drop one with hai_drop_lane`,
      { active },
    );
  }
  const lane: Lane = known === undefined
    ? { id: wish.id, label: wish.label ?? wish.id, activated_at: ctx.local, ...path }
    : { ...known, label: wish.label ?? known.label, ...path };
  const lanes = {
    focusId: wish.id,
    active: known === undefined
      ? [...active, lane]
      : active.map((other) => other.id === wish.id ? lane : other),
  };
  saveLanes(ctx.tx, lanes);
  return lanes;
}

/**
 * Drops a lane. Without it, the first lane left is in focus if it was.
 *
 * @param ctx The call.
 * @param id The lane.
 * @returns The lanes, or that there is no such lane.
 */
export function dropLane(ctx: CallContext, id: string): Lanes | CallRefusal {
  const { active, focusId } = loadLanes(ctx.tx);
  const left = active.filter((lane) => lane.id !== id);
  if (left.length === active.length) {
    return new CallRefusal("unknown_lane", `No lane "${id}" is active`, { active });
  }
  const lanes = { focusId: focusId === id ? left[0]?.id ?? null : focusId, active: left };
  saveLanes(ctx.tx, lanes);
  return lanes;
}

function contextPath(tx: Transaction): string {
  return tx.at("ACTIVE_CONTEXT.json");
}
