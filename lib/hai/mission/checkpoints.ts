/**
 * Checkpoints: lanes and main artifacts as they were, one folder each.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { contextRecord, loadLanes } from "./lanes.ts";
import { CANONICAL, PROPOSED } from "./next_step.ts";
import { openProject, readArtifact } from "./projects.ts";
import { CHECKPOINT, CONTEXT } from "../state/records.ts";
import { CallRefusal, StateCorruptError, type ToolReply } from "../state/refusal.ts";
import type { Transaction } from "../state/transaction.ts";

const SAVED: readonly string[] = [CANONICAL, PROPOSED, "BRIEFING.md", "PROJECT_STATE.md"];
const CHECKPOINT_ID = /^\d{8}T\d{6}(-\d+)?$/;

/** The checkpoint to save. */
interface CheckpointWish {
  readonly note?: string | null | undefined;
  readonly project_path?: string | null | undefined;
}

/** Ids of the checkpoints there are, oldest first. */
export function listCheckpoints(tx: Transaction): readonly string[] {
  const dir = checkpointsDir(tx);
  return tx.list(dir)
    .filter((name) => CHECKPOINT_ID.test(name) && tx.isConfined(`${dir}/${name}/meta.json`))
    .sort((a, b) => a.slice(0, 15) === b.slice(0, 15) ? number(a) - number(b) : a < b ? -1 : 1);
}

/** Saves lanes, and artifacts of a project that do not lead out of it. */
export function writeCheckpoint(ctx: CallContext, wish: CheckpointWish): ToolReply | CallRefusal {
  const { tx } = ctx;
  const project = typeof wish.project_path === "string"
    ? openProject(ctx, wish.project_path)
    : undefined;
  if (project instanceof CallRefusal) return project;
  const id = freshId(ctx);
  const dir = `${checkpointsDir(tx)}/${id}`;
  const lanes = loadLanes(tx);
  const saved = SAVED.flatMap((name) => {
    const content = project === undefined ? undefined : readArtifact(ctx, project, name);
    if (content === undefined || content instanceof CallRefusal) return [];
    const path = `${dir}/project/${name}`;
    tx.putText("home", path, content, tx.home);
    return [[name, path] as const];
  });
  const meta = {
    at: ctx.local,
    note: wish.note ?? null,
    focus_id: lanes.focusId,
    active: lanes.active,
    ...(project === undefined
      ? {}
      : { project_path: project.root, artifacts: Object.fromEntries(saved) }),
  };
  tx.put(`${dir}/ACTIVE_CONTEXT.json`, contextRecord(lanes));
  tx.put(`${dir}/meta.json`, meta);
  return { ok: true, checkpoint_id: id, path: dir, meta };
}

/** Reads a checkpoint that is in the list. */
export function readCheckpoint(ctx: CallContext, id: string): ToolReply {
  const dir = `${checkpointsDir(ctx.tx)}/${id}`;
  const meta = ctx.tx.record(`${dir}/meta.json`, CHECKPOINT);
  if (meta === undefined) throw new StateCorruptError(`${dir}/meta.json`, "it is missing");
  const context = ctx.tx.record(`${dir}/ACTIVE_CONTEXT.json`, CONTEXT);
  return {
    ok: true,
    mode: "from_checkpoint",
    checkpoint_id: id,
    path: dir,
    meta,
    snapshot_active: context ?? null,
    next_action:
      "Compare this checkpoint with hai_status, put its focus back with hai_set_focus if it still " +
      "holds, and take the smallest step that shows progress.",
  };
}

function freshId(ctx: CallContext): string {
  for (let n = 1;; n++) {
    const id = n === 1 ? ctx.stamp : `${ctx.stamp}-${n}`;
    if (ctx.world.disk.kind(`${checkpointsDir(ctx.tx)}/${id}`) === undefined) return id;
  }
}

function number(id: string): number {
  return Number(id.slice(16) || "1");
}

function checkpointsDir(tx: Transaction): string {
  return tx.at("history", "checkpoints");
}
