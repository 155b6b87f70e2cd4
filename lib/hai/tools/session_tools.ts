/**
 * Session leases: granted, read, renewed, released, listed.
 *
 * @module
 */

import { z } from "zod";
import { type CallContext, OwnerAsking } from "../call/call_context.ts";
import { checkHolder } from "../mission/session_tokens.ts";
import { pageOf } from "../ledger/reply_budget.ts";
import { passGate } from "../owner/owner_gate.ts";
import { grantLease, renewedEnd } from "../mission/granting.ts";
import { checkId } from "../state/ids.ts";
import {
  findLease,
  judgeLease,
  listLeases,
  remainingSeconds,
  requireLease,
  saveLease,
} from "../mission/leases.ts";
import { activeMissionId, requireActive } from "../mission/missions.ts";
import { mountOf } from "../mission/mounts.ts";
import { CONTRACT, CRITERION, LEASE, type Lease } from "../state/records.ts";
import { CallRefusal } from "../state/refusal.ts";
import {
  checkText,
  defineTool,
  firstRefusal,
  literalTrue,
  optionalText,
  optionalTexts,
  positive,
  text,
  texts,
  type Tool,
} from "../call/tool.ts";
import { shownLease } from "./overview_tools.ts";

/** Sessions of one page. */
const MAX_SESSIONS = 200;

const TOKEN = optionalText(
  "The session's token; the stdio connection that was granted the session may leave it out.",
);

