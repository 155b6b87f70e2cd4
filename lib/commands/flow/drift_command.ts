/**
 * `hoist drift`: finds whether sessions differ from those that a flow was learned from.
 *
 * @module
 */

import { auditEpisode } from "../../evaluate/audit.ts";
import {
  type Drift,
  drift,
  driftMarkdown,
  scoreSession,
  type SessionScore,
} from "../../evaluate/drift.ts";
import { type CommandFunction, numberFlag, type Run, runCommand } from "../../cli/command.ts";
import { deciderFlags } from "./decider_flags.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { progressOn, shownOn } from "../../cli/progress.ts";
import { RECORDINGS_FLAGS } from "../sessions/recordings_flags.ts";
import { openFlow, type OraclePorts } from "./open_flow.ts";
import { writeReport } from "../../cli/write_report.ts";

/** The table of `hoist drift`. */
export const DRIFT_FLAGS: FlagTable = {
  program: "hoist drift",
  summary: "Sounds an alarm when sessions differ from those that a flow was learned from.",
  examples: ["hoist drift --flow orders.flow.json --sessions ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] --flow FILE --sessions DIR"],
  flags: [
    { name: "flow", value: "FILE", help: "The flow." },
    ...RECORDINGS_FLAGS,
    ...deciderFlags("The decider to score. Default: habit."),
    { name: "hazard", value: "P", help: "Probability of a change at a session. Default: 0.01." },
    {
      name: "window",
      value: "N",
      help: "Sessions back in which a change counts as recent, at least 3. Default: 10.",
    },
    {
      name: "threshold",
      value: "P",
      help: "Probability from which the alarm sounds. Default: 0.5.",
    },
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the scores of every session." },
  ],
  notes: [
    "Exit status: 0 no alarm; 1 the alarm sounds after the last session; 2 anything else went wrong.",
  ],
};

/** Runs `hoist drift`. */
export const driftCommand: CommandFunction<OraclePorts> = async (args, runtime, ports) => {
  let isAlarm = false;
  const status = await runCommand(DRIFT_FLAGS, args, runtime, async (values) => {
    isAlarm = await lookForDrift({ ...ports, values, runtime });
    return 0;
  });
  // Status 1 is the alarm's alone.
  return status === 1 ? 2 : isAlarm ? 1 : status;
};

async function lookForDrift(run: Run<OraclePorts>): Promise<boolean> {
  const { values, runtime } = run;
  const hazard = numberFlag(values, "hazard", { min: 1e-6, max: 0.5 }) ?? 0.01;
  const window = numberFlag(values, "window", { min: 3, max: 100_000, whole: true }) ?? 10;
  const threshold = numberFlag(values, "threshold", { min: 0, max: 1 }) ?? 0.5;
  const { flow, decider, recordings, read } = await openFlow(run, "habit");
  const known = new Set(flow.vocab.tools);
  const scores: SessionScore[] = [];
  let [unanswered, all] = [0, 0];
  for await (const episode of shownOn(recordings.source, progressOn(runtime), "scoring").each()) {
    const called = episode.calls.filter((call) => call.by !== "flow").map((call) => call.name);
    const audited = auditEpisode(episode, decider, read);
    unanswered += audited.unanswered;
    all += audited.unanswered + audited.decisions.length;
    scores.push(scoreSession(episode.id, audited.decisions, { called, known }));
  }
  if (scores.length === 0) throw new Error("Cannot look for drift: no session is left to score");
  if (unanswered > 0 && unanswered === all) {
    throw new Error("Cannot look for drift: no answer of the oracle is in the cache");
  }
  if (unanswered > 0) {
    runtime.say(`${unanswered} decisions are left out: the oracle's answer is not in the cache`);
  }
  const found = drift(scores, { hazard, window, threshold });
  await writeReport(
    { text: driftMarkdown(found, flow.manifest.domain), json: numbers(found) },
    run,
  );
  return found.isAlarm;
}

/** The report as data, in the spelling of its file. */
function numbers(found: Drift): unknown {
  const sessions = found.sessions.map(({ session, surprise, disagreement, unknown }, i) => ({
    session,
    surprise,
    disagreement,
    unknown,
    alarm: found.beliefs[i]?.alarm ?? 0,
  }));
  const { isAlarm: alarm, since, before, after, sites, unknownTools: unknown_tools } = found;
  return { alarm, since: since ?? null, before, after, sites, unknown_tools, sessions };
}
