/**
 * `hoist`: everything that works on recorded sessions.
 *
 * @module
 */

import { type FlagTable, parseFlags, refuse } from "../lib/cli/flags.ts";
import type { FileStore } from "../lib/cli/recordings.ts";
import { VERSION } from "../lib/cli/version.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import type { Host } from "../lib/host/host.ts";

/** A subcommand: what it does, and the code that does it, loaded when it is called. */
interface Command {
  readonly summary: string;
  run(args: readonly string[], host: Host): Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  episodes: {
    summary: "List the sessions of a folder, or print one as a timeline.",
    run: async (args, host) => {
      const { episodesCommand } = await import("../lib/cli/episodes_command.ts");
      const { diskLogs } = await import("../lib/disk/log_store.ts");
      return await episodesCommand(args, host, diskLogs);
    },
  },
  learn: withFiles(
    "Learn a flow from recorded sessions.",
    async () => (await import("../lib/cli/learn_command.ts")).learnCommand,
  ),
  replay: withFiles(
    "Measure what a flow would have saved in recorded sessions.",
    async () => (await import("../lib/cli/replay_command.ts")).replayCommand,
  ),
  "flow-show": withFiles(
    "Show what a flow knows.",
    async () => (await import("../lib/cli/flow_show_command.ts")).flowShowCommand,
  ),
  guards: withFiles(
    "Test policy rules against recorded sessions.",
    async () => (await import("../lib/cli/guards_command.ts")).guardsCommand,
  ),
};

type FileCommand = (args: readonly string[], host: Host, files: FileStore) => Promise<number>;

/** A command that reads and writes files. */
function withFiles(summary: string, load: () => Promise<FileCommand>): Command {
  return {
    summary,
    run: async (args, host) => {
      const { diskFiles } = await import("../lib/disk/file_store.ts");
      return await (await load())(args, host, diskFiles);
    },
  };
}

/** The command line of `hoist` itself; each command has its own. */
export const HOIST_FLAGS: FlagTable = {
  program: "hoist",
  summary: "Reads the sessions that hoist-mcp recorded.",
  usage: ["COMMAND [OPTIONS]"],
  flags: [],
  notes: [
    [
      "Commands:",
      ...Object.entries(COMMANDS).map(([name, c]) => `  ${name.padEnd(13)} ${c.summary}`),
    ]
      .join("\n"),
    "'hoist COMMAND --help' tells more.",
  ],
};

/**
 * Runs `hoist`.
 *
 * @param args The arguments.
 * @param host The machine.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  host: Host = denoHost("hoist"),
): Promise<number> {
  const [name, ...rest] = args;
  if (name !== undefined && Object.hasOwn(COMMANDS, name)) {
    const command = COMMANDS[name];
    if (command !== undefined) return await command.run(rest, host);
  }
  const isFlag = name?.startsWith("-") ?? false;
  const parsed = isFlag
    ? parseFlags(HOIST_FLAGS, args, VERSION)
    : refuse(HOIST_FLAGS, name === undefined ? "Missing command" : `Unknown command "${name}"`);
  if (parsed.kind === "text") {
    host.print(parsed.text);
    return 0;
  }
  const message = parsed.kind === "refused" ? parsed.message : "Missing command";
  for (const line of message.split("\n")) host.say(line);
  return 2;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
