/**
 * Opening missions and binding projects to folders.
 *
 * @module
 */

import { z } from "zod";
import { judgeHours } from "../mission/contract.ts";
import { checkIdent } from "../state/ids.ts";
import { isKnownProject, resolveMount } from "../mission/mounts.ts";
import { bindMount, openContract } from "../mission/opening.ts";
import { CONTRACT } from "../state/records.ts";
import { CallRefusal } from "../state/refusal.ts";
import {
  defineTool,
  firstRefusal,
  literalTrue,
  optionalText,
  optionalTexts,
  text,
  type Tool,
} from "../call/tool.ts";
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
    if (limit.fault !== undefined) return new CallRefusal("invalid_args", limit.fault.issue);
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
    "owner_ack and a reason; changing a binding, or any with the strict policy, needs the " +
    "owner's code.",
  effect: "replaces",
  asksOwner: true,
  input: z.strictObject({
    project_id: text("The project, known from a mission."),
    device_id: text("The device."),
    local_path: text("The project's folder on that device, absolute path."),
    owner_ack: literalTrue("Literally true: the owner agrees."),
    reason: text("Why; part of what the owner approves."),
    owner_code: optionalText("The owner's code, when a binding changes or with the strict policy."),
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
      return new CallRefusal("owner_gate_required", "owner_ack must be literally true", {
        field: "owner_ack",
        ...(ctx.ignored.length > 0 ? { ignored: ctx.ignored } : {}),
      });
    }
    if (args.reason.trim() === "") {
      return new CallRefusal("owner_gate_required", "reason must not be blank", {
        field: "reason",
      });
    }
    const refused = firstRefusal(
      checkIdent("project_id", args.project_id),
      checkIdent("device_id", args.device_id),
      isKnownProject(ctx.tx, args.project_id) ? undefined : new CallRefusal(
        "invalid_args",
        `project_id names no known project: "${args.project_id}"; opening a mission makes one`,
        { field: "project_id" },
      ),
    );
    if (refused !== undefined) return refused;
    const path = resolveMount(ctx, args.local_path, "local_path");
    if (path instanceof CallRefusal) return path;
    return bindMount(ctx, {
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
