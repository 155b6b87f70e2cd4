/**
 * Overview: health, status, the active mission, the audit trail.
 *
 * @module
 */

import { z } from "zod";
import { INTEGER } from "../call/boundary.ts";
import type { CallContext } from "../call/call_context.ts";
import { isSealed, isWaiting, listChallenges } from "../owner/challenges.ts";
import { loadLanes, MAX_ACTIVE_LANES } from "../mission/lanes.ts";
import { pageOf, withCutTexts } from "../ledger/reply_budget.ts";
import { inboxNames } from "../ledger/inbox.ts";
import { lastEvents } from "../trail/audit.ts";
import { isTimeOver, listLeases, remainingSeconds } from "../mission/leases.ts";
import { activeMissionId, deadlineOf, requireActive } from "../mission/missions.ts";
import { withoutHashes } from "../mission/session_tokens.ts";
import { loadMounts } from "../mission/mounts.ts";
import { CANONICAL, PROPOSED } from "../mission/next_step.ts";
import { MAX_ATTEMPTS } from "../owner/gate_refusals.ts";
import { join } from "../state/path_text.ts";
import { openProject } from "../mission/projects.ts";
import { AUDIT_EVENT, CONTRACT, LANE, LEASE } from "../state/records.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";
import { defineTool, optionalText, type Tool } from "../call/tool.ts";

const health = defineTool({
  name: "hai_health",
  title: "Health of the control plane",
  description: "Reports configuration, gate mode, whether the state can be written and whether " +
    "the audit chain verifies. Call it first in a session, and when another tool answers " +
    "state_corrupt.",
  effect: "reads",
  input: z.strictObject({ project_path: optionalText("A project to look at, absolute path.") }),
  output: z.looseObject({
    ok: z.literal(true),
    server: z.string(),
    version: z.string(),
    hai_home: z.string(),
    hai_home_writable: z.boolean(),
    model_calls: z.literal(false),
    max_active_lanes: z.int(),
    kernel: z.string(),
    authenticated_owner: z.literal(false),
    semantic_verification: z.literal(false),
    projects: z.array(z.strictObject({ project_id: z.string(), device_ids: z.array(z.string()) })),
    owner_gate: z.looseObject({ mode: z.string(), code_ttl_seconds: z.int() }),
    owner_policy: z.enum(["standard", "strict"]),
    audit: z.looseObject({ ok: z.boolean(), events: z.int().optional() }),
    config_warnings: z.array(z.string()).optional(),
    project_path: z.string().optional(),
    artifact_dir: z.string().optional(),
    artifact_dir_exists: z.boolean().optional(),
  }),
  run(ctx, args) {
    const project = typeof args.project_path === "string"
      ? openProject(ctx, args.project_path)
      : undefined;
    if (project instanceof CallRefusal) return project;
    const { chain, disk, version } = ctx.world;
    return {
      ok: true,
      server: "hai-mcp",
      version,
      hai_home: ctx.tx.home,
      hai_home_writable: disk.isWritable(ctx.tx.home),
      model_calls: false,
      max_active_lanes: MAX_ACTIVE_LANES,
      kernel: "contract_kernel",
      authenticated_owner: false,
      semantic_verification: false,
      projects: Object.values(loadMounts(ctx.tx).projects).map((known) => ({
        project_id: known.project_id,
        device_ids: Object.keys(known.mounts).sort(),
      })),
      owner_gate: gateReport(ctx),
      owner_policy: ctx.config.policy,
      audit: "fault" in chain
        ? { ok: false, file: chain.fault.file, problem: chain.fault.problem }
        : { ok: true, events: chain.mark.seq },
      ...(ctx.config.warnings.length > 0 ? { config_warnings: ctx.config.warnings } : {}),
      ...(project === undefined ? {} : {
        project_path: project.root,
        artifact_dir: project.artifacts,
        artifact_dir_exists: disk.kind(project.artifacts) === "directory",
      }),
    };
  },
});

const status = defineTool({
  name: "hai_status",
  title: "Status of the day",
  description: "Shows lanes, focus, inbox size, the active mission's id and how many approvals " +
    "wait for the owner.",
  effect: "reads",
  input: z.strictObject({ project_path: optionalText("A project to look at, absolute path.") }),
  output: z.looseObject({
    ok: z.literal(true),
    focus_id: z.string().nullable(),
    active: z.array(LANE),
    active_count: z.int(),
    max_active_lanes: z.int(),
    inbox_count: z.int(),
    hai_home: z.string(),
    owner_gate: z.string(),
    pending_owner_challenges: z.int(),
    active_mission_id: z.string().nullable(),
    project_path: z.string().optional(),
    has_next_step: z.boolean().optional(),
    has_proposed: z.boolean().optional(),
  }),
  run(ctx, args) {
    const project = typeof args.project_path === "string"
      ? openProject(ctx, args.project_path)
      : undefined;
    if (project instanceof CallRefusal) return project;
    const { focusId, active } = loadLanes(ctx.tx);
    const has = (name: string) =>
      project !== undefined && ctx.world.disk.kind(join(project.artifacts, name)) !== undefined;
    return {
      ok: true,
      focus_id: focusId,
      active,
      active_count: active.length,
      max_active_lanes: MAX_ACTIVE_LANES,
      inbox_count: inboxNames(ctx.tx).length,
      hai_home: ctx.tx.home,
      owner_gate: ctx.config.gate,
      pending_owner_challenges: pendingCount(ctx),
      active_mission_id: activeMissionId(ctx.tx),
      ...(project === undefined ? {} : {
        project_path: project.root,
        has_next_step: has(CANONICAL),
        has_proposed: has(PROPOSED),
      }),
    };
  },
});

