/**
 * `hoist replay`: a flow behind recorded behaviour, before anyone serves it.
 *
 * @module
 */

import { type Decider, FlowDecider } from "../flow/decider.ts";
import { lenientParser } from "../flow/lenient.ts";
import { readFlow } from "../flow/read_flow.ts";
import { resultReader } from "../flow/read_result.ts";
import { DEFAULT_THRESHOLD, type Flow } from "../flow/flow.ts";
import type { Host } from "../host/host.ts";
import { fullBound } from "../replay/bound.ts";
import { labelledDecisions } from "../replay/labelled.ts";
import { recordedAnswers } from "../replay/recorded.ts";
import { replayEpisode, type ReplaySetting } from "../replay/replay_episode.ts";
import { replayHtml, type ThresholdCost } from "../replay/replay_html.ts";
import { replayJson, replayMarkdown, type ReplayTitle } from "../replay/replay_report.ts";
import { ReplaySummary } from "../replay/summary.ts";
import { needed, numberFlag, runCommand, UsageError } from "./command.ts";
import type { Flag, FlagTable, FlagValues } from "./flags.ts";
import { knownAnswers, ORACLE_CACHE_FLAG, type OracleDoor } from "./oracle_flags.ts";
import { progressOn } from "./progress.ts";
import { type FileStore, openRecordings } from "./recordings.ts";
import { RECORDINGS_FLAGS, recordingsRequest } from "./recordings_flags.ts";
import { openAnswerer, WORLD_FLAG } from "./world_flag.ts";

const LIMIT_FLAGS: readonly Flag[] = [
  {
    name: "threshold",
    value: "P",
    help: "Instead of the flow's own: least probability times chance.",
  },
  { name: "per-call", value: "N", help: "Most lookups behind one call. Default: 8." },
  { name: "per-session", value: "N", help: "Most lookups a session. Default: 40." },
];

/** The flags that say how a flow is to be run. */
export const RUN_FLAGS: readonly Flag[] = [
  {
    name: "decider",
    value: "reach|habit",
    help: "Where a tool's probability comes from. Default: reach, if the flow has it.",
  },
  ...LIMIT_FLAGS,
];

/** Thresholds whose cost the page shows. */
const THRESHOLDS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

/** The table of `hoist replay`. */
export const REPLAY_FLAGS: FlagTable = {
  program: "hoist replay",
  summary: "Measures what a flow would have saved, and cost, in recorded sessions.",
  examples: ["hoist replay --flow orders.flow.json --sessions ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] --flow FILE --sessions DIR", "[OPTIONS] --flow FILE --tau2 DIR --domain NAME"],
  flags: [
    { name: "flow", value: "FILE", help: "The flow." },
    ...RECORDINGS_FLAGS,
    WORLD_FLAG,
    {
      name: "decider",
      value: "reach|habit|arbiter",
      help:
        "Where a tool's probability comes from. Default: reach, if the flow has it. The arbiter " +
        "hands back where no answer of the oracle is known; its probabilities are not reach's, so " +
        "give it a --threshold.",
    },
    {
      name: "oracle",
      value: "replay|mock",
      help: "Who answers the arbiter: the cache alone, or a mock. Default: replay.",
    },
    ORACLE_CACHE_FLAG,
    ...LIMIT_FLAGS,
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers behind it." },
    {
      name: "html",
      value: "FILE",
      help: "Also write it as one page with pictures that needs nothing else.",
    },
    {
      name: "decisions",
      value: "FILE",
      help: "Also write every decision with what came of each option, for hoist evaluate.",
    },
  ],
  notes: ["Exit status: 0 done; 1 something could not be read or written; 2 wrong usage."],
};

/** Reads the decider a command line names. */
export function deciderOf(values: FlagValues, flow: Flow): FlowDecider {
  const name = values.get("decider");
  if (name === undefined) return new FlowDecider(flow);
  if (name !== "reach" && name !== "habit") {
    throw new UsageError(`--decider needs reach or habit, not "${name}"`);
  }
  if (name === "reach" && flow.reach === undefined) {
    throw new UsageError("--decider reach: the flow has no reach counts");
  }
  return new FlowDecider(flow, name satisfies Decider);
}

/** The decider of a replay, which may be the arbiter with answers known before. */
function replayDecider(
  values: FlagValues,
  flow: Flow,
  { host, door }: { readonly host: Host; readonly door: OracleDoor },
): FlowDecider {
  if (values.get("decider") !== "arbiter") {
    const idle = ["oracle", "oracle-cache"].find((name) => values.has(name));
    if (idle !== undefined) throw new UsageError(`--${idle} needs --decider arbiter`);
    return deciderOf(values, flow);
  }
  if (flow.arbiter === undefined) {
    throw new UsageError(
      "--decider arbiter: the flow has no arbiter; hoist compile --oracle fits one",
    );
  }
  return new FlowDecider(flow, "arbiter", knownAnswers(values, host, door));
}

