/**
 * Measures learning and replay on the recorded data: the official split of both
 * domains, the cold start, and other servers' sessions by folds.
 *
 * Usage: `deno run -A tests/bench/learn.ts [retail|airline|cold|SET:task|SET:episode] …`, with
 * the data where HOIST_DATA says. The session logs of other servers must be unpacked: HOIST_MCP
 * names the folder that holds one folder a set. HOIST_THIRD=dev leaves a third of the tasks out,
 * HOIST_THIRD=held measures on that third alone.
 */

import { openRecordings } from "../../lib/commands/sessions/recordings.ts";
import type { RecordingsRequest } from "../../lib/commands/sessions/recordings_flags.ts";
import { diskFiles } from "../../lib/disk/file_store.ts";
import { FlowDecider } from "../../lib/flow/deciding/decider.ts";
import type { Flow } from "../../lib/flow/flow.ts";
import { lenientParser } from "../../lib/flow/state/lenient.ts";
import { resultReader } from "../../lib/flow/state/read_result.ts";
import { sourceOf } from "../../lib/learn/episode_source.ts";
import { FOLDS, foldsOf } from "../../lib/learn/count/folds.ts";
import { isSuccess, learnFlow } from "../../lib/learn/learn_flow.ts";
import { bestThreshold, type PickOptions, tryThresholds } from "../../lib/learn/pick_threshold.ts";
import { taskHash } from "../../lib/flow/task_fold.ts";
import { fullBound } from "../../lib/replay/bound.ts";
import { recordedAnswers } from "../../lib/replay/recorded.ts";
import { type AnswererOf, replayEpisode } from "../../lib/replay/replay_episode.ts";
import { ReplaySummary, seeded } from "../../lib/replay/summary.ts";
import { worldAnswers } from "../../lib/replay/world_answers.ts";
import type { Episode } from "../../lib/trace/episode.ts";

const DATA = Deno.env.get("HOIST_DATA") ??
  new URL("../../../shared/data", import.meta.url).pathname;
const read = resultReader(await lenientParser());
const provenance = { hoist: "bench", compiled_unix_ms: 0 };

const NONE: RecordingsRequest = {
  sessions: undefined,
  results: [],
  tau2: undefined,
  domain: undefined,
  skipAgents: [],
  agents: [],
  split: undefined,
  splitPart: undefined,
  manifest: undefined,
  rewards: undefined,
};

/** The episodes of one part of a domain's split. */
async function part(domain: string, splitPart: string) {
  const tau2 = `${DATA}/tau2`;
  const request = { ...NONE, tau2, domain, skipAgents: ["gpt-oss-120b"], splitPart };
  const { source, manifest } = await openRecordings(request, diskFiles);
  return { episodes: await Array.fromAsync(source.each()), manifest };
}

async function world(domain: "retail" | "airline"): Promise<AnswererOf> {
  const file = domain === "retail" ? "retail-db.json.gz" : "airline-db.reconstructed.json.gz";
  return worldAnswers(domain, JSON.parse(await diskFiles.readText(`${DATA}/tau2/db/${file}`)));
}

async function learned(episodes: readonly Episode[], options: PickOptions): Promise<Flow> {
  const flow = await learnFlow(sourceOf(episodes), options);
  return { ...flow, threshold: bestThreshold(await tryThresholds(sourceOf(episodes), options)) };
}

function measure(
  flow: Flow,
  episodes: readonly Episode[],
  { answerer, summary = new ReplaySummary() }: { answerer: AnswererOf; summary?: ReplaySummary },
) {
  const decider = new FlowDecider(flow);
  for (const episode of episodes) {
    const done = replayEpisode(episode, { decider, limits: {}, read, answerer });
    summary.add(done, fullBound(episode, flow.manifest, read));
  }
  return summary;
}

function say(name: string, summary: ReplaySummary): void {
  const saved = summary.savedShare();
  const bound = summary.shareOfBound();
  const detours = summary.detoursAnEpisode();
  const range = (i: typeof saved) =>
    `${i.value.toFixed(3)} (${i.low.toFixed(3)} to ${i.high.toFixed(3)})`;
  console.log(
    `${name}: ${summary.episodes} episodes, saved ${(100 * saved.value).toFixed(1)} %, ` +
      `share of bound ${range(bound)}, detours ${range(detours)}, calibration ` +
      summary.calibrationError().toFixed(3),
  );
}

