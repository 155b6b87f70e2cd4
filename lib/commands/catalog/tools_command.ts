/**
 * `hoist tools`: shows which listed tools and fields sessions used, and what the list costs.
 *
 * @module
 */

import { toolsJson, toolsMarkdown } from "../../catalog/tools_report.ts";
import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { writeReport } from "../../cli/write_report.ts";
import type { FlagTable } from "../../flags/flags.ts";
import type { FileStore } from "../../ports/files.ts";
import { folderTools } from "./session_tools.ts";

/** The table of `hoist tools`. */
export const TOOLS_FLAGS: FlagTable = {
  program: "hoist tools",
  summary: "Shows which listed tools and fields sessions used, and what the list costs in tokens.",
  examples: ["hoist tools ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] DIR"],
  flags: [
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers behind it." },
  ],
  positionals: ["DIR"],
  notes: [
    "DIR is what hoist-mcp --record was given. Tokens are estimated as a quarter of the characters\n" +
    "of a tool's JSON; each model counts in its own way.",
    "Exit status: 0 done; 1 something could not be read or written; 2 wrong usage.",
  ],
};

/** Runs `hoist tools`. */
export const toolsCommand = commandOf(TOOLS_FLAGS, tools);

async function tools(run: Run<{ readonly files: FileStore }>): Promise<number> {
  const [dir] = run.values.positionals;
  if (dir === undefined) throw new UsageError("Missing argument: a folder of session logs");
  const servers = await folderTools(dir, run.files);
  await writeReport({ text: toolsMarkdown(servers, dir), json: toolsJson(servers) }, run);
  return 0;
}
