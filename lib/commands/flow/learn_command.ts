/**
 * `hoist learn`: recorded sessions into a flow file.
 *
 * @module
 */

import type { Flow } from "../../flow/flow.ts";
import { lenientParser } from "../../flow/state/lenient.ts";
import { printFlow } from "../../flow/file/print_flow.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { type EpisodeSource, kept } from "../../learn/episode_source.ts";
import { learnFlow } from "../../learn/learn_flow.ts";
import { learnSurprise } from "../../learn/learn_surprise.ts";
import { bestThreshold, type PickOptions, tryThresholds } from "../../learn/pick_threshold.ts";
import {
  askedOptions,
  ASKING_FLAGS,
  ASKING_NOTES,
  budgetFlag,
  openAsking,
  withArbiter,
} from "./asking.ts";
import { needed, numberFlag, runCommand, UsageError } from "../../cli/command.ts";
import type { Manifest } from "../../trace/manifest.ts";
import type { FlagTable, FlagValues } from "../../flags/flags.ts";
import { countingOf, droppedWords, LEARNING_FLAGS, surpriseWish } from "./learning_flags.ts";
import { progressOn } from "../../cli/progress.ts";
import { openRecordings } from "../sessions/recordings.ts";
import { RECORDINGS_FLAGS, recordingsRequest } from "../sessions/recordings_flags.ts";
import { VERSION } from "../../flags/version.ts";
import { openAnswerer, WORLD_FLAG } from "./world_flag.ts";
import type { OracleDoor } from "../../ports/oracle_door.ts";
import type { FileStore } from "../../ports/files.ts";

/** What a reader of either command's help should know of the file. */
export const SAME_BYTES = "The same sessions give the same file but for compiled_unix_ms; with\n" +
  "SOURCE_DATE_EPOCH set, seconds since 1970, that is the same too.";

/** US dollars without a flag. */
const BUDGET = 1;

/** The table of `hoist learn`. */
export const LEARN_FLAGS: FlagTable = {
  program: "hoist learn",
  summary: "Learns a flow from recorded sessions.",
  examples: ["hoist learn --sessions ~/.hoist/logs/orders --domain orders --out orders.flow.json"],
  usage: ["[OPTIONS] --sessions DIR --out FILE", "[OPTIONS] --tau2 DIR --domain NAME --out FILE"],
  flags: [
    ...RECORDINGS_FLAGS,
    WORLD_FLAG,
    ...LEARNING_FLAGS,
    { name: "habit-only", help: "Count, and fit no weights; ask nobody." },
    ...ASKING_FLAGS,
    budgetFlag(BUDGET),
    { name: "out", value: "FILE", help: "The flow file to write, whole or not at all." },
  ],
  notes: [
    ...ASKING_NOTES,
    SAME_BYTES,
    "Exit status: 0 done; 1 something could not be read, asked, learned or written; 2 wrong usage.",
  ],
};

/**
 * Runs `hoist learn`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Where to print.
 * @param files Where sessions and flows are.
 * @param door The way to the oracle.
 * @returns The exit status.
 */
export function learnCommand(
  args: readonly string[],
  runtime: Runtime,
  files: FileStore,
  door: OracleDoor,
): Promise<number> {
  return runCommand(
    LEARN_FLAGS,
    args,
    runtime,
    (values) => learn(values, runtime, { files, door }),
  );
}

async function learn(
  values: FlagValues,
  runtime: Runtime,
  { files, door }: { readonly files: FileStore; readonly door: OracleDoor },
): Promise<number> {
  const out = needed(values, "out");
  const clash = [...ASKING_FLAGS.map(({ name }) => name), "oracle-budget"]
    .find((name) => values.has("habit-only") && values.has(name));
  if (clash !== undefined) throw new UsageError(`--habit-only and --${clash} exclude each other`);
  const asking = await openAsking(values, runtime, { files, door, budget: BUDGET });
  const result = await learned(values, runtime, files);
  const flow = asking === undefined
    ? result.flow
    : await withArbiter(result, runtime, asking, files);
  await files.replace(out, printFlow(flow));
  const asked = asking === undefined
    ? "no oracle asked"
    : `an arbiter of ${flow.provenance.arbiter_cases} decisions`;
  runtime.say(`${learnedWords(result)}, ${asked}, and wrote ${out}`);
  return 0;
}

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

/**
 * Learns the flow that a command line asks for.
 *
 * @param values The command line: recordings, world and `LEARNING_FLAGS`.
 * @param runtime Where progress is shown.
 * @param files Where sessions are.
 * @returns The flow, with its threshold.
 */
export async function learned(
  values: FlagValues,
  runtime: Runtime,
  files: FileStore,
): Promise<Learned> {
  const request = recordingsRequest(values);
  if (typeof request === "string") throw new UsageError(request);
  const given = numberFlag(values, "threshold", { min: 0, max: 1 });
  const detourCost = numberFlag(values, "detour-cost", { min: 0, max: Infinity });
  const alpha = numberFlag(values, "alpha", { min: 0.001, max: 1e6 });
  if (given !== undefined && detourCost !== undefined) {
    throw new UsageError("--threshold and --detour-cost exclude each other");
  }
  const counting = countingOf(values);
  const wish = surpriseWish(values);
  const recordings = await openRecordings(request, files);
  for (const note of recordings.notes) runtime.say(note);
  const { contracts } = recordings;
  // Only an oracle reads what the tools say of themselves.
  const manifest = values.has("oracle") ? recordings.manifest : undescribed(recordings.manifest);
  if (!Object.values(manifest.tools).includes("read")) {
    throw new Error("Cannot learn: no tool is marked read-only, so a flow could call none");
  }
  const source = kept(recordings.source);
  const { sessions, tasks } = await count(source);
  if (sessions === 0) throw new Error("Cannot learn: no session is left to learn from");
  const progress = progressOn(runtime);
  const read = resultReader(await lenientParser());
  const answerer = await openAnswerer(values, manifest.domain, files);
  const options: PickOptions = {
    manifest,
    read,
    provenance: { hoist: VERSION, compiled_unix_ms: compiledAt(runtime) },
    ...(contracts === undefined ? {} : { contracts }),
    ...(alpha === undefined ? {} : { alpha }),
    ...(values.has("habit-only") ? { rounds: 0 } : {}),
    ...(answerer === undefined ? {} : { answerer }),
    ...(detourCost === undefined ? {} : { detourCost }),
    ...counting,
    ...askedOptions(values),
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
  if (generic > 0) runtime.say(`${generic} tools carry no hint of their kind and are never called`);
  return { flow: { ...flow, threshold, surprise }, sessions, tasks, source, options };
}

/** The tools and their kinds alone. */
export function undescribed({ domain, tools }: Manifest): Manifest {
  return { domain, tools };
}

async function count(source: EpisodeSource): Promise<{ sessions: number; tasks: number }> {
  const tasks = new Set<string>();
  let sessions = 0;
  for await (const episode of source.each()) {
    sessions++;
    tasks.add(episode.task_id);
  }
  return { sessions, tasks: tasks.size };
}

function compiledAt(runtime: Runtime): number {
  const epoch = runtime.env("SOURCE_DATE_EPOCH");
  return epoch !== undefined && /^\d{1,11}$/.test(epoch) ? Number(epoch) * 1000 : runtime.unixMs();
}
