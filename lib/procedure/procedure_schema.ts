/**
 * The schema of a procedure file, version 1. It loads zod, so only readers of files
 * import it. Unknown keys are ignored.
 *
 * @module
 */

import { z } from "zod";

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A node of a tree, as written in a file. */
export type FileNode =
  | { feature: string; yes: FileNode; no: FileNode }
  | { calls: [string, number][]; hand_back?: string | undefined }
  | { hand_back: string };

const node: z.ZodType<FileNode> = z.union([
  z.object({
    feature: z.string().min(1).describe("What is asked of the run so far; see docs/formats.md"),
    get yes() {
      return node;
    },
    get no() {
      return node;
    },
  }).describe("A question, and where to go on"),
  z.object({
    calls: z.array(z.tuple([z.string().min(1), z.int().min(0)])).min(1).describe(
      "Actions in the order they are tried, each with how often it was seen",
    ),
    hand_back: z.string().min(1).optional().describe(
      "Why a person has to go on when none of them can be taken",
    ),
  }).describe("What to do next"),
  z.object({
    hand_back: z.string().min(1).describe("Why a person has to go on"),
  }).describe("The run ends without having decided"),
]).meta({ id: "Node" });

/** The schema of a procedure file. */
export const procedureSchema = z.object({
  hoist_procedure: z.literal(1).describe("The version of the format"),
  domain: z.string().describe("What the server is about"),
  about: z.string().optional().describe("What the procedure does, for people"),
  provenance: z.object({
    sources: z.array(z.string()).describe("Agents, or the people, it was made of"),
    training_tasks: z.int().min(0).describe("Tasks it was learned from, 0 when written by hand"),
  }),
  symbolic: z.boolean().default(true).describe(
    "Whether texts that begin with @ say where a value comes from",
  ),
  max_calls: z.int().min(1).max(1000).default(50).describe("The most calls of one run"),
  stop: z.string().min(1).default("stop").describe("The action that ends a run"),
  handoff: z.string().min(1).optional().describe("The tool that hands the customer on"),
  handoff_arguments: z.record(z.string(), scalar).default({}).describe(
    "What that tool is called with when a leaf names it alone",
  ),
  inputs: z.record(
    z.string().regex(/^[A-Za-z_][\w-]*$/),
    z.object({
      type: z.enum(["string", "number", "boolean"]),
      pattern: z.string().min(1).optional().describe("What the whole value must match"),
      description: z.string(),
      optional: z.boolean().default(false).describe("Whether a run may go without it"),
    }),
  ).default({}).describe("What --input gives, by name"),
  contracts: z.record(z.string(), z.string()).default({}).describe(
    "Tool to its arguments, as in a flow file",
  ),
  reads: z.array(z.string()).describe(
    "The tools that change nothing; every other counts as a write",
  ),
  vocab: z.array(z.string()).default([]).describe("Words of tickets that a feature may test"),
  familiar: z.array(z.string()).default([]).describe(
    "Words and pairs of words that tickets of this kind have; ticket:unfamiliar counts the others",
  ),
  trees: z.record(z.string(), node).describe("Site to tree: start, TOOL, or TOOL! after a failure"),
  fallback: node.describe("The tree of every other site"),
  checks: z.array(z.object({
    phrase: z.string().min(1).describe("Words of the ticket that state this outcome"),
    probe: z.string().min(1).describe("The read that shows it"),
    contains: z.array(z.string()).default([]),
    lacks: z.array(z.string()).default([]),
  })).default([]),
});

/** A procedure file of the right shape. */
export type ProcedureFile = z.infer<typeof procedureSchema>;

/**
 * Makes the JSON Schema of a procedure file, for editors.
 *
 * @returns The schema.
 */
export function procedureJsonSchema(): unknown {
  return {
    title: "Hoist procedure, version 1",
    ...z.toJSONSchema(procedureSchema, { io: "input" }),
  };
}
