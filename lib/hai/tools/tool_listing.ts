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
    inputSchema: { ...schemaOf(tool.input, "input"), type: "object" },
    outputSchema: {
      type: "object",
      properties: { ok: { type: "boolean", description: "Whether the call was carried out." } },
      required: ["ok"],
      anyOf: [schemaOf(tool.output, "output"), schemaOf(REFUSAL, "output")],
    },
    annotations,
  };
}

function schemaOf(schema: z.ZodObject, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _version, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
