/**
 * `hoist savings`: compares sessions with lookups to sessions that were held out from them.
 *
 * @module
 */

import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { writeReport } from "../../cli/write_report.ts";
import type { FlagTable } from "../../flags/flags.ts";
import type { FlowLogStore } from "../../ports/files.ts";
import { compareArms } from "../../savings/compare_arms.ts";
import { savingsJson, savingsMarkdown } from "../../savings/savings_report.ts";
import { printable } from "../../text/printable.ts";
import { SAME_TURN_FLAG, sameTurnMs } from "../sessions/same_turn_flag.ts";
import { drawnSessions } from "./drawn_sessions.ts";

/** The table of `hoist savings`. */
export const SAVINGS_FLAGS: FlagTable = {
  program: "hoist savings",
  summary: "Compares sessions with a flow's lookups to sessions that were held out from them.",
  examples: ["hoist savings ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] DIR"],
  flags: [
    {
      name: "flow-log",
      value: "FILE",
      repeat: true,
      help: "A flow log that is not beside its session, as hoist-mcp --flow-log wrote it.",
    },
    SAME_TURN_FLAG,
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers behind it." },
  ],
  positionals: ["DIR"],
  notes: [
    "DIR is what hoist-mcp --record was given, together with --flow and --flow-holdout. Model turns,\n" +
    "calls, tokens of results and time of both kinds of session are compared.",
    "Exit status: 0 done; 1 something could not be read or written; 2 wrong usage.",
  ],
};

/** Runs `hoist savings`. */
export const savingsCommand = commandOf(SAVINGS_FLAGS, savings);

async function savings(run: Run<{ readonly files: FlowLogStore }>): Promise<number> {
  const { values, runtime, files } = run;
  const [dir] = values.positionals;
  if (dir === undefined) throw new UsageError("Missing argument: a folder of session logs");
  const { sessions, notes } = await drawnSessions(dir, files, {
    flowLogs: values.all("flow-log"),
    sameTurnMs: sameTurnMs(values),
  });
  for (const note of notes) runtime.say(printable(note));
  const arms = compareArms(sessions);
  await writeReport({ text: savingsMarkdown(arms), json: savingsJson(arms) }, run);
  return 0;
}
