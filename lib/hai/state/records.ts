/**
 * Schemas of the state files. Every file is checked when it is loaded;
 * members that are not named are kept, so files of other versions survive.
 *
 * @module
 */

import { z } from "zod";

const text = z.string();
const texts = z.array(z.string());

/** `missions/active_mission.json`. */
export const POINTER = z.looseObject({
  mission_id: text.nullable(),
  status: z.enum(["active", "none"]),
  updated_at: text.optional(),
});

/** `missions/<M-id>/mission.json`. */
export const MISSION = z.looseObject({
  mission_id: text,
  status: z.enum(["active", "completed", "abandoned"]),
  current_version: z.int().min(1),
  created_at: text,
  owner: text,
});

/** One thing that must hold for the mission to be complete. */
export const CRITERION = z.looseObject({ id: text, description: text, verifiable: z.boolean() });

/** `missions/<M-id>/contracts/v<N>.json`. */
export const CONTRACT = z.looseObject({
  mission_id: text,
  contract_version: z.int().min(1),
  status: text,
  created_at: text,
  objective: text,
  artifact: text,
  done_criteria: z.array(CRITERION),
  non_goals: texts,
  constraints: z.looseObject({
    owner: text,
    project_id: text.nullable(),
    project_path: text.nullable(),
    allowed_paths: texts,
    capabilities: texts,
    max_parallel_sessions: z.int().min(1),
    time_limit_hours: z.number().nullable(),
    servers: texts.optional(),
    tools: texts.optional(),
  }),
  contract_hash: text,
});

/** `missions/<M-id>/sessions/<S-id>.json`. */
export const LEASE = z.looseObject({
  session_id: text,
  mission_id: text,
  contract_version: z.int().min(1),
  contract_hash: text,
  agent_identity: text,
  role: text,
  contribution: text,
  expected_result: text,
  criterion_ids: texts,
  capabilities: texts,
  granted_at: text,
  expires_at: text,
  status: z.enum(["active", "revoked", "expired", "released"]),
  device_id: text.optional(),
  harness_id: text.optional(),
  token_hash: text.optional(),
  holder_hash: text.optional(),
});

/** One focus lane. */
export const LANE = z.looseObject({
  id: text,
  label: text,
  activated_at: text,
  project_path: text.optional(),
});

/** `ACTIVE_CONTEXT.json`. A missing or odd `active` counts as empty, as it always did. */
export const CONTEXT = z.looseObject({
  version: z.literal(1).optional(),
  focus_id: text.nullish(),
  active: z.preprocess((given) => Array.isArray(given) ? given : [], z.array(LANE)),
});

/** `core/projects.json`. */
export const MOUNT_TABLE = z.looseObject({
  version: z.literal(1),
  projects: z.record(
    text,
    z.looseObject({
      project_id: text,
      mounts: z.record(text, z.looseObject({ path: text, bound_at: text })),
    }),
  ),
});

/** `owner/challenges/<C-id>.json`. Legacy records lack the optional members. */
export const CHALLENGE = z.looseObject({
  challenge_id: text,
  action: text,
  fingerprint: text,
  summary: text,
  preview: z.record(text, z.unknown()),
  code_hash: text,
  created_at: text,
  created_ts: z.number(),
  expires_at: text,
  expires_ts: z.number(),
  attempts: z.int().min(0),
  status: z.enum(["pending", "approved", "consumed", "expired", "cancelled", "denied"]),
  subject_fingerprint: text.optional(),
  reason: text.nullish(),
  kdf: text.optional(),
  seal: text.optional(),
  salt: text.optional(),
});

/** `audit/<A-id>.json`. */
export const AUDIT_EVENT = z.looseObject({
  event_id: text,
  event_type: text,
  at: text,
  seq: z.int().min(1),
  prev_event_id: text.nullable(),
  prev_hash: text.nullable(),
  event_hash: text,
});

/** `audit/HEAD.json`. */
export const AUDIT_HEAD = z.looseObject({ seq: z.int().min(1), event_id: text, event_hash: text });

/** `parking/<P-id>.json`. */
export const PARKED = z.looseObject({
  parking_id: text,
  status: text,
  idea: text,
  origin_session_id: text,
  trigger_event: text,
  mission_id: text,
  rationale: text,
  parked_at: text,
  actionable: z.literal(false),
});

/** `intake/<I-id>.json`. */
export const INTAKE = z.looseObject({
  intake_id: text,
  raw: text,
  actionable: z.literal(false),
  captured_at: text,
});

/** `distillations/<A-id>.json`. */
export const DISTILLATION = z.looseObject({
  distill_id: text,
  intake_id: text,
  decision: text,
  next_step: text,
  parked_count: z.int().min(0),
  distilled_at: text,
});

/** `stops/<A-id>.json`. */
export const DAY_STOP = z.looseObject({ stop_id: text, day: text, stopped_at: text });

/** `history/checkpoints/<stamp>/meta.json`. */
export const CHECKPOINT = z.looseObject({
  at: text,
  note: text.nullish(),
  focus_id: text.nullish(),
  active: z.array(LANE),
});

/** `learning/activation.json`. */
export const ACTIVATION = z.looseObject({
  record_type: z.literal("learning_budget_activated"),
  policy_version: z.literal(2),
  activated_at: text,
  credit_delta: z.int().min(0),
});

/** `learning/blocks/<LB-id>/started.json`. */
export const BLOCK_STARTED = z.looseObject({
  record_type: z.literal("learning_block_started"),
  block_id: text,
  topic: text,
  intended_output_path: text,
  started_at: text,
  minimum_completion_at: text,
  minimum_learning_minutes: z.int().min(0),
});

/** `learning/blocks/<LB-id>/completed.json`. */
export const BLOCK_COMPLETED = z.looseObject({
  record_type: z.literal("learning_block_completed"),
  block_id: text,
  topic: text,
  evidence: z.array(z.looseObject({ path: text, sha256: text, bytes: z.int().min(1) })).min(1),
  completed_at: text,
  credit_delta: z.int().min(0),
  owner_ack: z.literal(true),
});

/** `learning/blocks/<LB-id>/abandoned.json`. */
export const BLOCK_ABANDONED = z.looseObject({
  record_type: z.literal("learning_block_abandoned"),
  block_id: text,
  topic: text,
  reason: text,
  abandoned_at: text,
  credit_delta: z.literal(0),
  owner_ack: z.literal(true),
});

/** `resolutions/<R-id>.json`. */
export const RESOLUTION = z.looseObject({
  resolution_id: text,
  item_id: text,
  outcome: z.enum(["resolved", "dropped", "promoted"]),
  rationale: text,
  mission_id: text.nullable(),
  resolved_at: text,
  seq: z.int().min(1),
  prev_resolution_id: text.nullable(),
  prev_hash: text.nullable(),
  record_hash: text,
});

/** `resolutions/HEAD.json`. */
export const RESOLUTION_HEAD = z.looseObject({
  seq: z.int().min(1),
  resolution_id: text,
  record_hash: text,
});

/** A mission's state. */
export type Mission = z.infer<typeof MISSION>;
/** One version of a contract. */
export type Contract = z.infer<typeof CONTRACT>;
/** A session lease. */
export type Lease = z.infer<typeof LEASE>;
/** A focus lane. */
export type Lane = z.infer<typeof LANE>;
/** A challenge to the owner. */
export type Challenge = z.infer<typeof CHALLENGE>;
/** The device mounts of every project. */
export type MountTable = z.infer<typeof MOUNT_TABLE>;
/** One audit event. */
export type AuditEvent = z.infer<typeof AUDIT_EVENT>;
