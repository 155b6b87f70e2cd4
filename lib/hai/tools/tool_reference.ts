/**
 * The reference of tools as Markdown, made from the table of tools, so that
 * docs/hai_tool_contract.md cannot say anything else.
 *
 * @module
 */

import type { Tool } from "../call/tool.ts";
import { listedTool, type ShownTool } from "./tool_listing.ts";
import { ADDED_TOOLS, CONTRACT_TOOLS } from "./tools.ts";

const EFFECTS: Readonly<Record<Tool["effect"], string>> = {
  reads: "reads only",
  retires: "reads; marks an expired lease",
  adds: "adds records",
  replaces: "ends or replaces something",
};

/**
 * Writes the reference.
 *
 * @returns Markdown, without a final newline.
 */
export function toolReference(): string {
  return [
    "### Tools of the contract (27)",
    "",
    ...CONTRACT_TOOLS.flatMap(entry),
    `### Tools of ours (${ADDED_TOOLS.length})`,
    "",
    ...ADDED_TOOLS.flatMap(entry),
  ].join("\n").trimEnd();
}

function entry(tool: Tool): string[] {
  const listed = listedTool(tool);
  const result = Object.keys(tool.output.shape).filter((name) => name !== "ok");
  return [
    `#### \`${tool.name}\``,
    "",
    `${tool.description} *(${EFFECTS[tool.effect]})*`,
    "",
    ...parameterLines(listed),
    result.length === 0 ? "" : `Result: ${result.map((name) => `\`${name}\``).join(", ")}.`,
    "",
  ];
}

function parameterLines(listed: ShownTool): string[] {
  const properties = membersOf(listed.inputSchema.properties);
  const required = Array.isArray(listed.inputSchema.required) ? listed.inputSchema.required : [];
  if (properties.length === 0) return ["No parameters.", ""];
  return [
    "| parameter | type | |",
    "|---|---|---|",
    ...properties.map(([name, schema]) => {
      const description = "description" in schema ? String(schema.description) : "";
      const must = required.includes(name) ? " **required**" : "";
      return `| \`${name}\`${must} | ${typeText(schema)} | ${description.replaceAll("|", "\\|")} |`;
    }),
    "",
  ];
}

function typeText(schema: object): string {
  if ("anyOf" in schema && Array.isArray(schema.anyOf)) {
    return schema.anyOf.map(typeText).filter((text) => text !== "null").join(" or ");
  }
  if ("enum" in schema && Array.isArray(schema.enum)) {
    return schema.enum.map((value) => `\`${value}\``).join(", ");
  }
  const type = "type" in schema ? schema.type : "any";
  if (type === "array" && "items" in schema && typeof schema.items === "object") {
    return `list of ${typeText(schema.items ?? {})}`;
  }
  return Array.isArray(type) ? String(type[0]) : String(type);
}

function membersOf(value: unknown): [string, object][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).filter((member): member is [string, object] =>
    typeof member[1] === "object" && member[1] !== null
  );
}
