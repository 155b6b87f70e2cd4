/**
 * Tools as MCP lists them: schemas of arguments and replies made from the same
 * declarations that check the calls.
 *
 * @module
 */

import { z } from "zod";
import { ERROR_CODES } from "../state/refusal.ts";
import type { Tool } from "../call/tool.ts";

/** A JSON schema of an object. */
interface ObjectSchema {
  readonly type: "object";
  readonly [key: string]: unknown;
}

/** A tool as `tools/list` shows it. */
export interface ShownTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Tool["annotations"];
}

/** Schema of every refusal. */
export const REFUSAL: z.ZodObject = z.looseObject({
  ok: z.literal(false),
  error: z.enum(ERROR_CODES),
  message: z.string(),
});

/**
 * Describes a tool for clients.
 *
 * @param tool The tool.
 * @returns Its entry in `tools/list`.
 */
export function listedTool(tool: Tool): ShownTool {
  const { name, title, description, annotations } = tool;
  return {
    name,
    title,
    description,
    inputSchema: { ...schemaOf(tool.input), type: "object" },
    // What else a reply holds stands in the reference: in every list it would cost 14,000 tokens.
    outputSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
    annotations,
  };
}

function schemaOf(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _version, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    override: saidOnce,
  });
  return rest;
}

/** A description that stands before the choices is not said again in one of them. */
function saidOnce({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  for (const choice of jsonSchema.anyOf ?? []) {
    if (typeof choice === "object" && choice.description === jsonSchema.description) {
      delete choice.description;
    }
  }
}

/** The tools that a session of plain work needs, from opening to proof; see docs/hai.md. */
export const CORE_TOOLS: ReadonlySet<string> = new Set([
  "hai_health",
  "hai_get_mission",
  "hai_mission_start",
  "hai_authorize_session",
  "hai_check_activity",
  "hai_release_session",
  "hai_recontract",
  "hai_park",
  "hai_get_next_step",
  "hai_propose_next_step",
  "hai_accept_next_step",
  "hai_proof",
  "hai_close_mission",
  "hai_stop",
]);
