/**
 * `hoist flow-check`: checks by their probabilities that runs in flow logs are the flow's.
 *
 * @module
 */

import { checkRuns, type FlowLogCheck } from "../../flow/walking/check_flow_log.ts";
import { readFlowLog } from "../../flow/walking/read_flow_log.ts";
import { commandOf, needed, type Run, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import type { FileStore } from "../../ports/files.ts";
import { readNamedFlow } from "./open_flow.ts";

/** The table of `hoist flow-check`. */
export const FLOW_CHECK_FLAGS: FlagTable = {
  program: "hoist flow-check",
  summary: "Scores the runs of flow logs again, and finds runs of another flow.",
  examples: ["hoist flow-check --flow orders.flow.json --flow-log session.flow.jsonl"],
  usage: ["--flow FILE --flow-log FILE..."],
  flags: [
    { name: "flow", value: "FILE", help: "The flow that is said to have run." },
    {
      name: "flow-log",
      value: "FILE",
      repeat: true,
      help: "What hoist-mcp --flow logged, <session>.flow.jsonl.",
    },
    { name: "json", value: "FILE", help: "Also write every run with its values." },
  ],
  notes: [
    "A run holds when its values lead through the flow's program, and its outcomes are as likely as\n" +
    "the line says, within 1e-9.",
    "Exit status: 0 every run holds; 1 one does not, or a file cannot be read; 2 wrong usage.",
  ],
};

/** Runs `hoist flow-check`. */
export const flowCheckCommand = commandOf(FLOW_CHECK_FLAGS, flowCheck);

async function flowCheck(run: Run<{ readonly files: FileStore }>): Promise<number> {
  const { values, runtime, files } = run;
  needed(values, "flow");
  const logs = values.all("flow-log");
  if (logs.length === 0) throw new UsageError("Missing --flow-log");
  const flow = await readNamedFlow(run);
  const checked: (FlowLogCheck & { readonly file: string })[] = [];
  for (const file of logs) {
    const check = checkRuns(flow, readFlowLog(await files.readText(file), file));
    if (check.isCut) runtime.say(`"${file}": the last line is cut and is left out`);
    for (const { line, fault } of check.runs) {
      if (fault !== undefined) runtime.say(`"${file}": line ${line}: ${fault}`);
    }
    checked.push({ file, ...check });
  }
  const json = values.get("json");
  if (json !== undefined) {
    const logs = checked.map(({ file, decisions, shadow, lookups, runs }) => ({
      file,
      decisions,
      shadow,
      lookups,
      runs,
    }));
    await files.replace(json, JSON.stringify({ logs }, null, 2) + "\n");
  }
  const sum = (of: (check: FlowLogCheck) => number) => checked.reduce((n, c) => n + of(c), 0);
  const runs = sum((c) => c.runs.length);
  const faults = sum((c) => c.runs.filter((r) => r.fault !== undefined).length);
  const nats = sum((c) => c.runs.reduce((n, r) => n + (r.surprise ?? 0), 0));
  runtime.print(
    `${runs} runs, ${runs - faults} hold; ${sum((c) => c.decisions)} decisions, ` +
      `${sum((c) => c.shadow)} of them in shadow; ${sum((c) => c.lookups)} lookups; ` +
      `surprise ${nats.toFixed(3)} nats`,
  );
  return faults === 0 ? 0 : 1;
}
