/**
 * Focus lanes and checkpoints of them.
 *
 * @module
 */

import { z } from "zod";
import type { CallContext } from "../call/call_context.ts";
import { listCheckpoints, readCheckpoint, writeCheckpoint } from "../mission/checkpoints.ts";
import { dropLane, focusLane, type Lanes, loadLanes } from "../mission/lanes.ts";
import { resolveProject } from "../mission/projects.ts";
import { CHECKPOINT, LANE } from "../state/records.ts";
import { CallRefusal } from "../state/refusal.ts";
import { checkText, defineTool, optionalText, text, type Tool } from "../call/tool.ts";

const LANES = z.looseObject({
  ok: z.literal(true),
  focus_id: z.string().nullable(),
  active: z.array(LANE),
  active_count: z.int(),
});

const setFocus = defineTool({
  name: "hai_set_focus",
  title: "Put a lane in focus",
  description: "Puts a lane of work in focus, adding it if fewer than two are active.",
  effect: "replaces",
  isIdempotent: true,
  input: z.strictObject({
    focus_id: text("Name of the lane."),
    project_path: optionalText("The lane's project, absolute path."),
    label: optionalText("Name for people; the lane's own name by default."),
  }),
  output: LANES,
  run(ctx, args) {
    const blank = checkText("focus_id", args.focus_id);
    if (blank !== undefined) return blank;
    const path = typeof args.project_path === "string"
      ? resolveProject(ctx, args.project_path)
      : undefined;
    if (path instanceof CallRefusal) return path;
    return lanesReply(focusLane(ctx, {
      id: args.focus_id.trim(),
      label: args.label?.trim() || undefined,
      projectPath: path,
    }));
  },
});

const drop = defineTool({
  name: "hai_drop_lane",
  title: "Drop a lane",
  description: "Takes a lane off the active list, so that another one fits. Nothing else is lost.",
  effect: "replaces",
  input: z.strictObject({ focus_id: text("Name of the lane.") }),
  output: LANES,
  run: (ctx, args) => lanesReply(dropLane(ctx, args.focus_id.trim())),
});

const checkpoint = defineTool({
  name: "hai_checkpoint",
  title: "Checkpoint",
  description: "Saves lanes and, with a project, its main artifacts. Call it before something " +
    "that may go wrong, or at the end of a stretch of work.",
  effect: "adds",
  input: z.strictObject({
    note: optionalText("What this checkpoint is for."),
    project_path: optionalText("A project whose artifacts are saved too, absolute path."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    checkpoint_id: z.string(),
    path: z.string(),
    meta: CHECKPOINT,
  }),
  run: (ctx, args) => writeCheckpoint(ctx, args),
});

const recover = defineTool({
  name: "hai_recover",
  title: "Recover",
  description: "Reads a checkpoint and says the smallest next action. It restores nothing.",
  effect: "reads",
  input: z.strictObject({
    checkpoint_id: optionalText("The checkpoint; the last one by default."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    mode: z.enum(["no_checkpoint", "from_checkpoint"]),
    next_action: z.string(),
    checkpoint_id: z.string().optional(),
    path: z.string().optional(),
    meta: CHECKPOINT.optional(),
    snapshot_active: z.looseObject({}).nullish(),
    focus_id: z.string().nullish(),
    active: z.array(LANE).optional(),
  }),
  run(ctx, args) {
    const known = listCheckpoints(ctx.tx);
    const id = args.checkpoint_id ?? known.at(-1);
    if (id === undefined) return noCheckpoint(ctx);
    // Only a name from the list is used as a path, so nothing outside can be read.
    if (!known.includes(id)) {
      return new CallRefusal("invalid_args", "checkpoint_id names no checkpoint", {
        field: "checkpoint_id",
        expected: "an id that hai_checkpoint returned",
        got: JSON.stringify(id),
        known: known.slice(-10),
      });
    }
    return readCheckpoint(ctx, id);
  },
});

/** Lane and checkpoint tools, in the order they are listed. */
export const LANE_TOOLS: readonly Tool[] = [setFocus];

/** Checkpoint tools, in the order they are listed. */
export const CHECKPOINT_TOOLS: readonly Tool[] = [checkpoint, recover];

/** Lane tools beyond the contract. */
export const ADDED_LANE_TOOLS: readonly Tool[] = [drop];

function lanesReply(lanes: Lanes | CallRefusal) {
  if (lanes instanceof CallRefusal) return lanes;
  const { focusId, active } = lanes;
  return { ok: true, focus_id: focusId, active, active_count: active.length };
}

function noCheckpoint(ctx: CallContext) {
  const { focusId, active } = loadLanes(ctx.tx);
  return {
    ok: true,
    mode: "no_checkpoint",
    next_action: "There is no checkpoint. Read hai_status, choose one lane and continue there.",
    focus_id: focusId,
    active,
  };
}
