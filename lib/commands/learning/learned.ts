/**
 * Learns a flow as a command line asks, shared by `hoist learn` and `hoist compile`.
 *
 * @module
 */

import type { Flow } from "../../flow/flow.ts";
import { lenientParser } from "../../flow/state/lenient.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { type EpisodeSource, kept } from "../../learn/episode_source.ts";
import { FEW_SOLVED, isSuccess, learnFlow } from "../../learn/learn_flow.ts";
import { learnSurprise } from "../../learn/learn_surprise.ts";
import {
  bestThreshold,
  FEW_TASKS,
  type PickOptions,
  tryThresholds,
} from "../../learn/pick_threshold.ts";
import { askedOptions } from "./asking.ts";
import { numberFlag, type Run, UsageError } from "../../cli/command.ts";
import type { Manifest } from "../../trace/manifest.ts";
import type { FlagValues } from "../../flags/flags.ts";
import { countingOf, droppedWords, surpriseWish } from "./learning_flags.ts";
import { progressOn } from "../../cli/progress.ts";
import { recordingsOf } from "../sessions/recordings.ts";
import { requestOf } from "../sessions/recordings_flags.ts";
import { VERSION } from "../../flags/version.ts";
import { openAnswerer } from "../flow/world_flag.ts";
import type { OraclePorts } from "../flow/open_flow.ts";
import { workedSessions } from "../sessions/known_sessions.ts";

/** What a reader of either command's help should know of the file. */
export const SAME_BYTES = "The same sessions give the same file but for compiled_unix_ms; with\n" +
  "SOURCE_DATE_EPOCH set, seconds since 1970, that is the same too.";

/** A flow and what it was learned from. */
export interface Learned {
  readonly flow: Flow;
  readonly sessions: number;
  readonly tasks: number;
  readonly source: EpisodeSource;
  readonly options: PickOptions;
}

/** What was learned, for stderr. */
export function learnedWords(
  { flow, sessions, tasks }: Omit<Learned, "source" | "options">,
): string {
  const { manifest, provenance, vocab, threshold } = flow;
  return `learned the ${manifest.domain} flow from ${provenance.habit_episodes} solved of ` +
    `${sessions} sessions, ${tasks} tasks (${vocab.tools.length} tools), threshold ${threshold}`;
}

/** What there is too little of to learn from, and what was done about it; undefined with enough. */
export function fewWords(
  { solved, tasks, isPicked }: {
    readonly solved: number;
    readonly tasks: number;
    readonly isPicked: boolean;
  },
): string | undefined {
  const parts = [
    ...(solved < FEW_SOLVED
      ? [`${solved} solved sessions of ${FEW_SOLVED}, so the others count too`]
      : []),
    ...(isPicked && tasks < FEW_TASKS
      ? [`${tasks} tasks of ${FEW_TASKS}, so the threshold is the default`]
      : []),
  ];
  return parts.length === 0 ? undefined : `too little to learn well from: ${parts.join("; ")}`;
}

/**
 * Learns the flow that a command line asks for.
 *
 * @param run The command's run: recordings, world and `LEARNING_FLAGS`.
 * @returns The flow, with its threshold.
 */
export async function learned(run: Run<OraclePorts>): Promise<Learned> {
  const { values, runtime, files } = run;
  const request = requestOf(values);
  const { given, chosen } = choicesOf(values);
  const wish = surpriseWish(values);
  const recordings = await recordingsOf(request, run);
  const { manifest: full, contracts } = recordings;
  // Only an oracle reads the tools' descriptions.
  const manifest = values.has("oracle") ? full : undescribed(full);
  if (!Object.values(manifest.tools).includes("read")) {
    throw new Error("Cannot learn: no tool is marked read-only, so a flow could call none");
  }
  const worked = workedSessions(recordings);
  const source = kept(worked.source);
  const { sessions, solved, tasks } = await count(source);
  worked.say(runtime);
  if (sessions === 0) throw new Error("Cannot learn: no session is left to learn from");
  const progress = progressOn(runtime);
  const answerer = await openAnswerer(values, manifest.domain, files);
  const options: PickOptions = {
    ...chosen,
    manifest,
    read: resultReader(await lenientParser()),
    provenance: { hoist: VERSION, compiled_unix_ms: compiledAt(runtime) },
    ...(contracts === undefined ? {} : { contracts }),
    ...(answerer === undefined ? {} : { answerer }),
    onFold: (fold) => progress.show(`picking the threshold: fold ${fold + 1} of 5`),
  };
  progress.show("learning");
  let dropped = 0;
  const flow = await learnFlow(source, { ...options, onDropped: (n) => dropped = n });
  const threshold = given ?? bestThreshold(await tryThresholds(source, options));
  progress.show("learning when a session surprises");
  const surprise = wish && await learnSurprise(source, wish, options);
  progress.clear();
  if (dropped > 0) runtime.say(droppedWords(dropped));
  if (flow.provenance.habit_episodes === 0) {
    throw new Error("Cannot learn: no session solved its task");
  }
  const generic = Object.values(manifest.tools).filter((kind) => kind === "generic").length;
  const few = fewWords({ solved, tasks, isPicked: given === undefined });
  if (few !== undefined) runtime.say(few);
  if (generic > 0) runtime.say(`${generic} tools carry no hint of their kind and are never called`);
  return { flow: { ...flow, threshold, surprise }, sessions, tasks, source, options };
}

/** What the flags say of learning; `given` is a threshold to store as it is. */
function choicesOf(values: FlagValues) {
  const given = numberFlag(values, "threshold", { min: 0, max: 1 });
  const detourCost = numberFlag(values, "detour-cost", { min: 0, max: Infinity });
  const alpha = numberFlag(values, "alpha", { min: 0.001, max: 1e6 });
  if (given !== undefined && detourCost !== undefined) {
    throw new UsageError("--threshold and --detour-cost exclude each other");
  }
  const chosen = {
    ...(alpha === undefined ? {} : { alpha }),
    ...(values.has("habit-only") ? { rounds: 0 } : {}),
    ...(detourCost === undefined ? {} : { detourCost }),
    ...countingOf(values),
    ...askedOptions(values),
  };
  return { given, chosen };
}

/** The tools and their kinds alone. */
export function undescribed({ domain, tools }: Manifest): Manifest {
  return { domain, tools };
}

async function count(
  source: EpisodeSource,
): Promise<{ sessions: number; solved: number; tasks: number }> {
  const tasks = new Set<string>();
  let [sessions, solved] = [0, 0];
  for await (const episode of source.each()) {
    sessions++;
    if (isSuccess(episode)) solved++;
    tasks.add(episode.task_id);
  }
  return { sessions, solved, tasks: tasks.size };
}

function compiledAt(runtime: Runtime): number {
  const epoch = runtime.env("SOURCE_DATE_EPOCH");
  return epoch !== undefined && /^\d{1,11}$/.test(epoch) ? Number(epoch) * 1000 : runtime.unixMs();
}
