/**
 * `hoist replay`: a flow behind recorded behaviour, before anyone serves it.
 *
 * @module
 */

import { explored, type Policy, sessionContent } from "../../flow/walking/explore.ts";
import { DEFAULT_THRESHOLD, type Flow } from "../../flow/flow.ts";
import type { RunLimits } from "../../flow/walking/run_flow.ts";
import type { FlowDecision } from "../../flow/walking/flow_decision.ts";
import { fullBound } from "../../replay/bound.ts";
import { labelledDecisions } from "../../evaluate/labelled.ts";
import { recordedAnswers } from "../../replay/recorded.ts";
import { replayEpisode, type ReplaySetting } from "../../replay/replay_episode.ts";
import { replayHtml, type ThresholdCost } from "../../replay/replay_html.ts";
import { replayJson, replayMarkdown, type ReplayTitle } from "../../replay/replay_report.ts";
import { ReplaySummary } from "../../replay/summary.ts";
import { commandOf, numberFlag, type Run, UsageError } from "../../cli/command.ts";
import { deciderFlags } from "./decider_flags.ts";
import type { FlagTable, FlagValues } from "../../flags/flags.ts";
import { knownSessions } from "../sessions/known_sessions.ts";
import { progressOn } from "../../cli/progress.ts";
import { RECORDINGS_FLAGS } from "../sessions/recordings_flags.ts";
import { openAnswerer, WORLD_FLAG } from "./world_flag.ts";
import { LIMIT_FLAGS, limitsOf } from "./limit_flags.ts";
import { type OpenFlow, openFlow, type OraclePorts } from "./open_flow.ts";
import { writeReport } from "../../cli/write_report.ts";

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
      "Where a tool's probability comes from. Default: as hoist-mcp would serve the flow: its " +
        "arbiter, else reach. The arbiter's probabilities are not reach's, so give it a --threshold.",
    ),
    ...LIMIT_FLAGS,
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers behind it." },
    {
      name: "html",
      value: "FILE",
      help: "Also write it as one self-contained page with charts.",
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

/** Runs `hoist replay`. */
export const replayCommand = commandOf(REPLAY_FLAGS, replay);

async function replay(run: Run<OraclePorts>): Promise<number> {
  const { values, files } = run;
  const policies = new WeakMap<FlowDecision, Policy>();
  const limits = { ...limitsOf(values), ...exploring(values, policies) };
  const opened = await openFlow(run);
  const { flow, decider, read } = opened;
  const answerer = await openAnswerer(values, flow.manifest.domain, files);
  const setting = { decider, limits, read, answerer: answerer ?? recordedAnswers };
  const { summary, costs, labelled, ms } = await replayAll(run, opened, { setting, policies });
  if (summary.episodes === 0) throw new Error("Cannot replay: no session is left to replay");
  const title: ReplayTitle = {
    domain: flow.manifest.domain,
    decider: decider.decider,
    threshold: thresholdText(flow, limits.threshold) +
      (values.has("explore") ? `, explored with ε ${values.get("explore")}` : ""),
    answers: answerer === undefined ? "recorded" : "world",
    decisionMs: { mean: summary.all.decisions === 0 ? 0 : ms / summary.all.decisions },
  };
  const decisions = values.get("decisions");
  if (decisions !== undefined) {
    await files.replace(decisions, labelled.map((line) => line + "\n").join(""));
  }
  await writeReport({
    text: replayMarkdown(summary, title),
    json: replayJson(summary, title),
    html: () => replayHtml(summary, title, costs),
  }, run);
  return 0;
}

/** Replays session after session; also at other thresholds where the page shows them. */
async function replayAll(
  { values, runtime }: Run<OraclePorts>,
  { flow: { manifest }, recordings, read }: OpenFlow,
  { setting, policies }: {
    readonly setting: ReplaySetting;
    readonly policies: WeakMap<FlowDecision, Policy>;
  },
) {
  const known = knownSessions(recordings.source, manifest);
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
    summary.add(done, fullBound(episode, manifest, read));
    for (const cost of costs) {
      const limits = { ...setting.limits, threshold: cost.threshold };
      const other = replayEpisode(episode, { ...setting, limits });
      cost.saved += other.saved;
      cost.detours += other.lookups.filter((lookup) => lookup.fate === "detour").length;
    }
    if (values.has("decisions")) labelled.push(...labelledDecisions(done, manifest, policies));
  }
  progress.clear();
  known.say(runtime);
  return { summary, costs, labelled, ms };
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
