/**
 * Opening a mission and binding a project to a folder: what is checked, what the
 * owner has to approve, what is written.
 *
 * @module
 */

import { type CallContext, OwnerAsking } from "../call/call_context.ts";
import { type ContractInput, draftTerms, sealContract, type Terms } from "./contract.ts";
import { activeMissionId, saveContract, saveMission, setActiveMission } from "./missions.ts";
import { type Mount, mountOf, resolveMount, saveMount } from "./mounts.ts";
import { passGate } from "../owner/owner_gate.ts";
import { resolveProject } from "./projects.ts";
import { widerThanLast } from "./widening.ts";
import { CallRefusal, StateCorruptError, type ToolReply } from "../state/refusal.ts";

/** A folder to bind, and what the gate asks for. */
export interface Binding {
  readonly mount: Mount;
  readonly reason: string;
  readonly code: string | null | undefined;
  readonly ack?: unknown;
}

/**
 * Binds a device's folder; changing a binding needs the owner, and with the strict
 * policy the first one too: else a device made up for it would open any folder.
 *
 * @param ctx The call.
 * @param binding The folder, and the approval.
 * @returns The reply, a refusal, or the owner to be asked.
 */
export function bindMount(ctx: CallContext, binding: Binding) {
  const { mount, reason } = binding;
  const passed = passMountChange(ctx, binding);
  if (passed instanceof CallRefusal || passed instanceof OwnerAsking) return passed;
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

/** Nothing to pass when the device is bound to the same folder, or first and the policy allows it. */
function passMountChange(
  ctx: CallContext,
  binding: Binding,
): ToolReply | CallRefusal | OwnerAsking {
  const { mount, reason, code, ack } = binding;
  const before = mountOf(ctx.tx, mount.project_id, mount.device_id);
  if (before === mount.path) return {};
  if (before === undefined && !isStrict(ctx)) return {};
  const what = `project ${mount.project_id} on device ${mount.device_id}`;
  const passed = passGate(ctx, {
    action: "bind_project",
    subject: { ...mount, previous_path: before ?? null },
    reason,
    summary: before === undefined ? `Bind ${what} to a folder` : `Move ${what} to another folder`,
    preview: { ...mount, previous_path: before ?? null },
    code,
    ack,
  });
  return passed instanceof CallRefusal || passed instanceof OwnerAsking
    ? passed
    : { owner_gate: passed.info };
}

/**
 * Opens a mission.
 *
 * @param ctx The call.
 * @param input The terms.
 * @param code The owner's code, if any.
 * @returns The reply, a refusal, or the owner to be asked.
 */
export function openContract(
  ctx: CallContext,
  input: ContractInput,
  code: string | null | undefined,
) {
  const running = activeMissionId(ctx.tx);
  if (running !== null) {
    return new CallRefusal(
      "active_mission_exists",
      `Mission ${running} is active; close it first`,
      {
        active_mission_id: running,
      },
    );
  }
  checkNoneActive(ctx);
  const draft = draftTerms(input);
  const mount = draft.issues.length > 0 ? undefined : mountWanted(ctx, input);
  if (mount instanceof CallRefusal) return mount;
  const issues = [...draft.issues, ...rootIssues(ctx, draft.terms)];
  if (issues.length > 0) return refuseReview(ctx, draft.terms, { issues, typed: draft.typed });
  const passed = passOpening(ctx, draft.terms, { mount, code });
  if (passed instanceof CallRefusal || passed instanceof OwnerAsking) return passed;
  return { ...openNow(ctx, draft.terms, mount), ...passed };
}

/** A pointer emptied by hand would let a mission be left without its owner. */
function checkNoneActive(ctx: CallContext): void {
  const { chain } = ctx.world;
  const active = "fault" in chain ? undefined : chain.trail.activeMission;
  if (active === undefined) return;
  throw new StateCorruptError(
    ctx.tx.at("missions", "active_mission.json"),
    `it names no mission, but the audit trail says that ${active} is active`,
  );
}

function mountWanted(ctx: CallContext, input: ContractInput): Mount | undefined | CallRefusal {
  const { project_id, device_id, project_path } = input.constraints ?? {};
  if (typeof project_id !== "string") return undefined;
  if (typeof device_id !== "string" || typeof project_path !== "string") return undefined;
  const path = resolveMount(ctx, project_path, "project_path");
  return path instanceof CallRefusal ? path : { project_id, device_id, path };
}

function rootIssues(ctx: CallContext, terms: Terms): string[] {
  const path = terms.constraints.project_path;
  if (path === null) return [];
  const root = resolveProject(ctx, path, "constraints.project_path");
  return root instanceof CallRefusal ? [root.message] : [];
}

function refuseReview(
  ctx: CallContext,
  terms: Terms,
  faults: { readonly issues: readonly string[]; readonly typed: ToolReply },
): CallRefusal {
  const auditEventId = ctx.audit("mission_open_review_required", {
    issues: faults.issues,
    objective: terms.objective,
    artifact: terms.artifact,
  });
  return new CallRefusal("review_required", `Not opened: ${faults.issues.join("; ")}`, {
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
): ToolReply | CallRefusal | OwnerAsking {
  const { mount, code } = given;
  if (ctx.config.gate === "ack_legacy") return refuseMove(ctx, mount) ?? {};
  const root = projectRoot(ctx, terms);
  const wider = widerThanLast(ctx, terms, root.project_root);
  if (ctx.config.policy !== "strict" && wider.length === 0) {
    if (mount === undefined) return {};
    return passMountChange(ctx, { mount, reason: "a mission is opened there", code });
  }
  const before = mount === undefined
    ? undefined
    : mountOf(ctx.tx, mount.project_id, mount.device_id);
  const moved = before === undefined || before === mount?.path ? {} : { moved_from: before };
  // Where a link leads now is approved, not where it may lead when the code comes.
  const place = { ...moved, ...root };
  const passed = passGate(ctx, {
    action: "open_mission",
    subject: { terms, mount: mount ?? null, ...place },
    reason: terms.objective,
    summary: wider.length === 0
      ? "Open this mission"
      : `Open this mission; wider than the last one: ${wider.join(", ")}`,
    preview: { ...terms, ...(mount === undefined ? {} : { mount }), ...place },
    code,
  });
  return passed instanceof CallRefusal || passed instanceof OwnerAsking
    ? passed
    : { owner_gate: passed.info };
}

function isStrict({ config }: CallContext): boolean {
  return config.policy === "strict" && config.gate === "nonce";
}

/** Opening has no owner_ack, so in the legacy mode it cannot move a mount. */
function refuseMove(ctx: CallContext, mount: Mount | undefined): CallRefusal | undefined {
  const before = mount === undefined
    ? undefined
    : mountOf(ctx.tx, mount.project_id, mount.device_id);
  if (before === undefined || before === mount?.path) return undefined;
  return new CallRefusal(
    "owner_gate_required",
    "Opening would move an existing mount; hai_bind_project does that with owner_ack and a reason",
    { gate: "ack_legacy", mount, previous_path: before },
  );
}

/** Where the project really lies, for the audit trail; nothing without a path of its own. */
export function projectRoot(
  ctx: CallContext,
  { constraints }: Terms,
): { readonly project_root?: string } {
  const { project_path } = constraints;
  const real = project_path === null ? undefined : resolveProject(ctx, project_path);
  return typeof real === "string" ? { project_root: real } : {};
}

function openNow(ctx: CallContext, terms: Terms, mount: Mount | undefined): ToolReply {
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
      ...projectRoot(ctx, terms),
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
