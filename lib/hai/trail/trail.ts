/**
 * Missions and leases as the audit trail has them, folded event by event while
 * the chain is verified. State files are believed only where they agree with it,
 * so that a file changed or put back by hand is noticed.
 *
 * A trail restarted by a repair, and events of other programs, hold fewer facts:
 * a file that they do not name is believed as it is.
 *
 * @module
 */

import type { AuditEvent, Lease } from "../state/records.ts";
import { recordHash } from "../state/hashes.ts";

/** A mission as the trail has it. */
interface MissionTrail {
  /** Its state. */
  readonly status: "active" | "completed" | "abandoned";
  /** Its current contract version. */
  readonly version: number;
  /** Hashes of its contracts by version, where events name them. */
  readonly hashes: ReadonlyMap<number, string>;
  /** Real path of its project; undefined when it has a mount, none, or it was not noted. */
  readonly root: string | undefined;
}

/** A lease as the trail has it. */
interface LeaseTrail {
  /** Hash of what was granted; undefined when it was not noted. */
  readonly hash: string | undefined;
  /** When it ends; undefined when it was not noted. */
  readonly expiresAt: string | undefined;
  /** Whether it ended. */
  readonly isOver: boolean;
}

/** Types of the events that say something here. */
const ENDS = new Set(["mission_completed", "mission_abandoned"]);
const NOTED: ReadonlySet<string> = new Set([
  ...ENDS,
  "mission_opened",
  "mission_recontracted",
  "session_authorized",
  "session_renewed",
  "session_released",
  "lease_expired",
  "day_stopped",
  "audit_chain_restarted",
]);

/** Whether an event is one to fold. */
export function isNoted(event: AuditEvent): boolean {
  return NOTED.has(event.event_type);
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
  readonly #missions = new Map<string, MissionTrail>();
  readonly #leases = new Map<string, LeaseTrail>();
  #isRestarted = false;

  /** Whether a repair began the chain anew: what it does not name may be older. */
  get isRestarted(): boolean {
    return this.#isRestarted;
  }

  /** The mission the trail has as active. */
  get activeMission(): string | undefined {
    return [...this.#missions].find(([, mission]) => mission.status === "active")?.[0];
  }

  /** A mission; undefined when the trail does not name it. */
  mission(missionId: string): MissionTrail | undefined {
    return this.#missions.get(missionId);
  }

  /** A lease; undefined when the trail does not name it. */
  lease(sessionId: string): LeaseTrail | undefined {
    return this.#leases.get(sessionId);
  }

  /** Folds an event; they come oldest first. */
  note(event: AuditEvent): void {
    const { event_type } = event;
    if (event_type === "audit_chain_restarted") this.#isRestarted = true;
    else if (event_type === "mission_opened") this.#agree(event, event.contract_version);
    else if (event_type === "mission_recontracted") this.#agree(event, event.new_version);
    else if (ENDS.has(event_type)) this.#end(event);
    else if (event_type === "session_authorized" || event_type === "session_renewed") {
      this.#grant(event);
    } else if (event_type === "session_released" || event_type === "lease_expired") {
      this.#endLeases([event.session_id]);
    }
    this.#endLeases(event.revoked_sessions);
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

  #end({ mission_id, event_type }: AuditEvent): void {
    const before = typeof mission_id === "string" ? this.#missions.get(mission_id) : undefined;
    if (typeof mission_id !== "string" || before === undefined) return;
    const status = event_type === "mission_completed" ? "completed" : "abandoned";
    this.#missions.set(mission_id, { ...before, status });
  }

  #grant({ session_id, lease_hash, expires_at }: AuditEvent): void {
    if (typeof session_id !== "string") return;
    const before = this.#leases.get(session_id);
    this.#leases.set(session_id, {
      hash: typeof lease_hash === "string" ? lease_hash : before?.hash,
      expiresAt: typeof expires_at === "string" ? expires_at : before?.expiresAt,
      isOver: before?.isOver ?? false,
    });
  }

  #endLeases(sessions: unknown): void {
    if (!Array.isArray(sessions)) return;
    for (const session of sessions) {
      const lease = this.#leases.get(session);
      if (lease !== undefined) this.#leases.set(session, { ...lease, isOver: true });
    }
  }
}
