/**
 * `hoist compile`: a flow, and its arbiter fitted on an oracle's answers.
 *
 * @module
 */

import { printFlow } from "../../flow/file/print_flow.ts";
import { ASKING_FLAGS, ASKING_NOTES, budgetFlag, openAsking, withArbiter } from "./asking.ts";
import { commandOf, needed, type Run } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { learned, learnedWords, SAME_BYTES } from "./learned.ts";
import { LEARNING_FLAGS } from "./learning_flags.ts";
import { RECORDINGS_FLAGS } from "../sessions/recordings_flags.ts";
import { WORLD_FLAG } from "../flow/world_flag.ts";
import type { OraclePorts } from "../flow/open_flow.ts";

/** US dollars without a flag. */
const BUDGET = 5;

/** The table of `hoist compile`. */
export const COMPILE_FLAGS: FlagTable = {
  program: "hoist compile",
  summary: "Learns a flow and fits its arbiter on an oracle's answers at held-out decisions.",
  examples: [
    "hoist compile --sessions ~/.hoist/logs/orders --oracle jev --out orders.flow.json",
  ],
  usage: [
    "[OPTIONS] --oracle jev|replay|mock --tau2 DIR --domain NAME --out FILE",
    "[OPTIONS] --oracle jev|replay|mock --sessions DIR --out FILE",
  ],
  flags: [
    ...RECORDINGS_FLAGS,
    WORLD_FLAG,
    ...LEARNING_FLAGS,
    ...ASKING_FLAGS,
    budgetFlag(BUDGET),
    { name: "oracle-concurrency", value: "N", help: "Requests in flight. Default: 8." },
    {
      name: "oracle-model",
      value: "NAME",
      help: "The model asked. Default: TYPESAFE_DEFAULT_MODEL, else jev-latest.",
    },
    {
      name: "candidates",
      value: "FILE",
      help:
        "Questions of yes or no to ask and not to weigh, so that --oracle-log shows what they say.",
    },
    { name: "weigh", value: "ID", repeat: true, help: "Weigh this candidate." },
    { name: "no-predicate-features", help: "Ask the predicates, and weigh none." },
    {
      name: "pooled-arbiter",
      help:
        "One fit on all decisions instead of five, each without a fifth of the tasks: for tasks " +
        "that are none of the recorded ones.",
    },
    {
      name: "oracle-limit",
      value: "N",
      help: "Ask about N decisions at most, spread evenly over all.",
    },
    {
      name: "oracle-dump",
      value: "FILE",
      help: "Write the requests, a line of JSON each: as sensitive as the sessions.",
    },
    {
      name: "oracle-log",
      value: "FILE",
      help: "Write every decision with what was answered and its features, a line of JSON each.",
    },
    { name: "out", value: "FILE", help: "The flow file to write, whole or not at all." },
  ],
  notes: [
    ...ASKING_NOTES,
    SAME_BYTES + " So do the same answers.",
    "Exit status: 0 done; 1 something could not be read, asked, learned or written; 2 wrong usage.",
  ],
};

/** Runs `hoist compile`. */
export const compileCommand = commandOf(COMPILE_FLAGS, compile);

async function compile(run: Run<OraclePorts>): Promise<number> {
  const { values, runtime, files } = run;
  const out = needed(values, "out");
  const asking = await openAsking(run, BUDGET);
  const result = await learned(run);
  const flow = asking === undefined ? result.flow : await withArbiter(result, asking, run);
  await files.replace(out, printFlow(flow));
  const asked = asking === undefined
    ? "no oracle asked, so it has no arbiter (--oracle jev|replay|mock)"
    : `an arbiter of ${flow.provenance.arbiter_cases} decisions`;
  runtime.say(`${learnedWords(result)}, ${asked}, and wrote ${out}`);
  return 0;
}
