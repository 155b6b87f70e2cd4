/**
 * `hoist replay`: a flow behind recorded behaviour, before anyone serves it.
 *
 * @module
 */

import { explored, type Policy, sessionContent } from "../../flow/walking/explore.ts";
import { lenientParser } from "../../flow/state/lenient.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import { DEFAULT_THRESHOLD, type Flow } from "../../flow/flow.ts";
import type { RunLimits } from "../../flow/walking/run_flow.ts";
import type { FlowDecision } from "../../flow/walking/flow_decision.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { fullBound } from "../../replay/bound.ts";
import { labelledDecisions } from "../../evaluate/labelled.ts";
import { recordedAnswers } from "../../replay/recorded.ts";
import { replayEpisode, type ReplaySetting } from "../../replay/replay_episode.ts";
import { replayHtml, type ThresholdCost } from "../../replay/replay_html.ts";
import { replayJson, replayMarkdown, type ReplayTitle } from "../../replay/replay_report.ts";
import { ReplaySummary } from "../../replay/summary.ts";
import { needed, numberFlag, runCommand, UsageError } from "../../cli/command.ts";
import { deciderFlags, deciderOf, sayOtherDecider } from "./decider_flags.ts";
import type { Flag, FlagTable, FlagValues } from "../../flags/flags.ts";
import { knownSessions } from "../sessions/known_sessions.ts";
import { progressOn } from "../../cli/progress.ts";
import { openRecordings } from "../sessions/recordings.ts";
import { RECORDINGS_FLAGS, recordingsRequest } from "../sessions/recordings_flags.ts";
import { openAnswerer, WORLD_FLAG } from "./world_flag.ts";
import type { OracleDoor } from "../../ports/oracle_door.ts";
import type { FileStore } from "../../ports/files.ts";

/** The flags that say what a run may spend. */
export const LIMIT_FLAGS: readonly Flag[] = [
  {
    name: "threshold",
    value: "P",
    help: "Instead of the flow's own: least probability times chance.",
  },
  { name: "per-call", value: "N", help: "Most lookups behind one call. Default: 8." },
  { name: "per-session", value: "N", help: "Most lookups a session. Default: 40." },
  {
    name: "surprise",
    value: "off|NATS",
    help:
      "When sessions surprise the flow too much to act in them: never, or above so many nats a " +
      "step. Default: as the flow says.",
  },
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
    ...deciderFlags(
      "Where a tool's probability comes from. Default: reach, if the flow has it. The arbiter's " +
        "probabilities are not reach's, so give it a --threshold.",
    ),
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
    {
      name: "explore",
      value: "EPSILON",
      help:
        "Explore as hoist-mcp --flow-explore would, in the report too; the decisions then say " +
        "how likely each was.",
    },
    { name: "explore-seed", value: "N", help: "Seed of exploring. Default: 0." },
  ],
  notes: ["Exit status: 0 done; 1 something could not be read or written; 2 wrong usage."],
};

/** Reads what a command line lets a run spend. */
export function limitsOf(values: FlagValues): ReplaySetting["limits"] {
  const threshold = numberFlag(values, "threshold", { min: 0, max: 10 });
  const perCall = numberFlag(values, "per-call", { min: 0, max: 1000, whole: true });
  const perSession = numberFlag(values, "per-session", { min: 0, max: 100_000, whole: true });
  const surprise = values.get("surprise") === "off"
    ? "off"
    : numberFlag(values, "surprise", { min: 0, max: 1000 });
  return {
    ...(threshold === undefined ? {} : { threshold }),
    ...(perCall === undefined ? {} : { perCall }),
    ...(perSession === undefined ? {} : { perSession }),
    ...(surprise === undefined ? {} : { surprise }),
  };
}

/**
 * Runs `hoist replay`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Where to print.
 * @param files Where sessions and flows are.
 * @param door The way to the oracle's cache.
 * @returns The exit status.
 */
