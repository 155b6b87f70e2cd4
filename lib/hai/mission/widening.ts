/**
 * Compares a new mission with the last one: which rights it would widen.
 *
 * An agent may complete its mission alone, and may open the next one. Without this check it could give
 * itself rights that way which a changed contract needs the owner for.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import type { Contract } from "../state/records.ts";
import { StateCorruptError } from "../state/refusal.ts";
import { isAllowed } from "./activity.ts";
import type { Terms } from "./contract.ts";
import { loadContract } from "./missions.ts";

/**
 * Names the terms that are wider than those of the last mission.
 *
 * @param ctx The call.
 * @param terms The new terms.
 * @param root Real path of the new project; undefined where it is named by an id or missing.
 * @returns Members of the terms; none for the first mission of a state.
 */
export function widerThanLast(ctx: CallContext, terms: Terms, root: string | undefined): string[] {
  const { chain } = ctx.world;
  const last = "fault" in chain ? undefined : chain.trail.lastMission;
  if (last === undefined) return [];
  const before = trustedContract(ctx, last);
  if (before === undefined) return ["all of it: the contract of the last mission cannot be read"];
  const [now, old] = [terms.constraints, before.constraints];
  const isElsewhere = now.project_id !== old.project_id ||
    (now.project_id === null && root !== last.root);
  const wider: readonly (readonly [name: string, isWider: boolean])[] = [
    ["project", isElsewhere],
    ["allowed_paths", !arePathsWithin(now.allowed_paths, old.allowed_paths)],
    ["servers", isLonger(now.servers, old.servers)],
    ["tools", isLonger(now.tools, old.tools)],
    ["capabilities", now.capabilities.some((name) => !old.capabilities.includes(name))],
    ["max_parallel_sessions", now.max_parallel_sessions > old.max_parallel_sessions],
    ["time_limit_hours", hours(now.time_limit_hours) > hours(old.time_limit_hours)],
  ];
  return wider.filter(([, isWider]) => isWider).map(([name]) => name);
}

/** The last contract, if it is the one that the audit trail names. */
function trustedContract(
  ctx: CallContext,
  last: { readonly id: string; readonly version: number; readonly hash?: string },
): Contract | undefined {
  try {
    const contract = loadContract(ctx.tx, last.id, last.version);
    return last.hash === undefined || contract?.contract_hash === last.hash ? contract : undefined;
  } catch (error) {
    if (error instanceof StateCorruptError) return undefined;
    throw error;
  }
}

function arePathsWithin(now: readonly string[], old: readonly string[]): boolean {
  if (old.length === 0) return true;
  return now.length > 0 && now.every((path) => isAllowed(bare(path), old));
}

/** `./src/` and `src` are one place. */
function bare(path: string): string {
  return path.trim().split("/").filter((name) => name !== "" && name !== ".").join("/");
}

/** Whether a list allows what the other does not; none allows everything. */
function isLonger(now: readonly string[] | undefined, old: readonly string[] | undefined): boolean {
  if (old === undefined || old.includes("*")) return false;
  return now === undefined || now.some((glob) => !old.includes(glob));
}

function hours(limit: number | null): number {
  return limit ?? Infinity;
}
