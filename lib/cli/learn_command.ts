/**
 * `hoist learn`: recorded sessions into a flow file.
 *
 * @module
 */

import { lenientParser } from "../flow/lenient.ts";
import { printFlow } from "../flow/print_flow.ts";
import { resultReader } from "../flow/read_result.ts";
import type { Host } from "../host/host.ts";
import { type CourseSource, kept } from "../learn/course_source.ts";
import { learnFlow } from "../learn/learn_flow.ts";
import {
  bestThreshold,
  DETOUR_COST,
  type PickOptions,
  tryThresholds,
} from "../learn/pick_threshold.ts";
import { needed, numberFlag, runCommand, UsageError } from "./command.ts";
import type { FlagTable, FlagValues } from "./flags.ts";
import { progressOn } from "./progress.ts";
import { type FileStore, openRecordings } from "./recordings.ts";
import { RECORDINGS_FLAGS, recordingsRequest } from "./recordings_flags.ts";
import { VERSION } from "./version.ts";
import { openAnswerer, WORLD_FLAG } from "./world_flag.ts";

/** The table of `hoist learn`. */
export const LEARN_FLAGS: FlagTable = {
  program: "hoist learn",
  summary: "Learns a flow from recorded sessions.",
  usage: ["[OPTIONS] --sessions DIR --out FILE", "[OPTIONS] --tau2 DIR --domain NAME --out FILE"],
  flags: [
    ...RECORDINGS_FLAGS,
    WORLD_FLAG,
    {
      name: "threshold",
      value: "P",
      help:
        "The threshold to store, instead of the one that five-fold cross-validation over tasks picks.",
    },
    {
      name: "detour-cost",
      value: "TURNS",
      help:
        `Saved turns that one detour costs when the threshold is picked. Default: ${DETOUR_COST}.`,
    },
    {
      name: "alpha",
      value: "X",
      help: "Weight of shorter histories. Default: the likeliest of 0.25 to 64.",
    },
    { name: "habit-only", help: "Count, and fit no weights." },
    { name: "out", value: "FILE", help: "The flow file to write, whole or not at all." },
  ],
  notes: [
    "No model is asked. The same sessions give the same file but for compiled_unix_ms; with\n" +
    "SOURCE_DATE_EPOCH set, seconds since 1970, that is the same too.",
    "Exit status: 0 done; 1 something could not be read, learned or written; 2 wrong usage.",
  ],
};

/**
 * Runs `hoist learn`.
 *
 * @param args The arguments after the subcommand.
 * @param host Where to print.
 * @param files Where sessions and flows are.
 * @returns The exit status.
 */
export function learnCommand(
  args: readonly string[],
  host: Host,
  files: FileStore,
): Promise<number> {
  return runCommand(LEARN_FLAGS, args, host, (values) => learn(values, host, files));
}

async function learn(values: FlagValues, host: Host, files: FileStore): Promise<number> {
  const out = needed(values, "out");
  const request = recordingsRequest(values);
  if (typeof request === "string") throw new UsageError(request);
  const given = numberFlag(values, "threshold", { min: 0, max: 1 });
  const detourCost = numberFlag(values, "detour-cost", { min: 0, max: Infinity });
  const alpha = numberFlag(values, "alpha", { min: 0.001, max: 1e6 });
  if (given !== undefined && detourCost !== undefined) {
    throw new UsageError("--threshold and --detour-cost exclude each other");
  }
  const recordings = await openRecordings(request, files);
  for (const note of recordings.notes) host.say(note);
  const { manifest, contracts } = recordings;
  if (!Object.values(manifest.tools).includes("read")) {
    throw new Error("Cannot learn: no tool is marked read-only, so a flow could call none");
  }
  const source = kept(recordings.source);
  const { sessions, tasks } = await count(source);
  if (sessions === 0) throw new Error("Cannot learn: no session is left to learn from");
  const progress = progressOn(host);
  const read = resultReader(await lenientParser());
  const answerer = await openAnswerer(values, manifest.domain, { files, read });
  const options: PickOptions = {
    manifest,
    read,
    provenance: { hoist: VERSION, compiled_unix_ms: compiledAt(host) },
    ...(contracts === undefined ? {} : { contracts }),
    ...(alpha === undefined ? {} : { alpha }),
    ...(values.has("habit-only") ? { rounds: 0 } : {}),
    ...(answerer === undefined ? {} : { answerer }),
    ...(detourCost === undefined ? {} : { detourCost }),
    onFold: (fold) => progress.show(`picking the threshold: fold ${fold + 1} of 5`),
  };
  progress.show("learning");
  const flow = await learnFlow(source, options);
  const threshold = given ?? bestThreshold(await tryThresholds(source, options));
  progress.clear();
  if (flow.provenance.habit_episodes === 0) {
    throw new Error("Cannot learn: no session solved its task");
  }
  await files.replace(out, printFlow({ ...flow, threshold }));
  const generic = Object.values(manifest.tools).filter((kind) => kind === "generic").length;
  if (generic > 0) host.say(`${generic} tools carry no hint of their kind and are never called`);
  host.say(
    `learned the ${manifest.domain} flow from ${flow.provenance.habit_episodes} solved of ${sessions} ` +
      `sessions, ${tasks} tasks (${vocabSize(flow)} tools), threshold ${threshold}, ` +
      `no model asked, and wrote ${out}`,
  );
  return 0;
}

function vocabSize(flow: { readonly vocab: { readonly tools: readonly string[] } }): number {
  return flow.vocab.tools.length;
}

async function count(source: CourseSource): Promise<{ sessions: number; tasks: number }> {
  const tasks = new Set<string>();
  let sessions = 0;
  for await (const course of source.each()) {
    sessions++;
    tasks.add(course.taskId);
  }
  return { sessions, tasks: tasks.size };
}

function compiledAt(host: Host): number {
  const epoch = host.env("SOURCE_DATE_EPOCH");
  return epoch !== undefined && /^\d{1,11}$/.test(epoch) ? Number(epoch) * 1000 : host.unixMs();
}
