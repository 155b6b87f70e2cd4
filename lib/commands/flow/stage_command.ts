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
import { learnFlow } from "../../learn/learn_flow.ts";
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
import { needed, numberFlag, runCommand, UsageError } from "../../cli/command.ts";
import { deciderFlags, deciderOf, sayOtherDecider } from "./decider_flags.ts";
import { flowFiles } from "./flow_history.ts";
import type { FlagTable, FlagValues } from "../../flags/flags.ts";
import { undescribed } from "./learn_command.ts";
import { COUNTING_FLAGS, countingOf, droppedWords } from "./learning_flags.ts";
import { progressOn, shownOn } from "../../cli/progress.ts";
import { openRecordings } from "../sessions/recordings.ts";
import { RECORDINGS_FLAGS, recordingsRequest } from "../sessions/recordings_flags.ts";
import { limitsOf } from "./replay_command.ts";
import { textIfThere } from "../sessions/text_if_there.ts";
import { VERSION } from "../../flags/version.ts";
import type { OracleDoor } from "../../ports/oracle_door.ts";
import type { FileStore } from "../../ports/files.ts";

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
    ...deciderFlags("Whose probabilities decide in both. Default: reach, if the flow has it."),
    { name: "threshold", value: "P", help: "Compare both at this threshold instead of their own." },
    { name: "per-call", value: "N", help: "Most lookups behind one call. Default: 8." },
    { name: "per-session", value: "N", help: "Most lookups a session. Default: 40." },
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the comparison." },
  ],
  notes: [
    "Writes NAME.staged.flow.json and NAME.stage.json. The committed flow's promotion, thresholds and\n" +
    "arbiter are carried over, and a surprise gate that was set by hand; one that was learned is learned anew.",
    "Exit status: 0 done; 1 something could not be read or written; 2 wrong usage.",
  ],
};

/**
 * Runs `hoist stage`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Where to print.
 * @param files Where sessions and flows are.
 * @param door The way to the oracle's cache.
 * @returns The exit status.
 */
export function stageCommand(
  args: readonly string[],
  runtime: Runtime,
  files: FileStore,
  door: OracleDoor,
): Promise<number> {
  return runCommand(STAGE_FLAGS, args, runtime, (values) => run(values, runtime, { files, door }));
}

async function run(
  values: FlagValues,
  runtime: Runtime,
  { files, door }: { readonly files: FileStore; readonly door: OracleDoor },
): Promise<number> {
  const paths = flowFiles(needed(values, "flow"));
  const request = recordingsRequest(values);
  if (typeof request === "string") throw new UsageError(request);
  const window = numberFlag(values, "window", { min: 1, max: 1e6, whole: true }) ?? 50;
  const limits = limitsOf(values);
  const counting = countingOf(values);
  const committed = await readIfThere(paths.committed, files, readFlow);
  const staged = await readIfThere(paths.staged, files, readFlow);
  const before = await readIfThere(paths.stage, files, readStage);
  const deciderIn = (flow: Flow | undefined) => flow && deciderOf(values, flow, { runtime, door });
  // A flow staged before the committed one had an arbiter cannot be compared by it.
  const isBehind = values.get("decider") === "arbiter" && staged?.arbiter === undefined;
  const deciders = {
    committed: deciderIn(committed),
    staged: isBehind ? undefined : deciderIn(staged),
  };
  if (committed !== undefined) sayOtherDecider(values, committed, runtime);
  const domain = committed?.manifest.domain;
  if (domain !== undefined && (request.domain ?? domain) !== domain) {
    throw new UsageError(`--domain ${request.domain}: the committed flow is of "${domain}"`);
  }
  const recordings = await openRecordings({ ...request, domain: request.domain ?? domain }, files);
  for (const note of recordings.notes) runtime.say(note);
  const { contracts } = recordings;
  const described = committed?.manifest.docs !== undefined;
  const manifest = described ? recordings.manifest : undescribed(recordings.manifest);
  const read = resultReader(await lenientParser());
  const source = kept(recordings.source);
  const taken = new Set(before?.sessions ?? []);
  const setting = { limits, read, answerer: recordedAnswers };
  const scored: StageFile["ledger"] = [];
  const sessions: string[] = [];
  const progress = progressOn(runtime);
  for await (const episode of shownOn(source, progress, "scoring").each()) {
    sessions.push(episode.id);
    if (taken.has(episode.id)) continue;
    const side = (decider: FlowDecider) => scoreSide(decider, episode, setting);
    scored.push({
      session: episode.id,
      ...(deciders.committed && { committed: side(deciders.committed) }),
      ...(deciders.staged && { staged: side(deciders.staged) }),
    });
  }
  if (sessions.length === 0) throw new Error("Cannot stage: no session is left to learn from");
  const options = {
    manifest,
    read,
    provenance: { hoist: VERSION, compiled_unix_ms: runtime.unixMs() },
    ...(contracts === undefined ? {} : { contracts }),
    ...counting,
    onFold: (fold: number) => progress.show(`picking the threshold: fold ${fold + 1} of 5`),
    // What the arbiter was asked about, and told.
    everyRead: committed?.everyRead ?? false,
    feeds: (committed?.feeds.size ?? 0) > 0,
  };
  progress.show("learning");
  let dropped = 0;
  const learned = await learnFlow(source, { ...options, onDropped: (n) => dropped = n });
  const { quantile, window: steps = 0 } = committed?.surprise ?? {};
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
      : await learnSurprise(source, { quantile, window: steps }, options),
  };
  progress.clear();
  if (dropped > 0) runtime.say(droppedWords(dropped));
  const ledger = grownLedger(before?.ledger ?? [], scored);
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
    carried: [
      ...(committed?.promoted ? ["promotion"] : []),
      ...(Object.keys(committed?.thresholds ?? {}).length > 0 ? ["thresholds"] : []),
      ...(committed?.arbiter ? ["arbiter"] : []),
      ...(committed?.surprise && quantile === undefined ? ["surprise gate"] : []),
    ],
    learned_unix_ms: runtime.unixMs(),
  };
  const file: StageFile = { hoist_stage: 1, domain: manifest.domain, sessions, ledger, last };
  await files.replace(paths.staged, printFlow(next));
  await files.replace(paths.stage, JSON.stringify(file) + "\n");
  const [out, json] = ["out", "json"].map((name) => values.get(name));
  if (json !== undefined) await files.replace(json, JSON.stringify(last, null, 2) + "\n");
  const text = stageMarkdown(comparison, {
    domain: manifest.domain,
    sessions: sessions.length,
    fresh: scored.length,
    changes: committed === undefined ? undefined : changes,
  });
  if (out === undefined) runtime.print(text);
  else await files.replace(out, text + "\n");
  return 0;
}

async function readIfThere<T>(
  path: string,
  files: FileStore,
  read: (text: string, path: string) => T,
): Promise<T | undefined> {
  const text = await textIfThere(files, path);
  return text === undefined ? undefined : read(text, path);
}
