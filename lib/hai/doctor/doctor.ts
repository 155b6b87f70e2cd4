/**
 * Examines the whole state and lists the faults. Changes nothing.
 *
 * @module
 */

import type { z } from "zod";
import { eventNames, verifyChain } from "../trail/audit.ts";
import { isSealed, listChallenges } from "../owner/challenges.ts";
import { type IdPrefix, isId } from "../state/ids.ts";
import { listCheckpoints } from "../mission/checkpoints.ts";
import { loadLedger } from "../ledger/learning.ts";
import { leaseFault } from "../mission/leases.ts";
import {
  activeMissionId,
  contractFault,
  loadContract,
  loadMission,
  missionFault,
} from "../mission/missions.ts";
import {
  CHALLENGE,
  CHECKPOINT,
  CONTEXT,
  DAY_STOP,
  DISTILLATION,
  INTAKE,
  LEASE,
  MISSION,
  MOUNT_TABLE,
  PARKED,
  POINTER,
} from "../state/records.ts";
import { loadResolutions } from "../ledger/recall.ts";
import { CallRefusal, StateCorruptError } from "../state/refusal.ts";
import { type AuditMark, EMPTY_CHAIN } from "../trail/audit_mark.ts";
import type { Pin } from "../trail/pin.ts";
import type { ChainCheckpoint } from "../trail/snapshot.ts";
import { Trail } from "../trail/trail.ts";
import { OutsideRootError, type Transaction } from "../state/transaction.ts";

/** One fault. */
export interface Finding {
  /** `error` stops tools; `warning` does not. */
  readonly severity: "error" | "warning";
  /** Kind of fault; repair acts on it. */
  readonly kind:
    | "record"
    | "contract"
    | "mission"
    | "chain"
    | "pointer"
    | "ledger"
    | "seal"
    | "note";
  /** The file. */
  readonly file: string;
  /** The fault. */
  readonly problem: string;
}

/** The owner's side of an examination; all of it may be missing. */
export interface OwnerSide {
  /** The owner's key, to check the seals of challenges. */
  readonly key?: Uint8Array | undefined;
  /** The pin: events after it need a seal. */
  readonly pin?: Pin | undefined;
  /** The verified part of the chain, which it must still reach. */
  readonly checkpoint?: ChainCheckpoint | undefined;
  /** Whether the part before the checkpoint is read as well. */
  readonly isFull?: boolean;
  /** Called now and then with the number of events still to read. */
  readonly onProgress?: (left: number) => void;
}

/**
 * Examines the state.
 *
 * @param tx The state.
 * @param owner The owner's side.
 * @returns The faults, in order of the files.
 */
export function examine(tx: Transaction, owner: OwnerSide = {}): Finding[] {
  const findings: Finding[] = [];
  const note = (finding: Finding) => void findings.push(finding);
  for (const [path, shape] of recordFiles(tx)) {
    tryOn(note, "record", () => tx.record(path, shape));
  }
  for (const [path, shape] of challengeFiles(tx)) {
    tryOn(
      (fault) => note({ ...fault, severity: "warning" }),
      "record",
      () => tx.record(path, shape),
    );
  }
  for (const [missionId, version] of contractFiles(tx)) {
    tryOn(note, "contract", () => loadContract(tx, missionId, version));
  }
  tryOn(note, "chain", () => {
    const { trail, mark } = verifiedTrail(tx, owner);
    for (const missionId of missionIds(tx)) checkMission(tx, missionId, { trail, note });
    for (const [, event] of trail.unverified) note(unsealed(tx, event));
    const isWhole = owner.isFull === true || owner.checkpoint === undefined;
    const stray = isWhole ? eventNames(tx).length - mark.seq : 0;
    if (stray > 0) {
      note(warning(tx.at("audit"), `${stray} event files are not part of the chain`));
    }
  });
  tryOn(note, "ledger", () => loadResolutions(tx));
  const ledger = loadLedger(tx);
  if (ledger instanceof CallRefusal) {
    const file = String(ledger.extra.file);
    note({ severity: "error", kind: "ledger", file, problem: ledger.message });
  }
  if (findings.length === 0) checkPointer(tx, note);
  if (owner.key !== undefined) checkSeals(tx, owner.key, note);
  return findings;
}

/**
 * Verifies the chain and folds it: from the checkpoint on, or the whole.
 *
 * @param tx The state.
 * @param owner Pin and checkpoint.
 * @returns The trail, and where the chain ends.
 * @throws {StateCorruptError} Naming the file where the chain breaks.
 */
export function verifiedTrail(
  tx: Transaction,
  { pin, checkpoint, isFull = false, onProgress }: OwnerSide,
): { readonly trail: Trail; readonly mark: AuditMark } {
  const recent = new Trail();
  if (checkpoint !== undefined) recent.restore(checkpoint.trail);
  const from = checkpoint?.mark ?? EMPTY_CHAIN;
  const mark = verifyChain(tx, from, { trail: recent, pin, onProgress });
  if (!isFull || checkpoint === undefined) return { trail: recent, mark };
  const trail = new Trail();
  return { trail, mark: verifyChain(tx, EMPTY_CHAIN, { trail, pin, onProgress }) };
}

function unsealed(tx: Transaction, event: string): Finding {
  return {
    severity: "error",
    kind: "seal",
    file: tx.at("audit", `${event.split(" ")[0]}.json`),
    problem: `event ${event} does not carry the owner's seal, so its mission is unverified`,
  };
}

/** Missions on disk, by the names of their folders. */
export function missionIds(tx: Transaction): string[] {
  return tx.list(tx.at("missions")).filter((name) => isId("M", name));
}

