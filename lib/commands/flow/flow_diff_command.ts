/**
 * `hoist flow-diff`: shows the changes between two flows.
 *
 * @module
 */

import { diffFlows, diffMarkdown } from "../../flow/report/diff_flows.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import { type CommandFunction, numberFlag, runCommand, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import type { FileStore } from "../../ports/files.ts";
import { writeReport } from "../../cli/write_report.ts";

/** The table of `hoist flow-diff`. */
export const FLOW_DIFF_FLAGS: FlagTable = {
  program: "hoist flow-diff",
  summary: "Shows what changed between two flows, and what of it needs a person's review.",
  examples: ["hoist flow-diff old.flow.json orders.flow.json"],
  usage: ["[OPTIONS] OLD NEW"],
  flags: [
    {
      name: "tolerance",
      value: "SHARE",
      help: "Chances that moved by less are not listed. Default: 0.05.",
    },
    {
      name: "threshold",
      value: "P",
      help: "Say what each does at this threshold. Default: at its own.",
    },
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
  ],
  positionals: ["OLD", "NEW"],
  notes: ["Exit status: 0 nothing needs review; 1 something does; 2 anything went wrong."],
};

/** Runs `hoist flow-diff`. */
export const flowDiffCommand: CommandFunction<{ readonly files: FileStore }> = async (
  args,
  runtime,
  { files },
) => {
  let needsReview = false;
  const status = await runCommand(FLOW_DIFF_FLAGS, args, runtime, async (values) => {
    const [a, b] = values.positionals;
    if (a === undefined || b === undefined) {
      throw new UsageError("Missing argument: two flows' files");
    }
    const tolerance = numberFlag(values, "tolerance", { min: 0, max: 1 }) ?? 0.05;
    const threshold = numberFlag(values, "threshold", { min: 0, max: 1 });
    const diff = diffFlows(
      readFlow(await files.readText(a), a),
      readFlow(await files.readText(b), b),
      { tolerance, threshold },
    );
    needsReview = diff.review.length > 0;
    await writeReport({ text: diffMarkdown(diff) }, { values, runtime, files });
    return 0;
  });
  // Status 1 is the review's alone.
  return status === 1 ? 2 : needsReview ? 1 : status;
};
