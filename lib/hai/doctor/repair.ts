/**
 * Repairs the faults that the doctor found, as far as the rest of the state allows. The
 * caller has made a backup: files that cannot be repaired are removed.
 *
 * A broken audit chain is never patched: a new one starts and names the backup
 * of the old one.
 *
 * @module
 */

import { eventNames } from "../trail/audit.ts";
import type { CallContext } from "../call/call_context.ts";
import { contractFiles, examine, type Finding, missionIds, verifiedTrail } from "./doctor.ts";
import {
  activeMissionId,
  loadContract,
  loadMission,
  missionFault,
  saveMission,
  setActiveMission,
} from "../mission/missions.ts";
import type { Contract, Mission } from "../state/records.ts";
import { StateCorruptError } from "../state/refusal.ts";
import type { Trail } from "../trail/trail.ts";

/** The result of a repair. */
export interface Mended {
  /** What was done, a sentence each. */
  readonly done: string[];
  /** Whether a new audit chain was started. */
  readonly isRestarted: boolean;
}

/**
 * Mends the state within a transaction.
 *
 * @param ctx The call.
 * @param backup Where the backup is, for the audit trail.
 * @returns What was done.
 */
export function mend(ctx: CallContext, backup: string): Mended {
  const { pin, vault } = ctx.world;
  const owner = { pin, checkpoint: vault.checkpoint(), isFull: true };
  const found = examine(ctx.tx, owner);
  const done: string[] = [];
  const take = (path: string) => ctx.tx.putText("home", path, null, ctx.tx.home);
  for (const finding of found) {
    if (finding.kind === "record" || finding.kind === "contract") {
      take(finding.file);
      done.push(`took out ${finding.file}: ${finding.problem}`);
    } else if (finding.severity === "warning") continue;
    else if (finding.kind === "ledger") {
      done.push(...takeLedger(ctx, finding, take));
    } else if (finding.kind === "note") {
      done.push(`left ${finding.file} alone: ${finding.problem}`);
    }
  }
  const chain = found.find((finding) => finding.kind === "chain");
  if (chain !== undefined) done.push(restartChain(ctx, chain, { backup, take }));
  const { trail } = verifiedTrail(ctx.tx, chain === undefined ? owner : {});
  done.push(...mendUnverified(ctx, trail, take), ...mendMissions(ctx, trail));
  for (const mission_id of trail.unverified.keys()) ctx.audit("mission_verified", { mission_id });
  if (done.length > 0) ctx.audit("state_repaired", { backup, actions: done });
  return { done, isRestarted: chain !== undefined };
}

/** Takes out contracts that only unsealed events speak of. */
function mendUnverified(ctx: CallContext, trail: Trail, take: (path: string) => void): string[] {
  return [...trail.unverified].flatMap(([missionId, event]) => {
    const agreed = trail.mission(missionId)?.version ?? 0;
    const extra = contractFiles(ctx.tx)
      .filter(([id, version]) => id === missionId && version > agreed)
      .map(([id, version]) => ctx.tx.at("missions", id, "contracts", `v${version}.json`));
    for (const path of extra) take(path);
    return [`did not follow event ${event}, which the owner never sealed`];
  });
}

function takeLedger(ctx: CallContext, finding: Finding, take: (path: string) => void): string[] {
  const { disk } = ctx.world;
  const isFolder = disk.kind(finding.file) === "directory";
  const files = isFolder
    ? ctx.tx.list(finding.file).map((name) => `${finding.file}/${name}`)
    : [finding.file];
  for (const file of files.filter((path) => disk.kind(path) === "file")) take(file);
  return [`took out ${finding.file}: ${finding.problem}`];
}

function restartChain(
  ctx: CallContext,
  finding: Finding,
  how: { readonly backup: string; readonly take: (path: string) => void },
): string {
  for (const name of [...eventNames(ctx.tx), "HEAD.json"]) {
    const path = ctx.tx.at("audit", name);
    if (ctx.tx.disk.kind(path) !== undefined) how.take(path);
  }
  ctx.audit("audit_chain_restarted", {
    backup: how.backup,
    file: finding.file,
    problem: finding.problem,
  });
  return `started a new audit chain, so servers that run must be started anew: ` +
    `${finding.file}: ${finding.problem}`;
}

/** Missions whose state or contract is gone or not what the trail says; a pointer to nowhere. */
function mendMissions(ctx: CallContext, trail: Trail): string[] {
  const done: string[] = [];
  for (const id of missionIds(ctx.tx)) {
    const contracts = goodContracts(ctx, id);
    const found = loadMission(ctx.tx, id);
    const mission = found ?? rebuilt(ctx, id, { last: contracts.at(-1), trail });
    if (mission === undefined) continue;
    if (found === undefined) done.push(`rebuilt mission ${id} from its contracts`);
    const fault = missionFault(trail, mission);
    const known = trail.mission(id);
    const agreed = fault === undefined || known === undefined
      ? mission
      : { ...mission, status: known.status, current_version: known.version };
    if (agreed !== found) saveMission(ctx.tx, agreed);
    if (agreed !== mission) done.push(`put mission ${id} back: ${fault}`);
    const isKept = contracts.some(({ contract_version }) =>
      contract_version === agreed.current_version
    );
    if (agreed.status !== "active") continue;
    if (!isKept) done.push(close(ctx, agreed, "its contract was lost"));
    else if (fault !== undefined && known === undefined) done.push(close(ctx, agreed, fault));
  }
  return [...done, ...mendPointer(ctx)];
}

/** A mission's state from its last contract and what the trail says of it. */
function rebuilt(
  ctx: CallContext,
  id: string,
  from: { readonly last: Contract | undefined; readonly trail: Trail },
): Mission | undefined {
  const { last, trail } = from;
  if (last === undefined) return undefined;
  const pointed = activeMissionId(ctx.tx);
  const status = trail.mission(id)?.status ??
    (pointed === null || pointed === id ? "active" : "abandoned");
  return {
    mission_id: id,
    status,
    current_version: last.contract_version,
    created_at: last.created_at,
    owner: last.constraints.owner,
    ...(status === "active" ? {} : { closed_at: ctx.utc }),
  };
}

function close(ctx: CallContext, mission: Mission, why: string): string {
  const { mission_id } = mission;
  const reason = `${why}; closed by repair`;
  saveMission(ctx.tx, {
    ...mission,
    status: "abandoned",
    closed_at: ctx.utc,
    abandon_reason: reason,
  });
  ctx.audit("mission_abandoned", {
    mission_id,
    reason,
    revoked_sessions: [],
    owner_gate: { gate: "repair" },
  });
  return `closed mission ${mission_id}: ${why}`;
}

function mendPointer(ctx: CallContext): string[] {
  const pointed = activeMissionId(ctx.tx);
  const active = missionIds(ctx.tx)
    .filter((id) => loadMission(ctx.tx, id)?.status === "active")
    .filter((id) => goodContracts(ctx, id).length > 0);
  if (pointed !== null && active.includes(pointed)) return [];
  const next = active.length === 1 ? active[0] ?? null : null;
  if (next === pointed) return [];
  setActiveMission(ctx, next);
  return [`pointed to ${next ?? "no mission"}`];
}

function goodContracts(ctx: CallContext, missionId: string): Contract[] {
  return contractFiles(ctx.tx)
    .filter(([id]) => id === missionId)
    .sort(([, a], [, b]) => a - b)
    .flatMap(([id, version]) => {
      try {
        return loadContract(ctx.tx, id, version) ?? [];
      } catch (error) {
        if (error instanceof StateCorruptError) return []; // Taken out above.
        throw error;
      }
    });
}
