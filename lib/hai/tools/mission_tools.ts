/**
 * Opening missions and binding projects to folders.
 *
 * @module
 */

import { z } from "zod";
import { Asking, type CallContext } from "../call_context.ts";
import {
  type ContractInput,
  draftTerms,
  judgeHours,
  sealContract,
  type Terms,
} from "../contract.ts";
import { checkIdent } from "../ids.ts";
import { activeMissionId, saveContract, saveMission, setActiveMission } from "../missions.ts";
import { isKnownProject, type Mount, mountOf, resolveMount, saveMount } from "../mounts.ts";
import { passGate } from "../owner_gate.ts";
import { resolveProject } from "../projects.ts";
import { CONTRACT } from "../records.ts";
import { Refusal, type Reply } from "../refusal.ts";
import {
  defineTool,
  firstRefusal,
  literalTrue,
  optionalText,
  optionalTexts,
  text,
  type Tool,
} from "../tool.ts";
import { constraintsInput, CRITERIA_INPUT } from "./contract_inputs.ts";

const OPENED = z.looseObject({
  ok: z.literal(true),
  status: z.literal("active"),
  validation: z.literal("validated"),
  mission_id: z.string(),
  contract_version: z.int(),
  contract_hash: z.string(),
  contract: CONTRACT,
  audit_event_id: z.string(),
  warnings: z.array(z.string()).optional(),
});

const CODE = optionalText(
  "Needed only when the owner has to approve: strict policy, or an existing mount would change.",
);

const openMission = defineTool({
  name: "hai_open_mission",
  title: "Open a mission",
  description:
    "Agrees on one bounded mission: objective, artifact, criteria that can be checked, " +
    "what is not to be done, where. Exactly one mission is active; close it before the next. An " +
    "answer of review_required lists every fault.",
  effect: "adds",
  asksOwner: true,
  input: z.strictObject({
    objective: text("What will be different when the mission is done."),
    artifact: text("What will exist to show it."),
    owner: text("The person the mission belongs to."),
    done_criteria: CRITERIA_INPUT,
    non_goals: optionalTexts("What is not to be done."),
    constraints: constraintsInput("Where and how the work may happen."),
    owner_code: CODE,
  }),
  output: OPENED,
  run: (ctx, args) => openContract(ctx, args, args.owner_code),
});

const missionStart = defineTool({
  name: "hai_mission_start",
  title: "Start a mission",
  description: "Opens a mission from a problem statement; otherwise as hai_open_mission.",
  effect: "adds",
  asksOwner: true,
  input: z.strictObject({
    problem: text("The problem; it becomes the objective."),
    artifact: text("What will exist to show it is solved."),
    owner: text("The person the mission belongs to."),
    done_criteria: CRITERIA_INPUT,
    time_limit_hours: z.number().min(1).nullish().describe("Hours the mission may take."),
    non_goals: optionalTexts("What is not to be done."),
    constraints: constraintsInput("Where and how the work may happen."),
    owner_code: CODE,
  }),
  output: OPENED,
  run(ctx, { problem, time_limit_hours, constraints, owner_code, ...rest }) {
    const limit = judgeHours(time_limit_hours);
    if (limit.fault !== undefined) return new Refusal("invalid_args", limit.fault.issue);
    const merged = limit.value === null
      ? constraints
      : { ...constraints, time_limit_hours: limit.value };
    return openContract(ctx, { ...rest, objective: problem, constraints: merged }, owner_code);
  },
});