const getMission = defineTool({
  name: "hai_get_mission",
  title: "The active mission",
  description: "Shows the active mission with its contract, its sessions and the time left. Call " +
    "it after a restart, or before opening a mission, to see what is already agreed.",
  effect: "reads",
  input: z.strictObject({}),
  output: z.looseObject({
    ok: z.literal(true),
    active: z.boolean(),
    mission_id: z.string().nullable(),
    contract_version: z.int().optional(),
    owner: z.string().optional(),
    created_at: z.string().optional(),
    contract: CONTRACT.nullable(),
    sessions: z.array(LEASE),
    deadline: z.string().nullable().describe("When the time limit is over, UTC."),
  }),
  run(ctx) {
    const missionId = activeMissionId(ctx.tx);
    const active = missionId === null ? undefined : requireActive(ctx, missionId);
    if (active === undefined || active instanceof CallRefusal) {
      return active ??
        { ok: true, active: false, mission_id: null, contract: null, sessions: [], deadline: null };
    }
    const { mission, contract } = active;
    return {
      ok: true,
      active: true,
      mission_id: mission.mission_id,
      contract_version: mission.current_version,
      owner: mission.owner,
      created_at: mission.created_at,
      contract,
      sessions: listLeases(ctx, mission.mission_id).map((lease) => shownLease(ctx, lease)),
      deadline: deadlineOf(active),
    };
  },
});

const listAudit = defineTool({
  name: "hai_list_audit",
  title: "The audit trail",
  description: "Lists audit events, newest first, and whether the chain verifies.",
  effect: "reads",
  input: z.strictObject({
    limit: z.int(INTEGER).min(1).max(200).default(20).describe("How many events at most."),
    event_type: optionalText("Only events of this type, such as mission_opened."),
    before_seq: z.int(INTEGER).min(1).nullish().describe("Only events before this number."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    events: z.array(AUDIT_EVENT),
    next_before_seq: z.int().optional().describe("Where to go on when the page was full."),
    total: z.int(),
    chain_ok: z.boolean(),
  }),
  run(ctx, { limit, event_type, before_seq }) {
    const { chain } = ctx.world;
    const events = lastEvents(ctx.tx, {
      limit,
      isWanted: (event) =>
        (typeof event_type !== "string" || event.event_type === event_type) &&
        (typeof before_seq !== "number" || event.seq < before_seq),
    });
    const { items, isCut } = pageOf(events, limit);
    return {
      ok: true,
      events: items,
      ...(isCut ? { next_before_seq: items.at(-1)?.seq } : {}),
      total: "fault" in chain ? events[0]?.seq ?? 0 : chain.mark.seq,
      chain_ok: !("fault" in chain),
      ...("fault" in chain ? { problem: chain.fault.message } : {}),
    };
  },
});

/** Overview tools, in the order they are listed. */
export const OVERVIEW_TOOLS: readonly Tool[] = [health, status];

/** Overview tools beyond the contract. */
export const ADDED_OVERVIEW_TOOLS: readonly Tool[] = [getMission, listAudit];

/** A lease as lists show it: an expired one says so, though no call has retired it yet. */
export function shownLease(ctx: CallContext, lease: z.output<typeof LEASE>) {
  const isOver = lease.status === "active" && isTimeOver(ctx, lease);
  return {
    ...withCutTexts(withoutHashes(lease)),
    status: isOver ? "expired" as const : lease.status,
    remaining_seconds: lease.status === "active" && !isOver ? remainingSeconds(ctx, lease) : 0,
  };
}

/** Records that the owner's key did not seal ask for nothing. */
function pendingCount(ctx: CallContext): number {
  const key = ctx.world.vault.existingKey();
  if (key === undefined) return 0;
  return listChallenges(ctx.tx).filter((challenge) =>
    isWaiting(challenge, ctx.world.unixMs) && isSealed(key, challenge)
  ).length;
}

/** Without what may stand beside a host in a URL: a password, or a topic in the wrong place. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "(not a URL)";
}

function gateReport(ctx: CallContext): ToolReply {
  const { gate, codeTtlSeconds, channel, ownerHome, ntfyUrl, ntfyTopic } = ctx.config;
  const common = { mode: gate, max_attempts: MAX_ATTEMPTS, code_ttl_seconds: codeTtlSeconds };
  if (gate === "ack_legacy") {
    return {
      ...common,
      warning: "ack_legacy is an honor system: the agent confirms for the owner by itself",
    };
  }
  return {
    ...common,
    channel,
    owner_home: ownerHome,
    ...(channel === "ntfy"
      ? { ntfy_url: originOf(ntfyUrl), ntfy_topic_configured: ntfyTopic !== undefined }
      : {}),
  };
}
