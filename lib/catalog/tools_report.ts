/**
 * The report of `hoist tools`: which listed tools and fields sessions used, and what the
 * list costs the model in tokens.
 *
 * @module
 */

import { at, isObject } from "../json/json.ts";
import { printable } from "../text/printable.ts";
import type { Catalog } from "./catalog.ts";
import type { RecordedUse } from "./recorded_use.ts";

/** The tools of one server, and their use. */
export interface ServerUse {
  /** The server's name; empty when its sessions do not say. */
  readonly server: string;
  readonly catalog: Catalog;
  readonly use: RecordedUse;
}

/** One line of the report. */
export interface ToolRow {
  readonly tool: string;
  readonly calls: number;
  readonly sessions: number;
  /** The size of its entry in the list; 0 for a tool that was called but never listed. */
  readonly tokens: number;
  readonly usedFields: readonly string[];
  readonly unusedFields: readonly string[];
}

/** Characters of JSON per token: an estimate, since each model counts in its own way. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * The rows of a server's tools.
 *
 * @param server The tools and their use.
 * @returns A row per tool, the most used first.
 */
export function toolRows({ catalog, use }: ServerUse): ToolRow[] {
  const names = new Set([...catalog.keys(), ...use.tools.keys()]);
  return [...names].map((tool): ToolRow => {
    const entry = catalog.get(tool);
    const used = use.tools.get(tool);
    const properties = at(entry, "inputSchema", "properties");
    const listed = isObject(properties) ? Object.keys(properties) : [];
    const passed = [...used?.fields.keys() ?? []];
    return {
      tool,
      calls: used?.calls ?? 0,
      sessions: used?.sessions.size ?? 0,
      tokens: entry === undefined ? 0 : tokensOf(JSON.stringify(entry)),
      usedFields: [
        ...listed.filter((field) => passed.includes(field)),
        ...passed.filter((field) => !listed.includes(field)).sort(),
      ],
      unusedFields: listed.filter((field) => !passed.includes(field)),
    };
  }).sort((a, b) => b.calls - a.calls || b.tokens - a.tokens || (a.tool < b.tool ? -1 : 1));
}

function tokensOf(json: string): number {
  return Math.ceil(json.length / CHARACTERS_PER_TOKEN);
}

/**
 * Formats the report as Markdown.
 *
 * @param servers The servers, each with its tools.
 * @param dir The folder of the sessions.
 * @returns The text, without a final newline.
 */
export function toolsMarkdown(servers: readonly ServerUse[], dir: string): string {
  const told = servers.filter(({ catalog, use }) => catalog.size > 0 || use.calls > 0);
  const silent = servers.length - told.length;
  return [
    `# Tools used in ${dir}`,
    ...told.flatMap(section),
    ...(silent === 0 ? [] : ["", `Left out: ${silent} servers without a list and without calls.`]),
  ].join("\n");
}

function section(server: ServerUse): string[] {
  const rows = toolRows(server);
  const listed = rows.filter(({ tokens }) => tokens > 0);
  const unused = listed.filter(({ calls }) => calls === 0);
  const sum = (list: readonly ToolRow[]) => list.reduce((total, { tokens }) => total + tokens, 0);
  const { sessions, calls } = server.use;
  const head = [
    "",
    `## ${server.server === "" ? "A server without a name" : cell(server.server)}`,
    "",
    `${sessions} sessions, ${calls} calls. ` +
    (listed.length === 0
      ? "No session has the list of tools, so what it costs is not known."
      : `The list has ${listed.length} tools, about ${sum(listed)} tokens. ` +
        `Never called: ${unused.length}, about ${sum(unused)} tokens.`),
  ];
  if (listed.length === 0) {
    return [
      ...head,
      "",
      "| tool | calls | sessions | fields used |",
      "|---|---|---|---|",
      ...rows.map((row) =>
        `| ${cell(row.tool)} | ${row.calls} | ${row.sessions} | ${
          row.usedFields.map(cell).join(", ")
        } |`
      ),
    ];
  }
  return [
    ...head,
    "",
    "| tool | calls | sessions | tokens, about | fields used | fields never used |",
    "|---|---|---|---|---|---|",
    ...rows.map((row) =>
      `| ${cell(row.tool)} | ${row.calls} | ${row.sessions} | ${
        row.tokens === 0 ? "not listed" : row.tokens
      } | ${row.usedFields.map(cell).join(", ")} | ${row.unusedFields.map(cell).join(", ")} |`
    ),
  ];
}

function cell(text: string): string {
  return printable(text).replaceAll("|", "\\|");
}

/** Formats the report as a JSON value. */
export function toolsJson(servers: readonly ServerUse[]): unknown {
  return {
    hoist_tools_report: 1,
    characters_per_token: CHARACTERS_PER_TOKEN,
    servers: servers.map((server) => ({
      server: server.server,
      sessions: server.use.sessions,
      calls: server.use.calls,
      tools: toolRows(server).map((
        { tool, calls, sessions, tokens, usedFields, unusedFields },
      ) => ({
        tool,
        calls,
        sessions,
        is_listed: tokens > 0,
        tokens,
        used_fields: usedFields,
        unused_fields: unusedFields,
      })),
    })),
  };
}