/** Reads what a command line lets a run spend. */
export function limitsOf(values: FlagValues): ReplaySetting["limits"] {
  const threshold = numberFlag(values, "threshold", { min: 0, max: 10 });
  const perCall = numberFlag(values, "per-call", { min: 0, max: 1000, whole: true });
  const perSession = numberFlag(values, "per-session", { min: 0, max: 100_000, whole: true });
  return {
    ...(threshold === undefined ? {} : { threshold }),
    ...(perCall === undefined ? {} : { perCall }),
    ...(perSession === undefined ? {} : { perSession }),
  };
}

/**
 * Runs `hoist replay`.
 *
 * @param args The arguments after the subcommand.
 * @param host Where to print.
 * @param files Where sessions and flows are.
 * @param door The way to the oracle's cache.
 * @returns The exit status.
 */
export function replayCommand(
  args: readonly string[],
  host: Host,
  files: FileStore,
  door: OracleDoor,
): Promise<number> {
  return runCommand(REPLAY_FLAGS, args, host, (values) => replay(values, host, { files, door }));
}

async function replay(
  values: FlagValues,
  host: Host,
  { files, door }: { readonly files: FileStore; readonly door: OracleDoor },
): Promise<number> {
  const path = needed(values, "flow");
  const request = recordingsRequest(values);
  if (typeof request === "string") throw new UsageError(request);
  const limits = limitsOf(values);
  const flow = readFlow(await files.readText(path), path);
  const decider = replayDecider(values, flow, { host, door });
  const recordings = await openRecordings(request, files);
  for (const note of recordings.notes) host.say(note);
  const read = resultReader(await lenientParser());
  const answerer = await openAnswerer(values, flow.manifest.domain, { files, read });
  const setting = { decider, limits, read, answerer: answerer ?? recordedAnswers };
  const progress = progressOn(host);
  const summary = new ReplaySummary();
  const labelled: string[] = [];
  const costs: ThresholdCost[] = values.has("html")
    ? THRESHOLDS.map((threshold) => ({ threshold, saved: 0, detours: 0 }))
    : [];
  let ms = 0;
  for await (const course of recordings.source.each()) {
    progress.show(`replaying ${summary.episodes + 1}`);
    const before = host.monotonicMs();
    const done = replayEpisode(course, setting);
    ms += host.monotonicMs() - before;
    summary.add(done, fullBound(course, flow.manifest, read));
    for (const cost of costs) {
      const { threshold } = cost;
      const other = replayEpisode(course, { ...setting, limits: { ...limits, threshold } });
      cost.saved += other.saved;
      cost.detours += other.lookups.filter((lookup) => lookup.fate === "detour").length;
    }
    if (values.has("decisions")) labelled.push(...labelledDecisions(done, flow.manifest));
  }
  progress.clear();
  if (summary.episodes === 0) throw new Error("Cannot replay: no session is left to replay");
  const title: ReplayTitle = {
    domain: flow.manifest.domain,
    decider: decider.decider,
    threshold: thresholdText(flow, limits.threshold),
    answers: answerer === undefined ? "recorded" : "world",
    decisionMs: { mean: summary.all.decisions === 0 ? 0 : ms / summary.all.decisions },
  };
  const report = replayMarkdown(summary, title);
  const [out, json, html, decisions] = ["out", "json", "html", "decisions"].map((name) =>
    values.get(name)
  );
  if (json !== undefined) {
    await files.replace(json, JSON.stringify(replayJson(summary, title), null, 2) + "\n");
  }
  if (html !== undefined) await files.replace(html, replayHtml(summary, title, costs));
  if (decisions !== undefined) {
    await files.replace(
      decisions,
      labelled.map((line) => line + "\n").join(""),
    );
  }
  if (out === undefined) host.print(report);
  else await files.replace(out, report + "\n");
  return 0;
}

function thresholdText(flow: Flow, given: number | undefined): string {
  if (given !== undefined) return `${given} (given)`;
  const own = Object.keys(flow.thresholds).length;
  const base = `${flow.threshold ?? DEFAULT_THRESHOLD} (${
    flow.threshold === undefined ? "default" : "the flow's"
  })`;
  return own === 0 ? base : `${base}, ${own} sites with their own`;
}
