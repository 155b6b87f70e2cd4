/**
 * The command line of `hoist init`: its own flags, and those of `hoist-mcp`, which go into the
 * configuration.
 *
 * @module
 */

import { HOSTS } from "../../host_config/host_table.ts";
import { type Flag, type FlagTable, type FlagValues, flagWords } from "../../flags/flags.ts";
import { PROXY_FLAGS } from "../../proxy_options/proxy_flags.ts";
import { isAbsolute } from "../../flags/resolve_path.ts";

/** The flags of `hoist-mcp` that a configuration may hold. */
const HANDED_ON: readonly Flag[] = PROXY_FLAGS.flags.filter((f) => f.name !== "print-permissions");

/** The flags of `hoist init`. */
export const INIT_FLAGS: FlagTable = {
  program: "hoist init",
  summary: "Puts hoist-mcp in front of MCP servers in a host's configuration.",
  examples: [
    "hoist init --host cursor --name orders -- npx -y some-mcp-server",
    "hoist init --host cursor --wrap ~/.cursor/mcp.json",
  ],
  usage: [
    "--host HOST --name NAME [HOIST-MCP OPTIONS] (-- SERVER_COMMAND... | --upstream URL)",
    "--host HOST --wrap FILE [--server NAME]... [HOIST-MCP OPTIONS]",
    "--host HOST --unwrap FILE [--server NAME]...",
    "--listen ADDR --name NAME [HOIST-MCP OPTIONS] (-- SERVER_COMMAND... | --upstream URL)",
  ],
  flags: [
    { name: "host", value: "HOST", help: `One of ${HOSTS.map((h) => h.id).join(", ")}.` },
    {
      name: "name",
      value: "NAME",
      help: "The server's name in the host. Default: that of --domain.",
    },
    {
      name: "form",
      value: "FORM",
      help:
        "How to start hoist-mcp: compiled (the program), npm (the package, by npx where it is " +
        "not on PATH) or deno ('deno run' with exactly the permissions it needs). Default: the " +
        "form of hoist itself.",
    },
    {
      name: "write",
      value: "FILE",
      help: "Add the server to this file instead of printing its configuration. What the file " +
        "holds stays, comments included; the file as it was is kept as FILE.hoist-backup.",
    },
    {
      name: "wrap",
      value: "FILE",
      help: "Put hoist-mcp in front of each server in this file. The original is " +
        "kept as FILE.hoist-unwrapped.",
    },
    { name: "unwrap", value: "FILE", help: "Remove what --wrap put into this file." },
    {
      name: "server",
      value: "NAME",
      repeat: true,
      help: "With --wrap and --unwrap: this server alone.",
    },
    ...HANDED_ON,
  ],
  command: true,
  notes: [
    "With --listen and without --host it prints the configuration of every host that takes a URL.",
    "With --listen it prints both ends: the command that starts the proxy, and the host's\n" +
    "configuration by URL. A host then sends the token of --listen-token-file, which it takes\n" +
    "from the variable HOIST_PROXY_TOKEN.",
    "Without --record, logs go to ~/.hoist/logs/NAME (with --wrap: ~/.hoist/logs).\n" +
    "Values of variables and headers stay where they are; a server whose URL needs the host's own\n" +
    "headers is left alone by --wrap.",
    "Exit status: 0; 1 when a file cannot be read, changed or written; 2 when the command line\n" +
    "is wrong, or is one that hoist-mcp would refuse. Then nothing is written.",
  ],
};

/** Names of the flags of `hoist init` alone. */
const OWN = new Set(
  INIT_FLAGS.flags.filter((f) => !HANDED_ON.includes(f)).map((f) => f.name),
);

/**
 * The options for `hoist-mcp`, as its command line has them.
 *
 * @param values What was given.
 * @param cwd The folder that relative paths start from; hosts start servers in others.
 * @returns The words.
 */
export function handedOn(values: FlagValues, cwd: string): string[] {
  const words: string[] = [];
  for (const { name, value } of HANDED_ON) {
    if (!values.has(name)) continue;
    if (value === undefined) words.push(`--${name}`);
    for (const given of value === undefined ? [] : values.all(name)) {
      const isPath = value === "DIR" || value === "FILE";
      words.push(...flagWords(name, isPath ? fromRoot(given, cwd) : given));
    }
  }
  return words;
}

/** The first given flag of `hoist-mcp`; undefined when there is none. */
export function firstHandedOn(values: FlagValues): string | undefined {
  return HANDED_ON.find(({ name }) => !OWN.has(name) && values.has(name))?.name;
}

function fromRoot(path: string, cwd: string): string {
  return isAbsolute(path) || /^~(?:[/\\]|$)/.test(path) ? path : `${cwd}/${path}`;
}
