/**
 * The mount table: which folder a project has on which device.
 *
 * The first binding of a device is agreed with the mission or by `owner_ack`;
 * changing one needs the owner, since it moves every path check.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { checkIdent } from "../state/ids.ts";
import { isWithin, parentOf } from "../state/path_text.ts";
import { resolveProject } from "./projects.ts";
import { type Contract, MOUNT_TABLE, type MountTable } from "../state/records.ts";
import { CallRefusal, StateCorruptError } from "../state/refusal.ts";
import type { Transaction } from "../state/transaction.ts";

/** A project's folder on a device. */
export interface Mount {
  readonly project_id: string;
  readonly device_id: string;
  readonly path: string;
}

/** The mount table; empty when there is none yet. */
export function loadMounts(tx: Transaction): MountTable {
  return tx.record(tablePath(tx), MOUNT_TABLE) ?? { version: 1, projects: {} };
}

/** The folder of a project on a device; undefined when it is not bound. */
export function mountOf(tx: Transaction, projectId: string, deviceId: string): string | undefined {
  const { projects } = loadMounts(tx);
  const project = Object.hasOwn(projects, projectId) ? projects[projectId] : undefined;
  if (project === undefined || !Object.hasOwn(project.mounts, deviceId)) return undefined;
  return project.mounts[deviceId]?.path;
}

/** Whether a project is in the table. */
export function isKnownProject(tx: Transaction, projectId: string): boolean {
  return Object.hasOwn(loadMounts(tx).projects, projectId);
}

/**
 * Binds a device's folder.
 *
 * @param ctx The call.
 * @param mount Project, device and folder.
 * @returns When it was bound.
 */
export function saveMount(ctx: CallContext, mount: Mount): string {
  const table = loadMounts(ctx.tx);
  const { project_id, device_id, path } = mount;
  const project = Object.hasOwn(table.projects, project_id)
    ? table.projects[project_id]
    : undefined;
  const mounts = { ...project?.mounts, [device_id]: { path, bound_at: ctx.utc } };
  ctx.tx.put(tablePath(ctx.tx), {
    ...table,
    projects: { ...table.projects, [project_id]: { ...project, project_id, mounts } },
  });
  return ctx.utc;
}

/**
 * Resolves a folder to be mounted. A link may only point next to itself.
 *
 * @param ctx The call.
 * @param given The path as it came.
 * @param field Name of the argument.
 * @returns The real path, or why not.
 */
export function resolveMount(
  ctx: CallContext,
  given: string,
  field: string,
): string | CallRefusal {
  const real = resolveProject(ctx, given, field);
  if (real instanceof CallRefusal) return real;
  const link = given.trim().replace(/\/+$/, "");
  if (ctx.world.disk.kind(link) !== "symlink") return real;
  const parent = ctx.world.disk.realPath(parentOf(link));
  if (parent !== undefined && isWithin(parent, real)) return real;
  return new CallRefusal("path_outside_root", `${field} is a symlink that leaves its folder`, {
    field,
    path: given,
  });
}

/**
 * The folder path and evidence checks of a contract hang off.
 *
 * @param ctx The call.
 * @param contract The contract.
 * @param deviceId The device, for contracts with a project.
 * @returns The real path; undefined when the contract has no root; or why not, such as that
 *   the folder leads elsewhere by now: that would move every check without the owner.
 */
export function rootOf(
  ctx: CallContext,
  contract: Contract,
  deviceId: string | null | undefined,
): string | undefined | CallRefusal {
  const { project_id, project_path } = contract.constraints;
  if (project_id === null) {
    if (project_path === null) return undefined;
    const real = resolveProject(ctx, project_path);
    if (real instanceof CallRefusal) return undefined;
    const { chain } = ctx.world;
    const agreed = "fault" in chain ? undefined : chain.trail.mission(contract.mission_id)?.root;
    return agreed === undefined || agreed === real ? real : refuseMoved(agreed, real);
  }
  const mount = requireMount(ctx, project_id, deviceId);
  if (mount instanceof CallRefusal) return mount;
  const real = ctx.world.disk.realPath(mount);
  return real === undefined || real === mount ? real : refuseMoved(mount, real);
}

function refuseMoved(agreed: string, real: string): CallRefusal {
  return new CallRefusal(
    "path_outside_root",
    `The project folder leads elsewhere than was agreed: "${agreed}" was, "${real}" is`,
    { path: real, root: agreed },
  );
}

/**
 * The mount of a device, which must be there.
 *
 * @param ctx The call.
 * @param projectId The project.
 * @param deviceId The device as it came.
 * @returns The folder, or why not.
 */
export function requireMount(
  ctx: CallContext,
  projectId: string,
  deviceId: string | null | undefined,
): string | CallRefusal {
  if (deviceId === null || deviceId === undefined) {
    return new CallRefusal(
      "invalid_args",
      `device_id is required: project "${projectId}" has mounts`,
      {
        field: "device_id",
        expected: "name of a bound device",
        got: "nothing",
      },
    );
  }
  const bad = checkIdent("device_id", deviceId);
  if (bad !== undefined) return bad;
  const mount = mountOf(ctx.tx, projectId, deviceId);
  if (mount !== undefined) {
    checkMount(ctx, { project_id: projectId, device_id: deviceId, path: mount });
  }
  return mount ??
    new CallRefusal(
      "device_mount_required",
      `Project "${projectId}" is not bound on device "${deviceId}": hai_bind_project binds it`,
      { project_id: projectId, device_id: deviceId },
    );
}

/** A mount edited by hand would move every path check: the trail must name the same folder. */
function checkMount(ctx: CallContext, { project_id, device_id, path }: Mount): void {
  const { chain, pin } = ctx.world;
  if ("fault" in chain) return;
  const agreed = chain.trail.mount(project_id, device_id);
  // Before the pin a mount may have been bound without an event.
  if (agreed === path || (agreed === undefined && pin === undefined)) return;
  const named = agreed === undefined ? "no folder" : `"${agreed}"`;
  throw new StateCorruptError(
    tablePath(ctx.tx),
    `project ${project_id} on device ${device_id} is bound to "${path}", the audit trail names ${named}`,
  );
}

function tablePath(tx: Transaction): string {
  return tx.at("core", "projects.json");
}
