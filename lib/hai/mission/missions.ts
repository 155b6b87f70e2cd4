/**
 * Missions on disk: the pointer to the active one, its state, its contracts.
 *
 * A contract is trusted only if its stored hash is the hash of its content, and
 * a mission only if it is as the audit trail has it. Records whose ids are not
 * those of their place are treated as missing.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { recordHash } from "../state/hashes.ts";
import { isId, stampSeconds, utcStamp } from "../state/ids.ts";
import { CONTRACT, type Contract, MISSION, type Mission, POINTER } from "../state/records.ts";
import { CallRefusal, StateCorruptError, type ToolReply } from "../state/refusal.ts";
import type { Trail } from "../trail/trail.ts";
import type { Transaction } from "../state/transaction.ts";

/** The active mission with its current contract. */
export interface ActiveMission {
  /** Its state. */
  readonly mission: Mission;
  /** Its current contract. */
  readonly contract: Contract;
}

/** Id of the active mission; null when there is none. */
export function activeMissionId(tx: Transaction): string | null {
  const pointer = tx.record(tx.at("missions", "active_mission.json"), POINTER);
  return pointer?.status === "active" ? pointer.mission_id : null;
}

/** Points to the active mission, or to none. */
export function setActiveMission(ctx: CallContext, missionId: string | null): void {
  ctx.tx.put(ctx.tx.at("missions", "active_mission.json"), {
    mission_id: missionId,
    status: missionId === null ? "none" : "active",
    updated_at: ctx.utc,
  });
}

/** Reads a mission's state; undefined for an unknown id. */
export function loadMission(tx: Transaction, missionId: string): Mission | undefined {
  if (!isId("M", missionId)) return undefined;
  const mission = tx.record(tx.at("missions", missionId, "mission.json"), MISSION);
  return mission?.mission_id === missionId ? mission : undefined;
}

/**
 * Missions that were closed, the latest first.
 *
 * @param tx Where they are read.
 * @param most How many at the most.
 */
export function closedMissions(tx: Transaction, most: number): Mission[] {
  // Ids begin with the time: the latest missions are the last names.
  const ids = tx.list(tx.at("missions")).filter((name) => isId("M", name)).sort().reverse();
  const closed: Mission[] = [];
  for (const id of ids) {
    if (closed.length === most) break;
    const mission = loadMission(tx, id);
    if (mission !== undefined && mission.status !== "active") closed.push(mission);
  }
  return closed;
}

/** Writes a mission's state. */
export function saveMission(tx: Transaction, mission: Mission): void {
  tx.put(missionPath(tx, mission), mission);
}

/**
 * One version of a contract, its hash verified.
 *
 * @param tx Where it is read.
 * @param missionId The mission.
 * @param version The version.
 * @returns The contract; undefined when there is none.
 * @throws {StateCorruptError} When the hash does not match.
 */
export function loadContract(
  tx: Transaction,
  missionId: string,
  version: number,
): Contract | undefined {
  const path = contractPath(tx, missionId, version);
  const contract = tx.record(path, CONTRACT);
  if (contract === undefined) return undefined;
  if (contract.mission_id !== missionId || contract.contract_version !== version) {
    throw new StateCorruptError(path, "it belongs to another mission or version");
  }
  if (recordHash(contract, "contract_hash") !== contract.contract_hash) {
    throw new StateCorruptError(
      path,
      "its hash does not match: it was changed after it was written",
    );
  }
  return contract;
}

/**
 * Checks that a mission and its contract are as the audit trail has them, so that
 * files rewritten together with their hashes, or put back, are noticed.
 *
 * @param ctx The call.
 * @param mission The mission, active by its own file.
 * @param contract One of its contracts, whose own hash is verified already; undefined for none.
 * @returns `mission_unverified` when an event that the owner's key never sealed speaks of it.
 * @throws {StateCorruptError} When the trail says something else.
 */
export function checkTrail(
  ctx: CallContext,
  mission: Mission,
  contract: Contract | undefined,
): CallRefusal | undefined {
  const { chain } = ctx.world;
  if ("fault" in chain) return undefined;
  const unsealed = chain.trail.unverified.get(mission.mission_id);
  if (unsealed !== undefined) return refuseUnverified(mission.mission_id, unsealed);
  const fault = missionFault(chain.trail, mission);
  if (fault !== undefined) throw new StateCorruptError(missionPath(ctx.tx, mission), fault);
  if (contract === undefined) return undefined;
  const problem = contractFault(chain.trail, contract);
  const { mission_id, contract_version } = contract;
  if (problem === undefined) return undefined;
  throw new StateCorruptError(contractPath(ctx.tx, mission_id, contract_version), problem);
}

