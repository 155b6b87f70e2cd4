/**
 * `hoist flow-show`: what a flow knows and what it would do.
 *
 * @module
 */

import { flowMarkdown } from "../../flow/report/show_flow.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { numberFlag, runCommand, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import type { FileStore } from "../../ports/files.ts";

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

/**
 * Runs `hoist flow-show`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Where to print.
 * @param files Where flows are.
 * @returns The exit status.
 */
export function flowShowCommand(
  args: readonly string[],
  runtime: Runtime,
  files: FileStore,
): Promise<number> {
  return runCommand(FLOW_SHOW_FLAGS, args, runtime, async (values) => {
    const path = values.positionals[0];
    if (path === undefined) throw new UsageError("Missing argument: a flow's file");
    const threshold = numberFlag(values, "threshold", { min: 0, max: 10 });
    const text = flowMarkdown(readFlow(await files.readText(path), path), threshold);
    const out = values.get("out");
    if (out === undefined) runtime.print(text);
    else await files.replace(out, text + "\n");
    return 0;
  });
}
