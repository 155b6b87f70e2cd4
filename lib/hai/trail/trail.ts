/**
 * Missions and leases as the audit trail has them, folded event by event while
 * the chain is verified. State files are believed only where they agree with it,
 * so that a file changed or put back by hand is noticed.
 *
 * An event that must be sealed and is not changes nothing here: its mission counts as
 * unverified until the owner repairs it. A trail restarted by a repair, and events of other
 * programs, hold fewer facts: a file that they do not name is believed as it is.
 *
 * @module
 */

import type { AuditEvent, Lease } from "../state/records.ts";
import { recordHash } from "../state/hashes.ts";
import { stampSeconds } from "../state/ids.ts";
import { type LeaseTrail, type MissionTrail, SNAPSHOT, type TrailSnapshot } from "./snapshot.ts";

const ENDS = new Set(["mission_completed", "mission_abandoned"]);

/** Types that give or move rights: from the pin on they count only with the owner's seal. */
const SEALED: ReadonlySet<string> = new Set([
  ...ENDS,
  "mission_opened",
  "mission_recontracted",
  "mission_verified",
  "session_authorized",
  "session_renewed",
  "next_step_accepted",
  "project_mount_bound",
  "work_stopped",
  "work_resumed",
  "audit_chain_restarted",
]);

/** Types that only take rights away. */
const UNSEALED = new Set(["session_released", "lease_expired", "day_stopped"]);

/** Whether an event is one to fold. */
export function isNoted(event: AuditEvent): boolean {
  return SEALED.has(event.event_type) || UNSEALED.has(event.event_type);
}

/** Whether events of a type are sealed with the owner's key. */
export function isSealedType(type: string): boolean {
  return SEALED.has(type);
}

/**
 * Hash of the part of a lease that never changes.
 *
 * @param lease The lease.
 * @returns `sha256:` and hex.
 */
export function leaseHash(lease: Lease): string {
  const {
    status: _status,
    expires_at: _expires,
    revoked_at: _at,
    revoke_reason: _why,
    released_at: _released,
    release_reason: _reason,
    ...granted
  } = lease;
  return recordHash(granted, "");
}

/** The fold. */
export class Trail {
  /** Events folded since this was last set to 0. */
  noted = 0;
  readonly #missions = new Map<string, MissionTrail>();
  readonly #leases = new Map<string, LeaseTrail>();
  readonly #steps = new Map<string, string>();
  readonly #mounts = new Map<string, string>();
  readonly #unverified = new Map<string, string>();
  #isRestarted = false;
  #stopped: string | undefined;
  #lastSeconds = 0;

  /** Whether a repair began the chain anew: what it does not name may be older. */
  get isRestarted(): boolean {
    return this.#isRestarted;
  }

  /** When the owner stopped all work, UTC; undefined while work may go on. */
  get stoppedAt(): string | undefined {
    return this.#stopped;
  }

  /** The latest time that an event names, seconds since 1970. */
  get lastSeconds(): number {
    return this.#lastSeconds;
  }

  /** Missions that an unsealed event speaks of, each with that event; `""` for no mission. */
  get unverified(): ReadonlyMap<string, string> {
    return this.#unverified;
  }

