/**
 * `hoist stage`: learns the next flow beside the committed one, and compares them on
 * sessions that neither was learned from.
 *
 * @module
 */

import { diffFlows } from "../../flow/report/diff_flows.ts";
import type { FlowDecider } from "../../flow/deciding/decider.ts";
import type { Flow } from "../../flow/flow.ts";
import { lenientParser } from "../../flow/state/lenient.ts";
import { printFlow } from "../../flow/file/print_flow.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { kept } from "../../learn/episode_source.ts";
import { learnFlow, type LearnOptions } from "../../learn/learn_flow.ts";
import { learnSurprise } from "../../learn/learn_surprise.ts";
import { bestThreshold, tryThresholds } from "../../learn/pick_threshold.ts";
import { recordedAnswers } from "../../replay/recorded.ts";
import {
  compareSides,
  grownLedger,
  readStage,
  scoreSide,
  type StageFile,
  stageMarkdown,
} from "../../evaluate/stage.ts";
import { commandOf, needed, numberFlag, type Run, UsageError } from "../../cli/command.ts";
import { deciderFlags, deciderOf } from "../flow/decider_flags.ts";
import { flowFiles } from "../flow/flow_history.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { undescribed } from "./learned.ts";
import { COUNTING_FLAGS, countingOf, droppedWords } from "./learning_flags.ts";
import { progressOn, shownOn } from "../../cli/progress.ts";
import { recordingsOf } from "../sessions/recordings.ts";
import { RECORDINGS_FLAGS, requestOf } from "../sessions/recordings_flags.ts";
import { limitsOf } from "../flow/limit_flags.ts";
import { textIfThere } from "../sessions/text_if_there.ts";
import { VERSION } from "../../flags/version.ts";
import type { FileStore } from "../../ports/files.ts";
import type { OraclePorts } from "../flow/open_flow.ts";
import type { ReplaySetting } from "../../replay/replay_episode.ts";
import { writeReport } from "../../cli/write_report.ts";
import { workedSessions } from "../sessions/known_sessions.ts";

/** The table of `hoist stage`. */
export const STAGE_FLAGS: FlagTable = {
  program: "hoist stage",
  summary: "Learns the next flow beside the committed one and compares them on new sessions.",
  examples: ["hoist stage --flow orders.flow.json --sessions ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] --flow NAME.flow.json --sessions DIR"],
  flags: [
    {
      name: "flow",
      value: "FILE",
      help: "The committed flow, NAME.flow.json; it may not exist yet.",
    },
    ...RECORDINGS_FLAGS,
    ...COUNTING_FLAGS,
    {
      name: "window",
      value: "N",
      help: "Last sessions on which the flows are compared. Default: 50.",
    },
    ...deciderFlags(
      "Whose probabilities decide in both. Default: as hoist-mcp would serve the flow.",
    ),
    { name: "threshold", value: "P", help: "Compare both at this threshold instead of their own." },
    { name: "per-call", value: "N", help: "Most lookups after one call. Default: 8." },
    { name: "per-session", value: "N", help: "Most lookups in a session. Default: 40." },
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the comparison." },
  ],
  notes: [
    "Writes NAME.staged.flow.json and NAME.stage.json. The committed flow's promotion, thresholds and\n" +
    "arbiter are carried over, and a surprise gate that was set by hand; one that was learned is learned anew.",
    "Exit status: 0 done; 1 something could not be read or written; 2 wrong usage.",
  ],
};

/** Runs `hoist stage`. */
export const stageCommand = commandOf(STAGE_FLAGS, stage);

async function stage(run: Run<OraclePorts>): Promise<number> {
  const { values, runtime, files } = run;
  const paths = flowFiles(needed(values, "flow"));
  const request = requestOf(values);
  const window = numberFlag(values, "window", { min: 1, max: 1e6, whole: true }) ?? 50;
  const limits = limitsOf(values);
  const counting = countingOf(values);
  const before = await readBefore(run, paths);
  const { committed, ledger: earlier } = before;
  const domain = committed?.manifest.domain;
  if (domain !== undefined && (request.domain ?? domain) !== domain) {
    throw new UsageError(`--domain ${request.domain}: the committed flow is of "${domain}"`);
  }
  const recordings = await recordingsOf({ ...request, domain: request.domain ?? domain }, run);
  const read = resultReader(await lenientParser());
  const worked = workedSessions(recordings);
  const source = kept(worked.source);
  const progress = progressOn(runtime);
  const { sessions, scored } = await scoreNew(shownOn(source, progress, "scoring"), before, {
    limits,
    read,
    answerer: recordedAnswers,
  });
  worked.say(runtime);
  if (sessions.length === 0) throw new Error("Cannot stage: no session is left to learn from");
  const described = committed?.manifest.docs !== undefined;
  const manifest = described ? recordings.manifest : undescribed(recordings.manifest);
  const { contracts } = recordings;
  const next = await learnNext(source, committed, {
    options: { manifest, read, ...(contracts === undefined ? {} : { contracts }), ...counting },
    runtime,
  });
  const ledger = grownLedger(earlier, scored);
  const comparison = compareSides(ledger, window);
  const diff = committed === undefined ? { review: [], listed: [] } : diffFlows(committed, next);
  const changes = [...diff.review, ...diff.listed];
  const last = {
    sessions: sessions.length,
    new: scored.length,
    ...comparison,
    unanswered: scored.reduce((n, s) => n + (s.committed?.unanswered ?? 0), 0),
    changes,
    needs_review: diff.review,
    carried: carriedOf(committed),
    learned_unix_ms: runtime.unixMs(),
  };
  const file: StageFile = { hoist_stage: 1, domain: manifest.domain, sessions, ledger, last };
  await files.replace(paths.staged, printFlow(next));
  await files.replace(paths.stage, JSON.stringify(file) + "\n");
  const text = stageMarkdown(comparison, {
    domain: manifest.domain,
    sessions: sessions.length,
    fresh: scored.length,
    changes: committed === undefined ? undefined : changes,
  });
  await writeReport({ text, json: last }, run);
  return 0;
}

