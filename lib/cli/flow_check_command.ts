/**
 * `hoist flow-check`: whether the runs of flow logs are the flow's, by their
 * probabilities.
 *
 * @module
 */

import { readFlow } from "../flow/read_flow.ts";
import { readFlowLog } from "../flow/read_flow_log.ts";
import { RunScoreError, scoreRunLine } from "../flow/score_run.ts";
import type { Host } from "../host/host.ts";
import { needed, runCommand, UsageError } from "./command.ts";
import type { FlagTable, FlagValues } from "./flags.ts";
import type { FileStore } from "./recordings.ts";

/** The table of `hoist flow-check`. */
export const FLOW_CHECK_FLAGS: FlagTable = {
  program: "hoist flow-check",
  summary: "Scores the runs of flow logs again, and says where another flow must have run.",
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

/** A run of a log and what the flow makes of it. */
interface CheckedRun {
  readonly file: string;
  readonly line: number;
  readonly call: string;
  /** In nats; null when the run does not hold. */
  readonly surprise: number | null;
  /** Of the whole run; null when the run does not hold, or was impossible. */
  readonly logp: number | null;
  readonly fault?: string;
}

/**
 * Runs `hoist flow-check`.
 *
 * @param args The arguments after the subcommand.
 * @param host Where to print.
 * @param files Where flows and logs are.
 * @returns The exit status.
 */
export function flowCheckCommand(
  args: readonly string[],
  host: Host,
  files: FileStore,
): Promise<number> {
  return runCommand(FLOW_CHECK_FLAGS, args, host, (values) => run(values, host, files));
}

async function run(values: FlagValues, host: Host, files: FileStore): Promise<number> {
  const path = needed(values, "flow");
  const logs = values.all("flow-log");
  if (logs.length === 0) throw new UsageError("Missing --flow-log");
  const flow = readFlow(await files.readText(path), path);
  const runs: CheckedRun[] = [];
  let decisions = 0;
  let shadow = 0;
  for (const file of logs) {
    const { lines, isCut } = readFlowLog(await files.readText(file), file);
    if (isCut) host.say(`"${file}": the last line is cut and is left out`);
    for (const line of lines) {
      if (line.kind === "decision") {
        decisions++;
        if (line.shadow === true) shadow++;
        continue;
      }
      const at = { file, line: line.line, call: line.run.call };
      try {
        const { surprise, logp } = scoreRunLine(flow, line);
        runs.push({ ...at, surprise, logp: Number.isFinite(logp) ? logp : null });
      } catch (error) {
        if (!(error instanceof RunScoreError)) throw error;
        host.say(`"${file}": line ${line.line}: ${error.message}`);
        runs.push({ ...at, surprise: null, logp: null, fault: error.message });
      }
    }
  }
  const json = values.get("json");
  if (json !== undefined) {
    await files.replace(json, JSON.stringify({ decisions, shadow, runs }, null, 2) + "\n");
  }
  const faults = runs.filter((r) => r.fault !== undefined).length;
  const nats = runs.reduce((n, r) => n + (r.surprise ?? 0), 0);
  const shadowed = shadow === 0 ? "" : `, ${shadow} of them in shadow`;
  host.print(
    `${runs.length} runs, ${runs.length - faults} hold; ${decisions} decisions${shadowed}; ` +
      `surprise ${nats.toFixed(3)} nats`,
  );
  return faults === 0 ? 0 : 1;
}