async function domain(name: "retail" | "airline"): Promise<void> {
  const train = await part(name, "train");
  const test = await part(name, "test");
  const answerer = await world(name);
  const start = performance.now();
  const options = { manifest: train.manifest, read, answerer, provenance };
  const flow = await learned(train.episodes, options);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${name}: learned in ${seconds} s, threshold ${flow.threshold}`);
  const before = performance.now();
  const summary = measure(flow, test.episodes, { answerer });
  const ms = (performance.now() - before) / summary.all.decisions;
  say(name, summary);
  console.log(`${name}: ${ms.toFixed(3)} ms a decision, with replay and bound`);
}

/** Flows of five episodes of one agent. */
async function cold(): Promise<void> {
  const mine = (list: readonly Episode[]) => list.filter((c) => c.agent_model === "gemini-3-flash");
  const train = await part("retail", "train");
  const test = mine((await part("retail", "test")).episodes);
  const answerer = await world("retail");
  let saved = 0;
  let detours = 0;
  for (let seed = 1; seed <= 8; seed++) {
    const draw = seeded(seed);
    const pool = mine(train.episodes).map((episode) => ({ episode, at: draw() }))
      .sort((a, b) => a.at - b.at).slice(0, 5).map(({ episode }) => episode);
    const flow = await learned(pool, { manifest: train.manifest, read, provenance });
    const summary = measure(flow, test, { answerer });
    const share = summary.savedShare().value;
    const lost = summary.detoursAnEpisode().value;
    console.log(
      `cold ${seed}: threshold ${flow.threshold}, saved ${(100 * share).toFixed(1)} %, ` +
        `detours ${lost.toFixed(2)}`,
    );
    saved += share / 8;
    detours += lost / 8;
  }
  console.log(
    `cold start, mean of 8: saved ${(100 * saved).toFixed(1)} %, detours ${detours.toFixed(2)}`,
  );
}

/** The sets of other servers. */
const SETS = ["agentdojo-slack", "agentdojo-workspace", "smart-grid", "livemcpbench", "workbench"];

/**
 * Other servers' sessions: each fifth under a flow learned from the rest, folds by task (tasks
 * that were never seen) or by episode (the same tasks come again).
 */
async function mcp(set: string, protocol: "task" | "episode"): Promise<void> {
  const dir = Deno.env.get("HOIST_MCP");
  if (dir === undefined) return console.log(`${set}: HOIST_MCP is not set, skipped`);
  const rewards = `${DATA}/mcp/${set}.rewards.json`;
  const request = { ...NONE, sessions: `${dir}/${set}`, rewards };
  const { source, manifest } = await openRecordings(request, diskFiles);
  const third = Deno.env.get("HOIST_THIRD");
  const episodes = (await Array.fromAsync(source.each())).filter(({ task_id }) =>
    third === undefined || (taskHash(`third${task_id}`) % 3n === 0n) === (third === "held")
  );
  const nameOf = (e: Episode) => protocol === "task" ? e.task_id : e.id;
  const folds = foldsOf(episodes.map(nameOf));
  const summary = new ReplaySummary();
  for (let fold = 0; fold < FOLDS; fold++) {
    const rest = episodes.filter((e) => folds.get(nameOf(e)) !== fold);
    if (!rest.some(isSuccess)) continue;
    const flow = await learned(rest, { manifest, read, provenance });
    const held = episodes.filter((e) => folds.get(nameOf(e)) === fold);
    measure(flow, held, { answerer: recordedAnswers, summary });
  }
  say(`${set}, by ${protocol}`, summary);
}

const RUNS: Readonly<Record<string, () => Promise<void>>> = {
  retail: () => domain("retail"),
  airline: () => domain("airline"),
  cold,
  ...Object.fromEntries(
    SETS.flatMap((set) =>
      (["task", "episode"] as const).map((by) => [`${set}:${by}`, () => mcp(set, by)])
    ),
  ),
};

for (const name of Deno.args.length > 0 ? Deno.args : Object.keys(RUNS)) await RUNS[name]?.();
