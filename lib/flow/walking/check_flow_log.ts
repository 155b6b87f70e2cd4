/**
 * A flow log against the flow that is said to have written it.
 *
 * @module
 */

import type { Flow } from "../flow.ts";
import type { FlowLog } from "./read_flow_log.ts";
import { RunScoreError, scoreRunLine } from "./score_run.ts";

/** A run of a flow log, and what the flow makes of it. */
export interface CheckedRun {
  /** Where it stands in the log, from 1. */
  readonly line: number;
  /** The tool that the agent called. */
  readonly call: string;
  /** How unexpected the server's answers were, in nats; null when the run does not hold. */
  readonly surprise: number | null;
  /** The run's log-probability under the flow; null when it does not hold, or never comes. */
  readonly logp: number | null;
  /** Why the run is not the flow's. */
  readonly fault?: string;
}

/** A flow log, checked. */
export interface FlowLogCheck {
  /** Decisions, those in shadow too. */
  readonly decisions: number;
  /** Decisions in shadow. */
  readonly shadow: number;
  /** Lookups that were made. */
  readonly lookups: number;
  /** Every run, in order. */
  readonly runs: readonly CheckedRun[];
  /** Whether a last line that a crash cut was left out. */
  readonly isCut: boolean;
}

/** {@linkcode checkFlowLog} of a flow and a log that are read already. */
export function checkRuns(flow: Flow, { lines, isCut }: FlowLog): FlowLogCheck {
  const runs: CheckedRun[] = [];
  let decisions = 0;
  let shadow = 0;
  let lookups = 0;
  for (const line of lines) {
    if (line.kind === "run") {
      runs.push({ line: line.line, call: line.run.call, ...scored(flow, line) });
      continue;
    }
    decisions++;
    if (line.shadow === true) shadow++;
    else if (line.action === "lookup" && line.withheld === undefined) lookups++;
  }
  return { decisions, shadow, lookups, runs, isCut };
}

function scored(flow: Flow, line: Parameters<typeof scoreRunLine>[1]) {
  try {
    const { surprise, logp } = scoreRunLine(flow, line);
    return { surprise, logp: Number.isFinite(logp) ? logp : null };
  } catch (error) {
    if (!(error instanceof RunScoreError)) throw error;
    return { surprise: null, logp: null, fault: error.message };
  }
}

/**
 * Scores the runs of a flow log again. A run holds when its values lead through the
 * flow's program and its outcomes are as likely as the log says, within 1e-9.
 *
 * @example Usage
 * ```ts
 * import { checkFlowLog } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const flow = await Deno.readTextFile("testdata/flows/parcels.flow.json");
 * const log = await Deno.readTextFile("testdata/served/20261112T081503.077Z-911.flow.jsonl");
 * const { lookups, runs } = await checkFlowLog(flow, log);
 * assertEquals(lookups, 3);
 * assertEquals(runs.map((run) => run.surprise?.toFixed(3)), ["0.393", "0.000"]);
 * ```
 *
 * @param flow The text of a flow file.
 * @param log The text of a flow log.
 * @returns Its runs and counts.
 * @throws {SyntaxError} When the flow or a line of the log cannot be read.
 */
export async function checkFlowLog(flow: string, log: string): Promise<FlowLogCheck> {
  const { readFlow } = await import("../file/read_flow.ts");
  const { readFlowLog } = await import("./read_flow_log.ts");
  return checkRuns(readFlow(flow, "the flow"), readFlowLog(log, "the flow log"));
}
