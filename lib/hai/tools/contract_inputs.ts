/**
 * Arguments that several mission tools share: criteria, constraints, evidence.
 *
 * @module
 */

import { z } from "zod";
import { INTEGER } from "../call/boundary.ts";
import { optionalText, optionalTexts } from "../call/tool.ts";

/** Criteria of a contract. A missing description is an issue, not a wrong type. */
export const CRITERIA_INPUT = z.array(
  z.strictObject({
    id: optionalText("Short name, such as dc-1; made up when left out."),
    description: optionalText("What must hold, so that somebody else can check it."),
    verifiable: z.boolean().nullish().describe("false is refused: state what can be checked."),
  }),
).max(200).describe("What must hold for the mission to be done; at least one.");

const CONSTRAINTS = z.strictObject({
  project_id: optionalText("Logical project; then device_id and project_path say where it lies."),
  device_id: optionalText("This device, with project_id."),
  project_path: optionalText("The project's folder, absolute path."),
  allowed_paths: optionalTexts(
    "Prefixes below the project that may be touched; none allows the whole project.",
    200,
  ),
  capabilities: optionalTexts("What sessions may do; read, write, test by default."),
  servers: optionalTexts(
    "MCP servers that hoist-mcp --hai lets through, * for any letters; left out: any. An empty list: none.",
    200,
  ),
  tools: optionalTexts("Tools it lets through, such as read_* or files/delete_file.", 200),
  // Judged by the contract, which lists all faults together.
  max_parallel_sessions: z.unknown().meta({
    type: "integer",
    minimum: 1,
    description: "Sessions at once; 1 by default.",
  }),
  time_limit_hours: z.unknown().meta({
    type: ["number", "null"],
    minimum: 1,
    description: "Hours after which nothing is in scope any more.",
  }),
}).partial();

/** Constraints of a contract, with their own description. */
export function constraintsInput(description: string) {
  return CONSTRAINTS.nullish().describe(description);
}

/**
 * Constraints in `changes` of a recontract. Members that cannot change may stand
 * there, as in a copy of the contract; the reply says when they were not followed.
 */
export const CONSTRAINTS_CHANGE = CONSTRAINTS.omit({ device_id: true }).extend({
  owner: z.string().nullish(),
});

const EVIDENCE_ITEM = z.strictObject({
  path: optionalText("The file that shows it, inside the project; needed to verify."),
  sha256: optionalText("Hash the file must have."),
  stale_reason: optionalText("Why a file from before the mission still shows it."),
  command: optionalText("The command that made it; kept as a note, never run."),
  exit_code: z.int(INTEGER).nullish().describe(
    "The command's status; anything but 0 is no evidence.",
  ),
  reruns: z.array(z.int(INTEGER)).nullish().describe("Status of each rerun; kept as a note."),
  note: optionalText("A note."),
});

/** Evidence by criterion id. */
export const EVIDENCE_INPUT = z.record(z.string(), EVIDENCE_ITEM)
  .describe('Evidence by criterion id, such as {"dc-1": {"path": "tests/run.log"}}.');
