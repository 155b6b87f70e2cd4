/**
 * How `hoist init` prints a server: as the host's file has it, or as a command.
 *
 * @module
 */

import type { HostKind } from "../hosts/host_table.ts";
import type { NewServer } from "../hosts/put_server.ts";
import { shellLine } from "./permissions.ts";

/**
 * The configuration of one server, as the host's file would hold it.
 *
 * @param kind The host.
 * @param name The server's name there.
 * @param entry The server's entry.
 * @returns A whole file's text, without a final newline.
 */
export async function snippet(
  kind: HostKind,
  name: string,
  entry: Readonly<Record<string, unknown>>,
): Promise<string> {
  const path = [...kind.servers[0] ?? [], name];
  if (kind.format === "json") {
    return JSON.stringify(path.reduceRight<unknown>((v, key) => ({ [key]: v }), entry), null, 2);
  }
  const { readTomlConfig } = await import("../hosts/toml_config.ts");
  return (readTomlConfig("").add(path, entry)[0]?.text ?? "").trimEnd();
}

/**
 * Claude Code's own command that adds a server.
 *
 * @param name The server's name there.
 * @param server The server.
 * @returns One line for a POSIX shell.
 */
export function claudeCommand(name: string, server: NewServer): string {
  const words = server.kind === "command"
    ? ["claude", "mcp", "add", name, "--", ...server.words]
    : ["claude", "mcp", "add", "--transport", "http", name, server.url];
  if (server.kind === "url" && server.bearer !== undefined) {
    words.push("--header", `Authorization: Bearer \${${server.bearer}}`);
  }
  return shellLine(words);
}
