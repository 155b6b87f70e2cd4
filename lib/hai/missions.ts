/**
 * Missions on disk: the pointer to the active one, its state, its contracts.
 *
 * A contract is trusted only if its stored hash is the hash of what it says.
 * Records whose ids are not those of their place are treated as missing.
 *
 * @module
 */

import type { CallContext } from "./call_context.ts";
import { recordHash } from "./hashes.ts";
import { isId, stampSeconds, utcStamp } from "./ids.ts";
import { CONTRACT, type Contract, MISSION, type Mission, POINTER } from "./records.ts";
import { Refusal, type Reply, StateCorruptError } from "./refusal.ts";
import type { Transaction } from "./transaction.ts";

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

/** A mission's state; undefined when there is none of that id. */
export function loadMission(tx: Transaction, missionId: string): Mission | undefined {
  if (!isId("M", missionId)) return undefined;
  const mission = tx.record(tx.at("missions", missionId, "mission.json"), MISSION);
  return mission?.mission_id === missionId ? mission : undefined;
}

/** Writes a mission's state. */
export function saveMission(tx: Transaction, mission: Mission): void {
  tx.put(tx.at("missions", mission.mission_id, "mission.json"), mission);
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
 * Checks that a contract is the one the audit trail names, so that one rewritten
 * together with its hash is noticed.
 *
 * @param ctx The call.
 * @param contract The contract; its own hash is verified already.
 * @throws {StateCorruptError} When the trail names another hash.
 */
export function checkAgreed(ctx: CallContext, contract: Contract): void {
  const { chain } = ctx.world;
  if ("fault" in chain) return;
  const { mission_id, contract_version, contract_hash } = contract;
  const agreed = chain.agreed.get(`${mission_id} v${contract_version}`);
  if (agreed === undefined || agreed === contract_hash) return;
  throw new StateCorruptError(
    contractPath(ctx.tx, mission_id, contract_version),
    "it is not the contract that was agreed: the audit trail names another hash",
  );
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
): ActiveMission | Refusal {
  const mission = loadMission(ctx.tx, missionId);
  if (mission?.status !== "active" || activeMissionId(ctx.tx) !== missionId) {
    return new Refusal("mission_not_active", `Mission ${missionId} is not the active mission`, {
      mission_id: missionId,
      active_mission_id: activeMissionId(ctx.tx),
    });
  }
  const contract = loadContract(ctx.tx, missionId, version ?? mission.current_version);
  if (contract !== undefined) checkAgreed(ctx, contract);
  if (contract === undefined || contract.contract_version !== mission.current_version) {
    return new Refusal(
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
export function checkDeadline(ctx: CallContext, active: ActiveMission): Refusal | undefined {
  const deadline = deadlineOf(active);
  if (deadline === null || ctx.utc <= deadline) return undefined;
  const extra: Reply = { deadline, required_action: "pause" };
  return new Refusal(
    "time_limit_exceeded",
    `The mission's time limit passed at ${deadline}. Close it, or recontract a longer limit`,
    extra,
  );
}

function contractPath(tx: Transaction, missionId: string, version: number): string {
  return tx.at("missions", missionId, "contracts", `v${version}.json`);
}
