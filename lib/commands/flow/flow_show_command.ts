/**
 * `hoist flow-show`: shows what a flow knows and would do.
 *
 * @module
 */

import { flowMarkdown } from "../../flow/report/show_flow.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import { commandOf, numberFlag, type Run, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import type { FileStore } from "../../ports/files.ts";
import { writeReport } from "../../cli/write_report.ts";

/** The table of `hoist flow-show`. */
export const FLOW_SHOW_FLAGS: FlagTable = {
  program: "hoist flow-show",
  summary: "Shows what a flow knows: its tools, sites, bindings and weights.",
  examples: ["hoist flow-show orders.flow.json"],
  usage: ["[OPTIONS] FILE"],
  flags: [
    {
      name: "threshold",
      value: "P",
      help: "Show what it does at this threshold instead of its own.",
    },
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
  ],
  positionals: ["FILE"],
  notes: ["Exit status: 0 done; 1 the flow cannot be read; 2 wrong usage."],
};

/** Runs `hoist flow-show`. */
export const flowShowCommand = commandOf(FLOW_SHOW_FLAGS, flowShow);

async function flowShow(run: Run<{ readonly files: FileStore }>): Promise<number> {
  const { values, files } = run;
  const path = values.positionals[0];
  if (path === undefined) throw new UsageError("Missing argument: a flow's file");
  const threshold = numberFlag(values, "threshold", { min: 0, max: 10 });
  const flow = readFlow(await files.readText(path), path);
  await writeReport({ text: flowMarkdown(flow, threshold) }, run);
  return 0;
}
