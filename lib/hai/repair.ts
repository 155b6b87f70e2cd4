/**
 * Mends what the doctor found, as far as the rest of the state tells how. The
 * caller has made a backup: what cannot be mended is taken out of the way.
 *
 * A broken audit chain is never patched: a new one starts and names the backup
 * of the old one.
 *
 * @module
 */

import { eventNames, lastEvents } from "./audit.ts";
import type { CallContext } from "./call_context.ts";
import { contractFiles, examine, type Finding, missionIds } from "./doctor.ts";
import {
  activeMissionId,
  loadContract,
  loadMission,
  saveMission,
  setActiveMission,
} from "./missions.ts";
import type { Contract } from "./records.ts";
import { StateCorruptError } from "./refusal.ts";

/**
 * Mends the state within a transaction.
 *
 * @param ctx The call.
 * @param backup Where the backup is, for the audit trail.
 * @returns What was done, a sentence each.
 */
export function mend(ctx: CallContext, backup: string): string[] {
  const found = examine(ctx.tx, undefined).filter((finding) => finding.severity === "error");
  const done: string[] = [];
  const take = (path: string) => ctx.tx.putText("home", path, null, ctx.tx.home);
  for (const finding of found) {
    if (finding.kind === "record" || finding.kind === "contract") {
      take(finding.file);
      done.push(`took out ${finding.file}: ${finding.problem}`);
    } else if (finding.kind === "ledger") {
      done.push(...takeLedger(ctx, finding, take));
    } else if (finding.kind === "note") {
      done.push(`left ${finding.file} alone: ${finding.problem}`);
    }
  }
  const chain = found.find((finding) => finding.kind === "chain");
  if (chain !== undefined) done.push(restartChain(ctx, chain, { backup, take }));
  done.push(...mendMissions(ctx));
  if (done.length > 0) ctx.audit("state_repaired", { backup, actions: done });
  return done;
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
  return `started a new audit chain: ${finding.file}: ${finding.problem}`;
}

/** Missions whose state or contract is gone, and a pointer that leads nowhere. */
function mendMissions(ctx: CallContext): string[] {
  const done: string[] = [];
  const pointed = activeMissionId(ctx.tx);
  for (const id of missionIds(ctx.tx)) {
    const contracts = goodContracts(ctx, id);
    const last = contracts.at(-1);
    const mission = loadMission(ctx.tx, id);
    if (mission === undefined && last !== undefined) {
      const status = endOf(ctx, id) ??
        (pointed === null || pointed === id ? "active" : "abandoned");
      saveMission(ctx.tx, {
        mission_id: id,
        status,
        current_version: last.contract_version,
        created_at: last.created_at,
        owner: last.constraints.owner,
        ...(status === "active" ? {} : { closed_at: ctx.utc }),
      });
      done.push(`rebuilt mission ${id} from its contracts, ${status}`);
    } else if (
      mission?.status === "active" &&
      !contracts.some((contract) => contract.contract_version === mission.current_version)
    ) {
      saveMission(ctx.tx, {
        ...mission,
        status: "abandoned",
        closed_at: ctx.utc,
        abandon_reason: "its contract was lost; closed by repair",
      });
      done.push(`closed mission ${id}: its contract was lost`);
    }
  }
  return [...done, ...mendPointer(ctx)];
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

function endOf(ctx: CallContext, missionId: string): "completed" | "abandoned" | undefined {
  const [end] = lastEvents(ctx.tx, {
    limit: 1,
    isWanted: ({ event_type, mission_id }) =>
      (event_type === "mission_completed" || event_type === "mission_abandoned") &&
      mission_id === missionId,
  });
  return end === undefined
    ? undefined
    : end.event_type === "mission_completed"
    ? "completed"
    : "abandoned";
}