function refuseUnverified(missionId: string, event: string): CallRefusal {
  return new CallRefusal(
    "mission_unverified",
    `Mission ${missionId} is unverified: event ${event} does not carry the owner's seal`,
    {
      mission_id: missionId,
      required_action: "pause",
      hint: "Another server or program wrote it. Tell the owner: 'hai-mcp doctor' names it, " +
        "'hai-mcp repair' goes back to what was sealed",
    },
  );
}

/** How a mission differs from what the audit trail says; undefined when it does not. */
export function missionFault(trail: Trail, mission: Mission): string | undefined {
  const known = trail.mission(mission.mission_id);
  if (known === undefined) {
    return trail.isRestarted || mission.status !== "active"
      ? undefined
      : "the audit trail does not know this mission";
  }
  if (known.status !== mission.status) return `the audit trail says that it is ${known.status}`;
  return known.version === mission.current_version
    ? undefined
    : `the audit trail says that version ${known.version} is current`;
}

/** How a contract differs from what the audit trail names; undefined when it does not. */
export function contractFault(trail: Trail, contract: Contract): string | undefined {
  const agreed = trail.mission(contract.mission_id)?.hashes.get(contract.contract_version);
  return agreed === undefined || agreed === contract.contract_hash
    ? undefined
    : "it is not the contract that was agreed: the audit trail names another hash";
}

/** Writes a contract version; an existing one is never overwritten. */
export function saveContract(tx: Transaction, contract: Contract): void {
  const path = contractPath(tx, contract.mission_id, contract.contract_version);
  if (tx.text(path) !== undefined) {
    throw new StateCorruptError(path, "this version exists already");
  }
  tx.put(path, contract);
}

/**
 * The active mission an argument names, at its current contract version.
 *
 * @param ctx The call.
 * @param missionId The mission named.
 * @param version The version named; undefined when any will do.
 * @returns The mission and its contract, or why not.
 */
export function requireActive(
  ctx: CallContext,
  missionId: string,
  version?: number,
): ActiveMission | CallRefusal {
  const mission = loadMission(ctx.tx, missionId);
  if (mission?.status !== "active" || activeMissionId(ctx.tx) !== missionId) {
    return new CallRefusal("mission_not_active", `Mission ${missionId} is not the active mission`, {
      mission_id: missionId,
      active_mission_id: activeMissionId(ctx.tx),
    });
  }
  const contract = loadContract(ctx.tx, missionId, version ?? mission.current_version);
  const unverified = checkTrail(ctx, mission, contract);
  if (unverified !== undefined) return unverified;
  if (contract === undefined || contract.contract_version !== mission.current_version) {
    return new CallRefusal(
      "contract_version_mismatch",
      `Contract version ${version} is not the current version ${mission.current_version}`,
      {
        current_version: mission.current_version,
        ...(contract === undefined ? {} : { status: "denied" }),
      },
    );
  }
  return { mission, contract };
}

/** When a mission's time is over, UTC; null when it has no limit. */
export function deadlineOf({ mission, contract }: ActiveMission): string | null {
  const hours = contract.constraints.time_limit_hours;
  const opened = stampSeconds(mission.created_at);
  // A limit past the year 9999 is no limit; stamps are compared as text.
  const endMs = hours === null ? NaN : (opened + hours * 3600) * 1000;
  return endMs < 253_402_300_800_000 ? utcStamp(endMs) : null;
}

/** Refuses when the mission's time is over. */
export function checkDeadline(ctx: CallContext, active: ActiveMission): CallRefusal | undefined {
  const deadline = deadlineOf(active);
  if (deadline === null || ctx.latest <= deadline) return undefined;
  const extra: ToolReply = { deadline, required_action: "pause" };
  return new CallRefusal(
    "time_limit_exceeded",
    `The mission's time limit passed at ${deadline}. Close it, or recontract a longer limit`,
    extra,
  );
}

function missionPath(tx: Transaction, { mission_id }: Mission): string {
  return tx.at("missions", mission_id, "mission.json");
}

function contractPath(tx: Transaction, missionId: string, version: number): string {
  return tx.at("missions", missionId, "contracts", `v${version}.json`);
}
