/**
 * `hoist promote`: which sites of a flow may act.
 *
 * @module
 */

import { printFlow } from "../../flow/file/print_flow.ts";
import { thresholdAt } from "../../flow/walking/run_flow.ts";
import { kept } from "../../learn/episode_source.ts";
import { promote, promotionMarkdown } from "../../evaluate/promote.ts";
import { recordedAnswers } from "../../replay/recorded.ts";
import { commandOf, needed, numberFlag, type Run } from "../../cli/command.ts";
import { deciderFlags } from "./decider_flags.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { knownSessions } from "../sessions/known_sessions.ts";
import { progressOn, shownOn } from "../../cli/progress.ts";
import { RECORDINGS_FLAGS } from "../sessions/recordings_flags.ts";
import { LIMIT_FLAGS, limitsOf } from "./limit_flags.ts";
import { openAnswerer, WORLD_FLAG } from "./world_flag.ts";
import { openFlow, type OraclePorts } from "./open_flow.ts";
import { writeReport } from "../../cli/write_report.ts";

/** The table of `hoist promote`. */
export const PROMOTE_FLAGS: FlagTable = {
  program: "hoist promote",
  summary: "Writes a flow in which only sites that have proved themselves may look things up.",
  examples: [
    "hoist promote --flow orders.flow.json --sessions ~/.hoist/logs/orders --out promoted.flow.json",
  ],
  usage: ["[OPTIONS] --flow FILE --sessions DIR --out FILE"],
  flags: [
    { name: "flow", value: "FILE", help: "The flow; an earlier promotion is done anew." },
    ...RECORDINGS_FLAGS,
    WORLD_FLAG,
    ...deciderFlags(
      "Where a tool's probability comes from. Default: as hoist-mcp would serve the flow: its " +
        "arbiter, else reach.",
    ),
    ...LIMIT_FLAGS,
    {
      name: "min-used",
      value: "SHARE",
      help: "Least share of a site's lookups that the agent used. Default: 0.7.",
    },
    {
      name: "min-lower",
      value: "SHARE",
      help: "Least Wilson 90 % lower bound of that share. Default: 0.5.",
    },
    { name: "min-tasks", value: "N", help: "Least tasks the lookups came from. Default: 3." },
    { name: "out", value: "FILE", help: "The promoted flow." },
    { name: "report", value: "FILE", help: "Write the report there instead of on stdout." },
  ],
  notes: [
    "Exit status: 0 done, also when nothing is promoted; 1 something could not be read or written;\n2 wrong usage.",
  ],
};

/** Runs `hoist promote`. */
export const promoteCommand = commandOf(PROMOTE_FLAGS, promoteSites);

async function promoteSites(run: Run<OraclePorts>): Promise<number> {
  const { values, runtime, files } = run;
  const out = needed(values, "out");
  const share = { min: 0, max: 1 };
  const limits = limitsOf(values);
  const least = {
    min_used: numberFlag(values, "min-used", share) ?? 0.7,
    min_lower: numberFlag(values, "min-lower", share) ?? 0.5,
    min_tasks: numberFlag(values, "min-tasks", { min: 1, max: 1e6, whole: true }) ?? 3,
  };
  const { flow, decider: { decider, answers }, recordings, read } = await openFlow(run);
  const bar = { threshold: Math.min(1, thresholdAt(flow, "", limits.threshold)), ...least };
  const known = knownSessions(recordings.source, flow.manifest);
  const answerer = await openAnswerer(values, flow.manifest.domain, files) ??
    recordedAnswers;
  const found = await promote(flow, shownOn(kept(known.source), progressOn(runtime), "scoring"), {
    bar,
    decider,
    answers,
    limits,
    read,
    answerer,
  });
  known.say(runtime);
  if (found.unanswered > 0) {
    runtime.say(
      `${found.unanswered} decisions are left out: the oracle's answer is not in the cache`,
    );
  }
  await files.replace(out, printFlow({ ...flow, promoted: found.promoted }));
  await writeReport({ text: promotionMarkdown(found, flow.manifest.domain) }, run, "report");
  return 0;
}