export function replayCommand(
  args: readonly string[],
  runtime: Runtime,
  files: FileStore,
  door: OracleDoor,
): Promise<number> {
  return runCommand(
    REPLAY_FLAGS,
    args,
    runtime,
    (values) => replay(values, runtime, { files, door }),
  );
}

async function replay(
  values: FlagValues,
  runtime: Runtime,
  { files, door }: { readonly files: FileStore; readonly door: OracleDoor },
): Promise<number> {
  const path = needed(values, "flow");
  const request = recordingsRequest(values);
  if (typeof request === "string") throw new UsageError(request);
  const policies = new WeakMap<FlowDecision, Policy>();
  const limits = { ...limitsOf(values), ...exploring(values, policies) };
  const flow = readFlow(await files.readText(path), path);
  const decider = deciderOf(values, flow, { runtime, door });
  sayOtherDecider(values, flow, runtime);
  const recordings = await openRecordings(request, files);
  for (const note of recordings.notes) runtime.say(note);
  const known = knownSessions(recordings.source, flow.manifest);
  const read = resultReader(await lenientParser());
  const answerer = await openAnswerer(values, flow.manifest.domain, files);
  const setting = { decider, limits, read, answerer: answerer ?? recordedAnswers };
  const progress = progressOn(runtime);
  const summary = new ReplaySummary();
  const labelled: string[] = [];
  const costs: ThresholdCost[] = values.has("html")
    ? THRESHOLDS.map((threshold) => ({ threshold, saved: 0, detours: 0 }))
    : [];
  let ms = 0;
  for await (const episode of known.source.each()) {
    progress.show(`replaying ${summary.episodes + 1}`);
    const before = runtime.monotonicMs();
    const done = replayEpisode(episode, setting);
    ms += runtime.monotonicMs() - before;
    summary.add(done, fullBound(episode, flow.manifest, read));
    for (const cost of costs) {
      const { threshold } = cost;
      const other = replayEpisode(episode, { ...setting, limits: { ...limits, threshold } });
      cost.saved += other.saved;
      cost.detours += other.lookups.filter((lookup) => lookup.fate === "detour").length;
    }
    if (values.has("decisions")) labelled.push(...labelledDecisions(done, flow.manifest, policies));
  }
  progress.clear();
  known.say(runtime);
  if (summary.episodes === 0) throw new Error("Cannot replay: no session is left to replay");
  const title: ReplayTitle = {
    domain: flow.manifest.domain,
    decider: decider.decider,
    threshold: thresholdText(flow, limits.threshold) +
      (values.has("explore") ? `, explored with ε ${values.get("explore")}` : ""),
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
  if (out === undefined) runtime.print(report);
  else await files.replace(out, report + "\n");
  return 0;
}

/** Exploring, as serving does it; keeps how each decision came about. */
function exploring(
  values: FlagValues,
  policies: WeakMap<FlowDecision, Policy>,
): Pick<RunLimits, "amend"> {
  const epsilon = numberFlag(values, "explore", { min: 0, max: 1 });
  const seed = numberFlag(values, "explore-seed", { min: 0, max: 999_999, whole: true });
  if (epsilon === undefined) {
    if (seed !== undefined) throw new UsageError("--explore-seed needs --explore");
    return {};
  }
  return {
    amend: (decision, state) => {
      const events = sessionContent(state);
      const taken = explored(decision, { epsilon, seed: seed ?? 0, events });
      policies.set(taken.decision, taken.policy);
      return taken.decision;
    },
  };
}

function thresholdText(flow: Flow, given: number | undefined): string {
  if (given !== undefined) return `${given} (given)`;
  const own = Object.keys(flow.thresholds).length;
  const base = `${flow.threshold ?? DEFAULT_THRESHOLD} (${
    flow.threshold === undefined ? "default" : "the flow's"
  })`;
  return own === 0 ? base : `${base}, ${own} sites with their own`;
}