/** Contract versions on disk, each with its mission. */
export function contractFiles(tx: Transaction): (readonly [string, number])[] {
  return missionIds(tx).flatMap((missionId) =>
    tx.list(tx.at("missions", missionId, "contracts")).flatMap((name) => {
      const version = /^v([1-9]\d{0,8})\.json$/.exec(name)?.[1];
      return version === undefined ? [] : [[missionId, Number(version)] as const];
    })
  );
}

type StateFile = readonly [string, z.ZodType];

/** The challenge files and their shape. A broken one blocks no other request: the gate ignores it. */
function challengeFiles(tx: Transaction): StateFile[] {
  return storeFiles(tx, tx.at("owner", "challenges"), { prefix: "C", shape: CHALLENGE });
}

function storeFiles(
  tx: Transaction,
  dir: string,
  { prefix, shape }: { readonly prefix: IdPrefix; readonly shape: z.ZodType },
): StateFile[] {
  return tx.list(dir)
    .filter((name) => isId(prefix, name.replace(/\.json$/, "")))
    .map((name) => [`${dir}/${name}`, shape]);
}

function recordFiles(tx: Transaction): StateFile[] {
  const store = (dir: string, prefix: IdPrefix, shape: z.ZodType) =>
    storeFiles(tx, dir, { prefix, shape });
  return [
    [tx.at("ACTIVE_CONTEXT.json"), CONTEXT],
    [tx.at("missions", "active_mission.json"), POINTER],
    [tx.at("core", "projects.json"), MOUNT_TABLE],
    ...missionIds(tx).flatMap((id) => [
      [tx.at("missions", id, "mission.json"), MISSION] as const,
      ...store(tx.at("missions", id, "sessions"), "S", LEASE),
    ]),
    ...store(tx.at("parking"), "P", PARKED),
    ...store(tx.at("intake"), "I", INTAKE),
    ...store(tx.at("distillations"), "A", DISTILLATION),
    ...store(tx.at("stops"), "A", DAY_STOP),
    ...listCheckpoints(tx).map((id) =>
      [tx.at("history", "checkpoints", id, "meta.json"), CHECKPOINT] as const
    ),
  ];
}

interface Against {
  readonly trail: Trail;
  readonly note: (finding: Finding) => void;
}

/** Compares a mission with the trail; files that do not load are reported elsewhere. */
function checkMission(tx: Transaction, missionId: string, { trail, note }: Against): void {
  const look = (
    kind: Finding["kind"],
    names: readonly string[],
    judge: () => string | undefined,
  ) =>
    tryOn(() => {}, kind, () => {
      const problem = judge();
      const file = tx.at("missions", missionId, ...names);
      if (problem !== undefined) note({ severity: "error", kind, file, problem });
    });
  look("mission", ["mission.json"], () => {
    const mission = loadMission(tx, missionId);
    return mission === undefined ? undefined : missionFault(trail, mission);
  });
  for (const [, version] of contractFiles(tx).filter(([id]) => id === missionId)) {
    look("contract", ["contracts", `v${version}.json`], () => {
      const contract = loadContract(tx, missionId, version);
      return contract === undefined ? undefined : contractFault(trail, contract);
    });
  }
  if (trail.activeMission !== missionId) return;
  for (const name of tx.list(tx.at("missions", missionId, "sessions"))) {
    look("record", ["sessions", name], () => {
      const lease = tx.record(tx.at("missions", missionId, "sessions", name), LEASE);
      return lease === undefined ? undefined : leaseFault(trail, lease);
    });
  }
}

function checkPointer(tx: Transaction, note: (finding: Finding) => void): void {
  const file = tx.at("missions", "active_mission.json");
  const pointed = activeMissionId(tx);
  const active = missionIds(tx).filter((id) => loadMission(tx, id)?.status === "active");
  const mission = pointed === null ? undefined : loadMission(tx, pointed);
  const fault = (problem: string) => note({ severity: "error", kind: "pointer", file, problem });
  if (pointed !== null && mission?.status !== "active") {
    fault(`it names ${pointed}, which is not active`);
  } else if (
    mission !== undefined &&
    loadContract(tx, mission.mission_id, mission.current_version) === undefined
  ) {
    fault(`it names ${pointed}, whose contract version ${mission.current_version} is missing`);
  }
  for (const id of active.filter((other) => other !== pointed)) {
    if (pointed === null) fault(`it names no mission, but ${id} is active`);
    else {note(
        warning(tx.at("missions", id, "mission.json"), "it is active, but nothing points to it"),
      );}
  }
}

function checkSeals(tx: Transaction, key: Uint8Array, note: (finding: Finding) => void): void {
  for (const challenge of listChallenges(tx)) {
    if (isSealed(key, challenge)) continue;
    const file = tx.at("owner", "challenges", `${challenge.challenge_id}.json`);
    note(warning(file, "it is not sealed with the owner's key, so it opens nothing"));
  }
}

function tryOn(note: (finding: Finding) => void, kind: Finding["kind"], look: () => unknown): void {
  try {
    look();
  } catch (error) {
    if (error instanceof StateCorruptError) {
      note({ severity: "error", kind, file: error.file, problem: error.problem });
    } else if (error instanceof OutsideRootError) {
      note({
        severity: "error",
        kind: "note",
        file: error.path,
        problem: "it leads out of HAI_HOME",
      });
    } else throw error;
  }
}

function warning(file: string, problem: string): Finding {
  return { severity: "warning", kind: "note", file, problem };
}