  /** The mission the trail has as active. */
  get activeMission(): string | undefined {
    return [...this.#missions].find(([, mission]) => mission.status === "active")?.[0];
  }

  /** The mission that was opened last; undefined when the trail names none. */
  get lastMission():
    | {
      readonly id: string;
      readonly version: number;
      readonly hash?: string;
      readonly root?: string;
    }
    | undefined {
    const [id, mission] = [...this.#missions].at(-1) ?? [];
    if (id === undefined || mission === undefined) return undefined;
    const { version, hashes, root } = mission;
    const hash = hashes.get(version);
    return {
      id,
      version,
      ...(hash === undefined ? {} : { hash }),
      ...(root === undefined ? {} : { root }),
    };
  }

  /** A mission; undefined when the trail does not name it. */
  mission(missionId: string): MissionTrail | undefined {
    return this.#missions.get(missionId);
  }

  /** A lease of the active mission; undefined when the trail does not name it. */
  lease(sessionId: string): LeaseTrail | undefined {
    return this.#leases.get(sessionId);
  }

  /** Hash of the canonical next step that was accepted last for a project; undefined for none. */
  step(projectPath: string): string | undefined {
    return this.#steps.get(projectPath);
  }

  /** Folder of a project on a device; undefined when the trail does not name it. */
  mount(projectId: string, deviceId: string): string | undefined {
    return this.#mounts.get(`${projectId} ${deviceId}`);
  }

  /** Takes the time of an event. */
  see(event: AuditEvent): void {
    const seconds = stampSeconds(event.at);
    if (seconds > this.#lastSeconds) this.#lastSeconds = seconds;
  }

  /** Folds an event; they come oldest first. `isGenuine`: it is sealed, or need not be. */
  note(event: AuditEvent, isGenuine = true): void {
    const { event_type, mission_id } = event;
    this.noted++;
    if (!isGenuine) {
      const about = typeof mission_id === "string" ? mission_id : "";
      this.#unverified.set(about, `${event.event_id} (${event_type})`);
    } else if (event_type === "audit_chain_restarted") this.#isRestarted = true;
    else if (event_type === "mission_opened") this.#agree(event, event.contract_version);
    else if (event_type === "mission_recontracted") this.#agree(event, event.new_version);
    else if (event_type === "mission_verified") this.#unverified.delete(String(mission_id));
    else if (event_type === "next_step_accepted") this.#accept(event);
    else if (event_type === "project_mount_bound") this.#bind(event);
    else if (event_type === "work_stopped") this.#stopped = event.at;
    else if (event_type === "work_resumed") this.#stopped = undefined;
    else if (event_type === "session_authorized" || event_type === "session_renewed") {
      this.#grant(event);
    }
    if (event_type === "session_released" || event_type === "lease_expired") {
      this.#endLeases([event.session_id]);
    }
    if (!isGenuine) return;
    this.#endLeases(event.revoked_sessions);
    if (ENDS.has(event_type)) this.#end(event);
  }

  /** The fold as data, to go on from later. */
  snapshot(): TrailSnapshot {
    return {
      missions: [...this.#missions].map(([id, { hashes, ...mission }]) => ({
        id,
        ...mission,
        hashes: [...hashes],
      })),
      leases: [...this.#leases].map(([id, lease]) => ({ id, ...lease })),
      steps: [...this.#steps],
      mounts: [...this.#mounts],
      unverified: [...this.#unverified],
      isRestarted: this.#isRestarted,
      stopped: this.#stopped ?? null,
      lastSeconds: this.#lastSeconds,
    };
  }

  /** Takes over a snapshot; the fold must be empty. */
  restore(snapshot: TrailSnapshot): void {
    const read = SNAPSHOT.parse(snapshot);
    for (const { id, hashes, ...mission } of read.missions) {
      this.#missions.set(id, { ...mission, hashes: new Map(hashes) });
    }
    for (const { id, ...lease } of read.leases) this.#leases.set(id, lease);
    for (const [key, value] of read.steps) this.#steps.set(key, value);
    for (const [key, value] of read.mounts) this.#mounts.set(key, value);
    for (const [key, value] of read.unverified) this.#unverified.set(key, value);
    this.#isRestarted = read.isRestarted;
    this.#stopped = read.stopped ?? undefined;
    this.#lastSeconds = read.lastSeconds;
  }

  #agree(event: AuditEvent, version: unknown): void {
    const { mission_id, contract_hash, project_root } = event;
    if (typeof mission_id !== "string" || typeof version !== "number") return;
    const before = this.#missions.get(mission_id);
    const hashes = new Map(before?.hashes);
    if (typeof contract_hash === "string") hashes.set(version, contract_hash);
    const root = typeof project_root === "string" ? project_root : before?.root;
    this.#missions.set(mission_id, { status: "active", version, hashes, root });
  }

  /** Leases of an ended mission are never asked for again. */
  #end({ mission_id, event_type }: AuditEvent): void {
    const before = typeof mission_id === "string" ? this.#missions.get(mission_id) : undefined;
    if (typeof mission_id !== "string" || before === undefined) return;
    const status = event_type === "mission_completed" ? "completed" : "abandoned";
    this.#missions.set(mission_id, { ...before, status });
    this.#unverified.delete(mission_id);
    for (const [id, lease] of this.#leases) {
      if (lease.missionId === mission_id) this.#leases.delete(id);
    }
  }

  #grant({ session_id, mission_id, lease_hash, expires_at }: AuditEvent): void {
    if (typeof session_id !== "string") return;
    const before = this.#leases.get(session_id);
    this.#leases.set(session_id, {
      missionId: typeof mission_id === "string" ? mission_id : before?.missionId,
      hash: typeof lease_hash === "string" ? lease_hash : before?.hash,
      expiresAt: typeof expires_at === "string" ? expires_at : before?.expiresAt,
      isOver: before?.isOver ?? false,
    });
  }

  #accept({ project_path, file_sha256 }: AuditEvent): void {
    if (typeof project_path !== "string" || typeof file_sha256 !== "string") return;
    this.#steps.set(project_path, file_sha256);
  }

  #bind({ project_id, device_id, path }: AuditEvent): void {
    if (typeof path === "string") this.#mounts.set(`${project_id} ${device_id}`, path);
  }

  #endLeases(sessions: unknown): void {
    if (!Array.isArray(sessions)) return;
    for (const session of sessions) {
      const lease = this.#leases.get(session);
      if (lease !== undefined) this.#leases.set(session, { ...lease, isOver: true });
    }
  }
}