/** What earlier runs left: the two flows with their deciders, and the ledger. */
interface Before {
  readonly committed: Flow | undefined;
  readonly deciders: {
    readonly committed: FlowDecider | undefined;
    readonly staged: FlowDecider | undefined;
  };
  /** Sessions that both flows, or one of them, were learned from. */
  readonly taken: ReadonlySet<string>;
  readonly ledger: StageFile["ledger"];
}

async function readBefore(
  run: Run<OraclePorts>,
  paths: ReturnType<typeof flowFiles>,
): Promise<Before> {
  const { values, files } = run;
  const committed = await readIfThere(paths.committed, files, readFlow);
  const staged = await readIfThere(paths.staged, files, readFlow);
  const file = await readIfThere(paths.stage, files, readStage);
  const deciderIn = (flow: Flow | undefined) => flow && deciderOf(run, flow);
  // A flow staged before the committed one had an arbiter cannot be compared by it.
  const isBehind = values.get("decider") === "arbiter" && staged?.arbiter === undefined;
  return {
    committed,
    deciders: {
      committed: deciderIn(committed),
      staged: isBehind ? undefined : deciderIn(staged),
    },
    taken: new Set(file?.sessions ?? []),
    ledger: file?.ledger ?? [],
  };
}

/** Scores both flows on the sessions that neither was learned from. */
async function scoreNew(
  source: ReturnType<typeof kept>,
  { deciders, taken }: Before,
  setting: Omit<ReplaySetting, "decider">,
): Promise<{ readonly sessions: string[]; readonly scored: StageFile["ledger"] }> {
  const scored: StageFile["ledger"] = [];
  const sessions: string[] = [];
  for await (const episode of source.each()) {
    sessions.push(episode.id);
    if (taken.has(episode.id)) continue;
    const side = (decider: FlowDecider) => scoreSide(decider, episode, setting);
    scored.push({
      session: episode.id,
      ...(deciders.committed && { committed: side(deciders.committed) }),
      ...(deciders.staged && { staged: side(deciders.staged) }),
    });
  }
  return { sessions, scored };
}

/** Learns the next flow, and carries over what a person or another command set. */
async function learnNext(
  source: ReturnType<typeof kept>,
  committed: Flow | undefined,
  { options: given, runtime }: {
    readonly options: Pick<
      LearnOptions,
      "manifest" | "read" | "contracts" | "constants" | "halfLife"
    >;
    readonly runtime: Runtime;
  },
): Promise<Flow> {
  const progress = progressOn(runtime);
  const options = {
    ...given,
    provenance: { hoist: VERSION, compiled_unix_ms: runtime.unixMs() },
    onFold: (fold: number) => progress.show(`picking the threshold: fold ${fold + 1} of 5`),
    // The same as the arbiter was fitted with.
    everyRead: committed?.everyRead ?? false,
    feeds: (committed?.feeds.size ?? 0) > 0,
  };
  progress.show("learning");
  let dropped = 0;
  const learned = await learnFlow(source, { ...options, onDropped: (n) => dropped = n });
  const { quantile, window = 0 } = committed?.surprise ?? {};
  const next: Flow = {
    ...learned,
    provenance: {
      ...learned.provenance,
      arbiter_cases: committed?.provenance.arbiter_cases ?? 0,
    },
    threshold: bestThreshold(await tryThresholds(source, options)),
    thresholds: committed?.thresholds ?? {},
    promoted: committed?.promoted,
    program: committed?.program ?? learned.program,
    arbiter: committed?.arbiter,
    surprise: quantile === undefined
      ? committed?.surprise
      : await learnSurprise(source, { quantile, window }, options),
  };
  progress.clear();
  if (dropped > 0) runtime.say(droppedWords(dropped));
  return next;
}

function carriedOf(committed: Flow | undefined): string[] {
  const isSetByHand = committed?.surprise && committed.surprise.quantile === undefined;
  return [
    ...(committed?.promoted ? ["promotion"] : []),
    ...(Object.keys(committed?.thresholds ?? {}).length > 0 ? ["thresholds"] : []),
    ...(committed?.arbiter ? ["arbiter"] : []),
    ...(isSetByHand ? ["surprise gate"] : []),
  ];
}

async function readIfThere<T>(
  path: string,
  files: FileStore,
  read: (text: string, path: string) => T,
): Promise<T | undefined> {
  const text = await textIfThere(files, path);
  return text === undefined ? undefined : read(text, path);
}
