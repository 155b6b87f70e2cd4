/**
 * The table of tools: the 27 of the contract, then ours.
 *
 * @module
 */

import type { Tool } from "../call/tool.ts";
import { ACTIVITY_TOOLS, DRIFT_TOOLS } from "./activity_tools.ts";
import { ARTIFACT_TOOLS } from "./artifact_tools.ts";
import { CLOSE_TOOLS, PROOF_TOOLS, STOP_TOOLS } from "./close_tools.ts";
import { ADDED_RECORD_TOOLS, INTAKE_TOOLS, PARK_ITEM_TOOLS, PARK_TOOLS } from "./inbox_tools.ts";
import { ADDED_LANE_TOOLS, CHECKPOINT_TOOLS, LANE_TOOLS } from "./lane_tools.ts";
import { ADDED_LEARNING_TOOLS, LEARNING_TOOLS } from "./learning_tools.ts";
import { MISSION_START_TOOLS, MISSION_TOOLS } from "./mission_tools.ts";
import { ADDED_OVERVIEW_TOOLS, OVERVIEW_TOOLS } from "./overview_tools.ts";
import { RECONTRACT_TOOLS } from "./recontract_tools.ts";
import { ADDED_SESSION_TOOLS, SESSION_TOOLS } from "./session_tools.ts";

/** Tools of the contract: control plane, mission, daily loop, learning. */
export const CONTRACT_TOOLS: readonly Tool[] = [
  ...OVERVIEW_TOOLS,
  ...ARTIFACT_TOOLS,
  ...PARK_TOOLS,
  ...LANE_TOOLS,
  ...CHECKPOINT_TOOLS,
  ...MISSION_TOOLS,
  ...SESSION_TOOLS,
  ...ACTIVITY_TOOLS,
  ...PARK_ITEM_TOOLS,
  ...RECONTRACT_TOOLS,
  ...CLOSE_TOOLS,
  ...INTAKE_TOOLS,
  ...MISSION_START_TOOLS,
  ...DRIFT_TOOLS,
  ...PROOF_TOOLS,
  ...STOP_TOOLS,
  ...LEARNING_TOOLS,
];

/** Tools that the contract does not have. */
export const ADDED_TOOLS: readonly Tool[] = [
  ...ADDED_OVERVIEW_TOOLS,
  ...ADDED_SESSION_TOOLS,
  ...ADDED_RECORD_TOOLS,
  ...ADDED_LANE_TOOLS,
  ...ADDED_LEARNING_TOOLS,
];

/** Every tool by its name. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [...CONTRACT_TOOLS, ...ADDED_TOOLS].map((tool) => [tool.name, tool]),
);