const authorize = defineTool({
  name: "hai_authorize_session",
  title: "Authorize a session",
  description: "Grants a time-bounded lease on the active mission to one agent, for some of its " +
    "criteria and capabilities. Call it once before working, and keep session_token.",
  effect: "adds",
  input: z.strictObject({
    mission_id: text("The active mission."),
    contract_version: positive("Its current contract version."),
    agent_identity: text("Who will work."),
    role: text("As what."),
    contribution: text("What this session adds."),
    expected_result: text("What will be there at its end."),
    duration_minutes: positive("How long it lasts; more than 1440 counts as 1440."),
    criterion_ids: texts("The criteria it works on; at least one."),
    request_id: optionalText("Your own name for this request; kept with the lease."),
    capabilities: optionalTexts("What it may do; all of the contract's when left out."),
    device_id: optionalText("The device, for missions with a project_id."),
    harness_id: optionalText("The program that hosts the agent, such as codex-cli."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    status: z.literal("granted"),
    session_id: z.string(),
    session_token: z.string().describe("Shown once; goes with every later call of the session."),
    session_lease: LEASE,
    audit_event_id: z.string(),
  }),
  run(ctx, args) {
    const refused = firstRefusal(
      checkId("M", "mission_id", args.mission_id),
      ...(["agent_identity", "role", "contribution", "expected_result"] as const)
        .map((field) => checkText(field, args[field])?.with({ status: "denied" })),
    );
    if (refused !== undefined) return refused;
    const active = requireActive(ctx, args.mission_id, args.contract_version);
    if (active instanceof CallRefusal) return active;
    return grantLease(ctx, active, { ...args, capabilities: args.capabilities ?? [] });
  },
});

const getContract = defineTool({
  name: "hai_get_contract",
  title: "The contract of a session",
  description: "Reads the contract a session works under and the time left.",
  effect: "retires",
  input: z.strictObject({ session_id: text("The session."), session_token: TOKEN }),
  output: z.looseObject({
    ok: z.literal(true),
    session_id: z.string(),
    mission_id: z.string(),
    contract_version: z.int(),
    contract_hash: z.string(),
    remaining_seconds: z.int().min(0),
    expires_at: z.string(),
    project_id: z.string().nullable(),
    device_id: z.string().nullable(),
    mount_path: z.string().nullable(),
    contract: CONTRACT,
    done_criteria: z.array(CRITERION),
    non_goals: z.array(z.string()),
  }),
  run(ctx, args) {
    const valid = requireLease(ctx, args);
    if (valid instanceof CallRefusal) return valid;
    const { lease, contract } = valid;
    const { project_id, project_path } = contract.constraints;
    const mount = project_id === null || lease.device_id === undefined
      ? project_path
      : mountOf(ctx.tx, project_id, lease.device_id) ?? null;
    return {
      ok: true,
      session_id: lease.session_id,
      mission_id: lease.mission_id,
      contract_version: lease.contract_version,
      contract_hash: lease.contract_hash,
      remaining_seconds: remainingSeconds(ctx, lease),
      expires_at: lease.expires_at,
      project_id,
      device_id: lease.device_id ?? null,
      mount_path: project_id === null ? null : mount,
      contract,
      done_criteria: contract.done_criteria,
      non_goals: contract.non_goals,
    };
  },
});

const renew = defineTool({
  name: "hai_renew_session",
  title: "Renew a session",
  description:
    "Lets a valid session last longer, counted from now: up to the mission's deadline, " +
    "or seven days in all without one. Scope stays as it is.",
  effect: "replaces",
  input: z.strictObject({
    session_id: text("The session."),
    session_token: TOKEN,
    duration_minutes: positive("Minutes from now; more than 1440 counts as 1440."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    session_id: z.string(),
    expires_at: z.string(),
    remaining_seconds: z.int(),
    audit_event_id: z.string(),
  }),
  run(ctx, args) {
    const valid = requireLease(ctx, args);
    if (valid instanceof CallRefusal) return valid;
    const until = renewedEnd(ctx, valid, args.duration_minutes);
    const expires_at = until > valid.lease.expires_at ? until : valid.lease.expires_at;
    const lease = { ...valid.lease, expires_at };
    saveLease(ctx, lease);
    const { session_id, mission_id } = lease;
    return {
      ok: true,
      session_id,
      expires_at,
      remaining_seconds: remainingSeconds(ctx, lease),
      audit_event_id: ctx.audit("session_renewed", { session_id, mission_id, expires_at }),
    };
  },
});

const release = defineTool({
  name: "hai_release_session",
  title: "Release a session",
  description: "Ends a session's lease before its time, so that another session can start. " +
    "Ending a live session of somebody else needs the owner.",
  effect: "replaces",
  asksOwner: true,
  input: z.strictObject({
    session_id: text("The session."),
    session_token: TOKEN,
    reason: optionalText("Why it ends early."),
    owner_code: optionalText("The owner's code, for a live session of somebody else."),
    owner_ack: literalTrue("Counts only with HAI_OWNER_GATE=ack_legacy."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    session_id: z.string(),
    status: z.literal("released"),
    audit_event_id: z.string(),
  }),
  run(ctx, args) {
    const found = findLease(ctx, args.session_id);
    if (found instanceof CallRefusal) return found;
    const valid = judgeLease(ctx, found);
    // One whose mission's time is over can still be released.
    if (valid instanceof CallRefusal && valid.error !== "time_limit_exceeded") return valid;
    const { session_id, mission_id } = found;
    const reason = args.reason?.trim() || null;
    const passed = checkHolder(ctx, found, args.session_token) === undefined
      ? undefined
      : passRelease(ctx, found, { ...args, reason });
    if (passed instanceof CallRefusal || passed instanceof OwnerAsking) return passed;
    saveLease(ctx, { ...found, status: "released", released_at: ctx.utc, release_reason: reason });
    return {
      ok: true,
      session_id,
      status: "released",
      audit_event_id: ctx.audit("session_released", { session_id, mission_id, reason }),
    };
  },
});

const list = defineTool({
  name: "hai_list_sessions",
  title: "Sessions of the mission",
  description: "Lists the leases of the active mission, or of one named, with the time left.",
  effect: "reads",
  input: z.strictObject({
    mission_id: optionalText("The mission; the active one by default."),
    cursor: optionalText("next_cursor of the page before; left out for the oldest."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    mission_id: z.string().nullable(),
    sessions: z.array(LEASE),
    active_count: z.int(),
    next_cursor: z.string().nullable(),
  }),
  run(ctx, args) {
    const bad = typeof args.mission_id === "string"
      ? checkId("M", "mission_id", args.mission_id)
      : undefined;
    if (bad !== undefined) return bad;
    const missionId = args.mission_id ?? activeMissionId(ctx.tx);
    const leases = missionId === null
      ? []
      : listLeases(ctx, missionId).map((lease) => shownLease(ctx, lease));
    const active_count = leases.filter((lease) => lease.status === "active").length;
    const after = args.cursor ?? "";
    const left = leases.filter((lease) => lease.session_id > after);
    const { items: sessions, isCut } = pageOf(left, MAX_SESSIONS);
    const next_cursor = isCut ? sessions.at(-1)?.session_id ?? null : null;
    return { ok: true, mission_id: missionId, sessions, active_count, next_cursor };
  },
});

/** Session tools, in the order they are listed. */
export const SESSION_TOOLS: readonly Tool[] = [authorize, getContract];

/** Session tools beyond the contract. */
export const ADDED_SESSION_TOOLS: readonly Tool[] = [list, renew, release];

function passRelease(
  ctx: CallContext,
  { session_id, mission_id, agent_identity, contribution }: Lease,
  given: {
    readonly reason: string | null;
    readonly owner_code?: string | null | undefined;
    readonly owner_ack?: unknown;
  },
) {
  return passGate(ctx, {
    action: "release_session",
    subject: { session_id },
    reason: given.reason,
    summary: `End session ${session_id}, which ${agent_identity} may still be working under`,
    preview: { session_id, mission_id, agent_identity, contribution },
    code: given.owner_code,
    ack: given.owner_ack,
  });
}
