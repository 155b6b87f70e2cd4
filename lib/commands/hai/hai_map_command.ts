/**
 * `hoist hai-map init`: drafts the map of a server for `hoist-mcp --hai`.
 *
 * @module
 */

import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { writeReport } from "../../cli/write_report.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { draftMap } from "../../intercept/hai/draft_map.ts";
import type { FileStore } from "../../ports/files.ts";
import type { ListTools } from "../../ports/list_tools.ts";

/** The table of `hoist hai-map`. */
export const HAI_MAP_FLAGS: FlagTable = {
  program: "hoist hai-map",
  summary: "Drafts what the tools of a server are, for hoist-mcp --hai-map.",
  examples: ["hoist hai-map init --server files --out files.map.yaml -- npx -y some-mcp-server"],
  usage: ["init [OPTIONS] -- SERVER_COMMAND..."],
  positionals: ["ACTION"],
  flags: [
    { name: "server", value: "NAME", help: "The server's name in contracts. Default: server." },
    { name: "out", value: "FILE", help: "Write the map there instead of on stdout." },
  ],
  command: true,
  notes: [
    "The server is started and asked for its tools; none is called. Actions and paths are guessed: check\n" +
    "each line. See docs/hai_enforcement.md.",
    "Exit status: 0 done; 1 the server cannot be asked, or FILE not written; 2 wrong usage.",
  ],
};

/** Runs `hoist hai-map`. */
export const haiMapCommand = commandOf(HAI_MAP_FLAGS, haiMap);

async function haiMap(
  run: Run<{ readonly files: FileStore; readonly listTools: ListTools }>,
): Promise<number> {
  const { values, runtime, listTools } = run;
  const [action, surplus] = values.positionals;
  if (action !== "init" || surplus !== undefined) {
    throw new UsageError('Say "init": it is the one action');
  }
  const { command } = values;
  if (command === undefined || (command[0] ?? "") === "") {
    throw new UsageError("The server's command is missing after --");
  }
  const tools = await listTools({ command, upstream: undefined }, runtime);
  const text = draftMap(values.get("server") ?? "server", tools);
  await writeReport({ text: text.trimEnd() }, run);
  return 0;
}
