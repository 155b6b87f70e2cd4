/**
 * The folded trail as data. A checkpoint in the owner's folder holds it, so that a server need not
 * read the whole chain when it starts.
 *
 * @module
 */

import { z } from "zod";
import { AUDIT_MARK } from "./audit_mark.ts";

const LEASE_TRAIL = z.object({
  missionId: z.string().optional(),
  hash: z.string().optional(),
  expiresAt: z.string().optional(),
  isOver: z.boolean(),
});

/** A mission as the trail has it. */
export interface MissionTrail {
  /** Its state. */
  readonly status: "active" | "completed" | "abandoned";
  /** Its current contract version. */
  readonly version: number;
  /** Hashes of its contracts by version, where events name them. */
  readonly hashes: ReadonlyMap<number, string>;
  /** Real path of its project; undefined when it has a mount, none, or it was not noted. */
  readonly root?: string | undefined;
}

/** A lease as the trail has it. */
export interface LeaseTrail {
  /** Its mission; undefined when it was not noted. */
  readonly missionId?: string | undefined;
  /** Hash of what was granted; undefined when it was not noted. */
  readonly hash?: string | undefined;
  /** When it ends; undefined when it was not noted. */
  readonly expiresAt?: string | undefined;
  /** Whether it ended. */
  readonly isOver: boolean;
}

const PAIRS = z.array(z.tuple([z.string(), z.string()]));

/** Schema of a folded trail. */
export const SNAPSHOT = z.object({
  missions: z.array(z.object({
    id: z.string(),
    status: z.enum(["active", "completed", "abandoned"]),
    version: z.int(),
    hashes: z.array(z.tuple([z.int(), z.string()])),
    root: z.string().optional(),
  })),
  leases: z.array(LEASE_TRAIL.extend({ id: z.string() })),
  steps: PAIRS,
  mounts: PAIRS,
  unverified: PAIRS,
  isRestarted: z.boolean(),
  stopped: z.string().nullable(),
  lastSeconds: z.number(),
});

/** A folded trail. */
export type TrailSnapshot = z.infer<typeof SNAPSHOT>;

/** Schema of a checkpoint: a place in the chain, and the trail folded up to it. */
export const CHAIN_CHECKPOINT = z.looseObject({ mark: AUDIT_MARK, trail: SNAPSHOT });

/** A checkpoint of the chain. */
export type ChainCheckpoint = z.infer<typeof CHAIN_CHECKPOINT>;
