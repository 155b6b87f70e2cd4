/**
 * Changing the contract of the active mission.
 *
 * @module
 */

import { z } from "zod";
import { checkArgs } from "../call/boundary.ts";
import { type CallContext, OwnerAsking } from "../call/call_context.ts";
import {
  amendedInput,
  diffTerms,
  draftTerms,
  type FieldDiff,
  MUTABLE_FIELDS,
  sealContract,
  SYSTEM_FIELDS,
  type Terms,
} from "../mission/contract.ts";
import { checkId } from "../state/ids.ts";
import { revokeLeases } from "../mission/leases.ts";
import {
  type ActiveMission,
  requireActive,
  saveContract,
  saveMission,
} from "../mission/missions.ts";
import { projectRoot } from "../mission/opening.ts";
import { passGate } from "../owner/owner_gate.ts";
import { resolveProject } from "../mission/projects.ts";
import { CONTRACT } from "../state/records.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";
import {
  checkText,
  defineTool,
  firstRefusal,
  literalTrue,
  optionalText,
  positive,
  text,
  texts,
  type Tool,
} from "../call/tool.ts";
import { CONSTRAINTS_CHANGE, CRITERIA_INPUT } from "./contract_inputs.ts";

const MODES: readonly string[] = ["normal", "blocker", "break_glass"];

const CHANGES = z.strictObject({
  objective: z.string().optional(),
  artifact: z.string().optional(),
  done_criteria: CRITERIA_INPUT.optional(),
  non_goals: texts("What is not to be done.").optional(),
  constraints: CONSTRAINTS_CHANGE.optional(),
});