const bindProject = defineTool({
  name: "hai_bind_project",
  title: "Bind a project to a folder",
  description: "Says where a known project lies on a device. Binding a device first needs " +
    "owner_ack and a reason; changing a binding needs the owner's code.",
  effect: "replaces",
  asksOwner: true,
  input: z.strictObject({
    project_id: text("The project, known from a mission."),
    device_id: text("The device."),
    local_path: text("The project's folder on that device, absolute path."),
    owner_ack: literalTrue("Literally true: the owner agrees."),
    reason: text("Why; part of what the owner approves."),
    owner_code: optionalText("The owner's code, when a binding changes."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    project_id: z.string(),
    device_id: z.string(),
    mount: z.strictObject({ path: z.string(), bound_at: z.string() }),
    audit_event_id: z.string(),
  }),
  run(ctx, args) {
    if (args.owner_ack !== true) {
      return new Refusal("owner_gate_required", "owner_ack must be literally true", {
        field: "owner_ack",
        ...(ctx.ignored.length > 0 ? { ignored: ctx.ignored } : {}),
      });
    }
    if (args.reason.trim() === "") {
      return new Refusal("owner_gate_required", "reason must not be blank", { field: "reason" });
    }
    const refused = firstRefusal(
      checkIdent("project_id", args.project_id),
      checkIdent("device_id", args.device_id),
      isKnownProject(ctx.tx, args.project_id) ? undefined : new Refusal(
        "invalid_args",
        `project_id names no known project: "${args.project_id}"; opening a mission makes one`,
        { field: "project_id" },
      ),
    );
    if (refused !== undefined) return refused;
    const path = resolveMount(ctx, args.local_path, "local_path");
    if (path instanceof Refusal) return path;
    return bind(ctx, {
      mount: { project_id: args.project_id, device_id: args.device_id, path },
      reason: args.reason.trim(),
      code: args.owner_code,
      ack: args.owner_ack,
    });
  },
});

/** Opening and binding, in the order they are listed. */
export const MISSION_TOOLS: readonly Tool[] = [openMission, bindProject];

/** The daily loop's way to open. */
export const MISSION_START_TOOLS: readonly Tool[] = [missionStart];

interface Binding {
  readonly mount: Mount;
  readonly reason: string;
  readonly code: string | null | undefined;
  readonly ack?: unknown;
}

function bind(ctx: CallContext, binding: Binding) {
  const { mount, reason } = binding;
  const passed = passMountChange(ctx, binding);
  if (passed instanceof Refusal || passed instanceof Asking) return passed;
  const boundAt = saveMount(ctx, mount);
  return {
    ok: true,
    project_id: mount.project_id,
    device_id: mount.device_id,
    mount: { path: mount.path, bound_at: boundAt },
    audit_event_id: ctx.audit("project_mount_bound", { ...mount, reason }),
    ...passed,
  };
}

/** Nothing to pass when the device is bound first, or to the same folder. */
function passMountChange(ctx: CallContext, binding: Binding): Reply | Refusal | Asking {
  const { mount, reason, code, ack } = binding;
  const before = mountOf(ctx.tx, mount.project_id, mount.device_id);
  if (before === undefined || before === mount.path) return {};
  const passed = passGate(ctx, {
    action: "bind_project",
    subject: { ...mount, previous_path: before },
    reason,
    summary: `Move project ${mount.project_id} on device ${mount.device_id} to another folder`,
    preview: { ...mount, previous_path: before },
    code,
    ack,
  });
  return passed instanceof Refusal || passed instanceof Asking
    ? passed
    : { owner_gate: passed.info };
}

function openContract(
  ctx: CallContext,
  input: ContractInput,
  code: string | null | undefined,
) {
  const running = activeMissionId(ctx.tx);
  if (running !== null) {
    return new Refusal("active_mission_exists", `Mission ${running} is active; close it first`, {
      active_mission_id: running,
    });
  }
  const draft = draftTerms(input);
  const mount = draft.issues.length > 0 ? undefined : mountWanted(ctx, input);
  if (mount instanceof Refusal) return mount;
  const issues = [...draft.issues, ...rootIssues(ctx, draft.terms)];
  if (issues.length > 0) return refuseReview(ctx, draft.terms, { issues, typed: draft.typed });
  const passed = passOpening(ctx, draft.terms, { mount, code });
  if (passed instanceof Refusal || passed instanceof Asking) return passed;
  return { ...openNow(ctx, draft.terms, mount), ...passed };
}

function mountWanted(ctx: CallContext, input: ContractInput): Mount | undefined | Refusal {
  const { project_id, device_id, project_path } = input.constraints ?? {};
  if (typeof project_id !== "string") return undefined;
  if (typeof device_id !== "string" || typeof project_path !== "string") return undefined;
  const path = resolveMount(ctx, project_path, "project_path");
  return path instanceof Refusal ? path : { project_id, device_id, path };
}

function rootIssues(ctx: CallContext, terms: Terms): string[] {
  const path = terms.constraints.project_path;
  if (path === null) return [];
  const root = resolveProject(ctx, path, "constraints.project_path");
  return root instanceof Refusal ? [root.message] : [];
}

function refuseReview(
  ctx: CallContext,
  terms: Terms,
  faults: { readonly issues: readonly string[]; readonly typed: Reply },
): Refusal {
  const auditEventId = ctx.audit("mission_open_review_required", {
    issues: faults.issues,
    objective: terms.objective,
    artifact: terms.artifact,
  });
  return new Refusal("review_required", `Not opened: ${faults.issues.join("; ")}`, {
    status: "review_required",
    validation: "review_required",
    issues: faults.issues,
    audit_event_id: auditEventId,
    ...faults.typed,
  });
}

function passOpening(
  ctx: CallContext,
  terms: Terms,
  given: { readonly mount: Mount | undefined; readonly code: string | null | undefined },
): Reply | Refusal | Asking {
  const { mount, code } = given;
  if (ctx.config.policy !== "strict") {
    if (mount === undefined) return {};
    if (ctx.config.gate !== "ack_legacy") {
      return passMountChange(ctx, { mount, reason: "a mission is opened there", code });
    }
    const before = mountOf(ctx.tx, mount.project_id, mount.device_id);
    if (before === undefined || before === mount.path) return {};
    return new Refusal(
      "owner_gate_required",
      "Opening would move an existing mount; hai_bind_project does that with owner_ack and a reason",
      { gate: "ack_legacy", mount, previous_path: before },
    );
  }
  if (ctx.config.gate === "ack_legacy") return {};
  const passed = passGate(ctx, {
    action: "open_mission",
    subject: { terms, mount: mount ?? null },
    reason: terms.objective,
    summary: "Open this mission",
    preview: { ...terms, ...(mount === undefined ? {} : { mount }) },
    code,
  });
  return passed instanceof Refusal || passed instanceof Asking
    ? passed
    : { owner_gate: passed.info };
}

function openNow(ctx: CallContext, terms: Terms, mount: Mount | undefined): Reply {
  const missionId = ctx.id("M");
  if (mount !== undefined) {
    saveMount(ctx, mount);
    ctx.audit("project_mount_bound", { ...mount, reason: `opening ${missionId}` });
  }
  const contract = sealContract(
    { mission_id: missionId, contract_version: 1, created_at: ctx.utc },
    terms,
  );
  const { contract_hash, contract_version } = contract;
  saveContract(ctx.tx, contract);
  saveMission(ctx.tx, {
    mission_id: missionId,
    status: "active",
    current_version: 1,
    created_at: ctx.utc,
    owner: terms.constraints.owner,
  });
  setActiveMission(ctx, missionId);
  const { project_id, project_path } = terms.constraints;
  return {
    ok: true,
    status: "active",
    validation: "validated",
    mission_id: missionId,
    contract_version,
    contract_hash,
    contract,
    audit_event_id: ctx.audit("mission_opened", {
      mission_id: missionId,
      contract_version,
      contract_hash,
    }),
    ...(project_id === null && project_path === null
      ? {
        warnings: [
          "constraints.project_path is missing: every path will be off contract and no evidence " +
          "can be checked; recontract it before the work starts",
        ],
      }
      : {}),
  };
}
