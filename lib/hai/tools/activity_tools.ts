/**
 * The drift check under its two names.
 *
 * @module
 */

import { z } from "zod";
import { classify, normalActions } from "../mission/activity.ts";
import type { CallContext } from "../call/call_context.ts";
import { requireLease } from "../mission/leases.ts";
import { rootOf } from "../mission/mounts.ts";
import { judgePaths } from "../mission/paths_check.ts";
import { CallRefusal } from "../state/refusal.ts";
import {
  defineTool,
  literalTrue,
  optionalText,
  optionalTexts,
  text,
  type Tool,
} from "../call/tool.ts";

const INPUT = z.strictObject({
  session_id: text("The session that will act or acted."),
  session_token: optionalText(
    "The session's token; the stdio connection that was granted the session may leave it out.",
  ),
  activity_step: text("The step in words: one action on one thing."),
  criterion_id: optionalText("The criterion it serves."),
  affected_paths: optionalTexts(
    "Every path it touches; relative ones hang off the project.",
    10_000,
  ),
  trace_events: z.array(z.looseObject({ action: z.string().nullish() })).max(10_000).nullish()
    .describe('What was or will be done, such as [{"action": "commit"}]; only action is read.'),
  activity_kind: optionalText("Planned or observed, in your words; given back."),
  evidence: z.record(z.string(), z.unknown()).nullish().describe("Anything; given back."),
  declares_blocker: literalTrue("Literally true: the criterion cannot be worked on now."),
});

const OUTPUT = z.looseObject({
  ok: z.literal(true),
  session_id: z.string(),
  mission_id: z.string(),
  contract_version: z.int(),
  classification: z.enum(["in_scope", "drift", "unclear", "park_candidate", "blocker"]),
  required_action: z.enum(["continue", "stop", "pause", "request_recontract", "park"]),
  reason: z.string(),
  clause: z.string().nullable(),
  activity_kind: z.string().nullable(),
  criterion_id: z.string().nullable(),
  evidence: z.record(z.string(), z.unknown()).nullable(),
});

const DESCRIPTION =
  "Says whether a step is inside the contract: in_scope, drift, unclear, park_candidate or " +
  "blocker, what to do now, which clause decided and why. Call it before each step and do what " +
  "required_action says.";

const checkActivity = defineTool({
  name: "hai_check_activity",
  title: "Check an activity",
  description: DESCRIPTION,
  effect: "adds",
  input: INPUT,
  output: OUTPUT,
  run: check,
});

const driftCheck = defineTool({
  name: "hai_drift_check",
  title: "Drift check",
  description: `${DESCRIPTION} The same as hai_check_activity.`,
  effect: "adds",
  input: INPUT,
  output: OUTPUT,
  run: check,
});

/** The drift check of the mission lifecycle. */
export const ACTIVITY_TOOLS: readonly Tool[] = [checkActivity];

/** The drift check of the daily loop. */
export const DRIFT_TOOLS: readonly Tool[] = [driftCheck];

function check(ctx: CallContext, args: z.output<typeof INPUT>) {
  const valid = requireLease(ctx, args);
  if (valid instanceof CallRefusal) return uncleared(valid);
  const { lease, contract } = valid;
  const found = rootOf(ctx, contract, lease.device_id);
  if (found instanceof CallRefusal) return uncleared(found);
  const paths = args.affected_paths ?? [];
  const actions = (args.trace_events ?? []).flatMap((event) => event.action ?? []);
  const declaresBlocker = args.declares_blocker === true;
  const verdict = classify(contract, lease, {
    step: args.activity_step,
    criterionId: args.criterion_id ?? null,
    paths: judgePaths(ctx, paths, { root: found, allowed: contract.constraints.allowed_paths }),
    actions,
    declaresBlocker,
    isStrict: ctx.config.nonGoals === "strict",
  });
  const { session_id, mission_id, contract_version, contract_hash } = lease;
  const shared = {
    session_id,
    mission_id,
    contract_version,
    ...verdict,
    criterion_id: args.criterion_id ?? null,
    activity_kind: args.activity_kind ?? null,
  };
  ctx.audit("activity_checked", {
    ...shared,
    contract_hash,
    activity_step_present: args.activity_step.trim() !== "",
    declares_blocker: declaresBlocker,
    affected_path_count: paths.length,
    trace_action_count: actions.length,
    trace_actions: normalActions(actions),
  });
  return {
    ok: true,
    ...shared,
    evidence: args.evidence ?? null,
    ...(ctx.ignored.length > 0 ? { ignored: ctx.ignored } : {}),
  };
}

function uncleared(refusal: CallRefusal): CallRefusal {
  return refusal.with({ classification: "unclear", required_action: "pause" });
}