const recontract = defineTool({
  name: "hai_recontract",
  title: "Change the contract",
  description: "Makes a new contract version of the active mission; the owner has to approve " +
    "exactly this diff and reason. Every session ends. A field in changes replaces the old one; " +
    "constraints are merged member by member.",
  effect: "replaces",
  asksOwner: true,
  input: z.strictObject({
    mission_id: text("The active mission."),
    contract_version: positive("Its current contract version."),
    reason: text("Why; part of what the owner approves."),
    changes: z.record(z.string(), z.unknown()).describe(
      `What changes: any of ${MUTABLE_FIELDS.join(", ")}.`,
    ),
    mode: z.string().default("normal").describe("normal, blocker or break_glass."),
    owner_ack: literalTrue("Counts only with HAI_OWNER_GATE=ack_legacy."),
    break_glass_marker: literalTrue("Literally true, with mode break_glass."),
    owner_code: optionalText("The code the owner handed over."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    status: z.literal("approved"),
    mission_id: z.string(),
    contract_version: z.int(),
    contract_hash: z.string(),
    diff: z.array(z.looseObject({ field: z.string() })),
    contract: CONTRACT,
    revoked_sessions: z.array(z.string()),
    audit_event_id: z.string(),
    audit_classification: z.string().nullable(),
    owner_gate: z.looseObject({ gate: z.string() }),
  }),
  run(ctx, args) {
    const mode = args.mode.trim().toLowerCase();
    const refused = firstRefusal(
      checkId("M", "mission_id", args.mission_id),
      checkText("reason", args.reason),
      MODES.includes(mode) ? undefined : new CallRefusal(
        "invalid_args",
        `mode must be one of ${MODES.join(", ")}`,
        { field: "mode", expected: MODES.join(" or "), got: JSON.stringify(args.mode) },
      ),
    );
    if (refused !== undefined) return refused;
    const active = requireActive(ctx, args.mission_id, args.contract_version);
    if (active instanceof CallRefusal) return active;
    const amended = amend(ctx, active, args.changes);
    if (amended instanceof CallRefusal) return amended;
    const reason = args.reason.trim();
    const { ignored } = amended;
    const { diff, place } = amended;
    const passed = pass(ctx, { ...args, mode, reason, diff, place });
    if (passed instanceof CallRefusal || passed instanceof OwnerAsking) {
      return passed.with({ diff: amended.diff, mode, ...ignored });
    }
    return { ...apply(ctx, active, { ...amended, mode, reason, gate: passed.info }), ...ignored };
  },
});

/** The recontract tool. */
export const RECONTRACT_TOOLS: readonly Tool[] = [recontract];

interface Amended {
  readonly terms: Terms;
  readonly diff: readonly FieldDiff[];
  /** Where a project that is given now really lies; empty when none is. */
  readonly place: ToolReply;
  /** Names constraints that were given but cannot change; empty when none were. */
  readonly ignored: ToolReply;
}

function amend(
  ctx: CallContext,
  { contract }: ActiveMission,
  given: Readonly<Record<string, unknown>>,
): Amended | CallRefusal {
  const system = Object.keys(given).filter((key) => SYSTEM_FIELDS.has(key)).sort()[0];
  if (system !== undefined) {
    return new CallRefusal("invalid_args", `changes.${system} is system-managed`, {
      field: `changes.${system}`,
      expected: MUTABLE_FIELDS.join(", "),
    });
  }
  const changes = checkArgs(CHANGES, given);
  if (changes instanceof CallRefusal) {
    const { field } = changes.extra;
    return new CallRefusal("invalid_args", `changes: ${changes.message}`, {
      ...changes.extra,
      field: `changes.${field}`,
    });
  }
  const fixed = checkFixed(contract.constraints, changes.constraints ?? {});
  if (fixed !== undefined) return fixed;
  const draft = draftTerms(amendedInput(contract, changes));
  const { project_path } = draft.terms.constraints;
  const root = project_path === null || project_path === contract.constraints.project_path
    ? undefined
    : resolveProject(ctx, project_path, "changes.constraints.project_path");
  if (root instanceof CallRefusal) return root;
  if (draft.issues.length > 0) {
    return new CallRefusal("invalid_args", `Not a valid contract: ${draft.issues.join("; ")}`, {
      issues: draft.issues,
      ...draft.typed,
    });
  }
  const diff = diffTerms(contract, draft.terms);
  const place = contract.constraints.project_path === null ? projectRoot(ctx, draft.terms) : {};
  return diff.length > 0
    ? {
      terms: draft.terms,
      diff,
      place,
      ignored: notFollowed(draft.terms, changes.constraints ?? {}),
    }
    : new CallRefusal("invalid_args", "changes make an empty diff: nothing would be different", {
      field: "changes",
    });
}

function checkFixed(
  now: { readonly project_id: string | null; readonly project_path: string | null },
  asked: { readonly project_id?: string | null | undefined; readonly device_id?: unknown },
): CallRefusal | undefined {
  if (asked.project_id !== undefined && asked.project_id !== now.project_id) {
    return new CallRefusal(
      "invalid_args",
      "constraints.project_id cannot change within a mission",
      {
        field: "changes.constraints.project_id",
        expected: JSON.stringify(now.project_id),
        got: JSON.stringify(asked.project_id),
      },
    );
  }
  return undefined;
}

function notFollowed(
  { constraints }: Terms,
  asked: { readonly owner?: unknown; readonly project_path?: unknown },
): ToolReply {
  const ignored = (["owner", "project_path"] as const)
    .filter((name) => asked[name] !== undefined && asked[name] !== constraints[name])
    .map((name) => ({
      field: `changes.constraints.${name}`,
      expected: `${JSON.stringify(constraints[name])}: it cannot change within a mission`,
      got: JSON.stringify(asked[name]),
    }));
  return ignored.length > 0 ? { ignored } : {};
}

interface GateWish {
  readonly mission_id: string;
  readonly contract_version: number;
  readonly mode: string;
  readonly reason: string;
  readonly diff: readonly FieldDiff[];
  /** Where a project that is given now really lies. */
  readonly place: ToolReply;
  readonly owner_code?: string | null | undefined;
  readonly owner_ack?: unknown;
  readonly break_glass_marker?: unknown;
}

function pass(ctx: CallContext, wish: GateWish) {
  const { mission_id, contract_version, mode, reason, diff, place } = wish;
  // Checked before the gate: an approval must not be used up by a call that fails.
  if (mode === "break_glass" && wish.break_glass_marker !== true) {
    return new CallRefusal(
      "owner_gate_required",
      "mode break_glass needs break_glass_marker: true",
      {
        field: "break_glass_marker",
        audit_classification: "break_glass_denied",
        ...(ctx.ignored.length > 0 ? { ignored: ctx.ignored } : {}),
      },
    );
  }
  return passGate(ctx, {
    action: "recontract",
    subject: { mission_id, contract_version, mode, diff, ...place },
    reason,
    summary: `Change the contract of ${mission_id} from version ${contract_version}`,
    preview: { mission_id, contract_version, mode, diff, ...place },
    code: wish.owner_code,
    ack: wish.owner_ack,
  });
}

interface Approved extends Amended {
  readonly mode: string;
  readonly reason: string;
  readonly gate: ToolReply;
}

function apply(ctx: CallContext, active: ActiveMission, approved: Approved): ToolReply {
  const { mission } = active;
  const { terms, diff, mode, reason, gate } = approved;
  const version = mission.current_version + 1;
  const revoked = revokeLeases(ctx, mission.mission_id, "recontract");
  const contract = sealContract(
    {
      mission_id: mission.mission_id,
      contract_version: version,
      created_at: active.contract.created_at,
    },
    terms,
    { recontracted_at: ctx.utc, recontract_reason: reason, recontract_mode: mode },
  );
  saveContract(ctx.tx, contract);
  saveMission(ctx.tx, { ...mission, current_version: version });
  const classification = mode === "break_glass" ? "break_glass" : null;
  const auditEventId = ctx.audit("mission_recontracted", {
    mission_id: mission.mission_id,
    old_version: mission.current_version,
    new_version: version,
    contract_hash: contract.contract_hash,
    ...approved.place,
    diff,
    mode,
    reason,
    revoked_sessions: revoked,
    owner_gate: gate,
    ...(classification === null ? {} : { audit_classification: classification }),
  });
  return {
    ok: true,
    status: "approved",
    mission_id: mission.mission_id,
    contract_version: version,
    contract_hash: contract.contract_hash,
    diff,
    contract,
    revoked_sessions: revoked,
    audit_event_id: auditEventId,
    audit_classification: classification,
    owner_gate: gate,
  };
}
