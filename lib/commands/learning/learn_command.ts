/**
 * `hoist learn`: recorded sessions into a flow file.
 *
 * @module
 */

import { printFlow } from "../../flow/file/print_flow.ts";
import { ASKING_FLAGS, ASKING_NOTES, budgetFlag, openAsking, withArbiter } from "./asking.ts";
import { commandOf, needed, type Run, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { LEARNING_FLAGS } from "./learning_flags.ts";
import { RECORDINGS_FLAGS } from "../sessions/recordings_flags.ts";
import { WORLD_FLAG } from "../flow/world_flag.ts";
import type { OraclePorts } from "../flow/open_flow.ts";
import { learned, learnedWords, SAME_BYTES } from "./learned.ts";

/** US dollars without a flag. */
const BUDGET = 1;

/** The table of `hoist learn`. */
export const LEARN_FLAGS: FlagTable = {
  program: "hoist learn",
  summary: "Learns a flow from recorded sessions.",
  examples: ["hoist learn --sessions ~/.hoist/logs/orders --domain orders --out orders.flow.json"],
  usage: ["[OPTIONS] --sessions DIR --out FILE", "[OPTIONS] --tau2 DIR --domain NAME --out FILE"],
  flags: [
    ...RECORDINGS_FLAGS,
    WORLD_FLAG,
    ...LEARNING_FLAGS,
    { name: "habit-only", help: "Count, and fit no weights; ask nobody." },
    ...ASKING_FLAGS,
    budgetFlag(BUDGET),
    { name: "out", value: "FILE", help: "The flow file to write, whole or not at all." },
  ],
  notes: [
    ...ASKING_NOTES,
    SAME_BYTES,
    "Exit status: 0 done; 1 something could not be read, asked, learned or written; 2 wrong usage.",
  ],
};

/** Runs `hoist learn`. */
export const learnCommand = commandOf(LEARN_FLAGS, learn);

async function learn(run: Run<OraclePorts>): Promise<number> {
  const { values, runtime, files } = run;
  const out = needed(values, "out");
  const clash = [...ASKING_FLAGS.map(({ name }) => name), "oracle-budget"]
    .find((name) => values.has("habit-only") && values.has(name));
  if (clash !== undefined) throw new UsageError(`--habit-only and --${clash} exclude each other`);
  const asking = await openAsking(run, BUDGET);
  const result = await learned(run);
  const flow = asking === undefined ? result.flow : await withArbiter(result, asking, run);
  await files.replace(out, printFlow(flow));
  const asked = asking === undefined
    ? "no oracle asked"
    : `an arbiter of ${flow.provenance.arbiter_cases} decisions`;
  runtime.say(`${learnedWords(result)}, ${asked}, and wrote ${out}`);
  return 0;
}
