/**
 * Reads a host's configuration as the host would, apart from the code under test:
 * which servers it starts, or reaches by URL.
 *
 * @module
 */

import { parse } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";

/** A server as a host sees it. */
export interface Configured {
  readonly name: string;
  /** Program and arguments; empty when it is reached by URL. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url: string | undefined;
  /** The whole entry. */
  readonly entry: unknown;
}

type Entry = Record<string, unknown> & {
  command?: string | string[] | { path: string; args?: string[]; env?: Record<string, string> };
  args?: string[];
  env?: Record<string, string>;
  environment?: Record<string, string>;
};

/** The value of a whole configuration. */
export function valueOf(id: string, text: string): Record<string, unknown> {
  const bare = text.replace(/^\uFEFF/, "");
  return id === "codex" ? parseToml(bare) : parse(bare, [], { allowTrailingComma: true });
}

/** The servers of a configuration. */
export function configured(id: string, text: string): Configured[] {
  // deno-lint-ignore no-explicit-any
  const root = valueOf(id, text) as any;
  const lists = [
    root.mcpServers,
    root.servers,
    root.mcp,
    root.mcp_servers,
    root.context_servers,
    ...Object.values(root.projects ?? {}).map((project) =>
      (project as { mcpServers?: unknown }).mcpServers
    ),
  ];
  return lists.flatMap((list) => Object.entries<Entry | null>(list ?? {})).map(([name, given]) => {
    const entry = given ?? {};
    const { command } = entry;
    const nested = typeof command === "object" && !Array.isArray(command) ? command : undefined;
    const url = entry.httpUrl ?? entry.serverUrl ?? entry.url;
    return {
      name,
      command: wordsOf(entry),
      env: nested?.env ?? entry.env ?? entry.environment ?? {},
      url: typeof url === "string" ? url : undefined,
      entry,
    };
  });
}

function wordsOf({ command, args = [] }: Entry): string[] {
  if (command === undefined) return [];
  if (typeof command === "string") return [command, ...args];
  return Array.isArray(command) ? command : [command.path, ...command.args ?? []];
}
