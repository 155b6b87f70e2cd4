/**
 * Drafts a map from the tools that a server lists, for a person to correct: what a tool does and
 * which arguments are paths is guessed by names and hints. A guess errs to what needs more rights.
 *
 * @module
 */

import { at, isObject } from "../../json/json.ts";

/** A tool as a server lists it. */
interface ListedTool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
}

const PATH = /path|file|dir|folder|source|destination|target|uri|url|root|location/i;
const DELETE = /delete|remove|drop|purge|destroy|cancel|kill/i;

/**
 * Drafts the map.
 *
 * @param server The server's name in contracts.
 * @param tools Its tools.
 * @returns YAML.
 */
export function draftMap(server: string, tools: readonly ListedTool[]): string {
  return [
    "# A draft: check each action, and which arguments are paths.",
    "# What is left out is refused.",
    "hoist_hai_map: 1",
    `server: ${JSON.stringify(server)}`,
    `tools:${tools.length === 0 ? " {}" : ""}`,
    ...tools.flatMap(toolLines),
    "",
  ].join("\n");
}

function toolLines({ name, inputSchema, annotations }: ListedTool): string[] {
  const properties = at(inputSchema, "properties");
  const args = isObject(properties) ? Object.keys(properties) : [];
  const paths = args.filter((arg) => PATH.test(arg));
  const other = args.filter((arg) => !PATH.test(arg));
  const list = (key: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`    ${key}: ${JSON.stringify(names)}`];
  return [
    `  ${JSON.stringify(name)}:`,
    `    action: ${actionOf(name, annotations)}`,
    ...list("paths", paths),
    ...list("other", other),
  ];
}

function actionOf(name: string, annotations: unknown): string {
  if (DELETE.test(name)) return "delete";
  return at(annotations, "readOnlyHint") === true ? "read" : "write";
}
