/**
 * One recorded τ²-bench episode twice: played by a host through `hoist-mcp --flow`
 * against the benchmark's server, and replayed offline with the same flow.
 *
 * As a program: `deno run -A tests/util/served_and_replayed.ts --flow FILE --data DIR
 * --results FILE [--every N]` prints what differs.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { diskFiles } from "../../lib/disk/file_store.ts";
import { FlowDecider } from "../../lib/flow/deciding/decider.ts";
import type { Flow } from "../../lib/flow/flow.ts";
import { lenientParser } from "../../lib/flow/state/lenient.ts";
import { readFlow } from "../../lib/flow/file/read_flow.ts";
import { resultReader } from "../../lib/flow/state/read_result.ts";
import { replayEpisode } from "../../lib/replay/replay_episode.ts";
import { worldAnswers } from "../../lib/replay/world_answers.ts";
import { readResults } from "../../lib/tau2/read_results.ts";
import type { Tau2Domain } from "../../lib/tau2/tools.ts";
import type { Episode } from "../../lib/trace/episode.ts";
import { executable, util } from "./executables.ts";
import { playEpisode, wasLookedUp } from "./play_episode.ts";

/** What a flow did in an episode. */
export interface Done {
  /** Each decision: its site, and the lookup or the reason. */
  readonly decisions: readonly string[];
  /** Turns the agent did not need. */
  readonly saved: number;
}

/** What both need. */
export interface Stage {
  readonly domain: Tau2Domain;
  readonly flow: Flow;
  /** The flow's file. */
  readonly flowPath: string;
  /** Recorded data, laid out as `shared/data/tau2`. */
  readonly data: string;
}

/** Plays the episode through the proxy. */
export async function served(stage: Stage, episode: Episode): Promise<Done> {
  const { domain, flow, flowPath, data } = stage;
  const dir = await Deno.makeTempDir({ prefix: "hoist-test-" });
  try {
    const [context, log] = [`${dir}/context.jsonl`, `${dir}/flow.jsonl`];
    const server = [...util("tau2_server"), "--domain", domain, "--data", data];
    const flags = ["--flow", flowPath, "--context", context, "--flow-log", log];
    const played = await playEpisode(episode, {
      argv: [...executable("hoist-mcp"), ...flags, "--domain", domain, "--", ...server],
      agentSkips: wasLookedUp(flow.manifest),
      onSpoken: (role, content) =>
        Deno.writeTextFile(context, JSON.stringify({ role, content }) + "\n", { append: true }),
    });
    if (played.code !== 0) throw new Error(`The proxy ended with ${played.code}: ${played.stderr}`);
    const lines = (await Deno.readTextFile(log).catch(() => "")).split("\n").slice(0, -1);
    const decisions = lines.map((line) => JSON.parse(line)).filter((l) => l.action !== undefined)
      .map((l) =>
        `${l.site}: ${
          l.action === "lookup" ? `${l.tool} ${JSON.stringify(l.arguments)}` : l.reason
        }`
      );
    return { decisions, saved: played.skippedTurns };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Replays the episode with the world's answers. */
export async function replayed(stage: Stage, episode: Episode): Promise<Done> {
  const read = resultReader(await lenientParser());
  const done = replayEpisode(episode, {
    decider: new FlowDecider(stage.flow),
    limits: {},
    read,
    answerer: worldAnswers(stage.domain, await worldOf(stage)),
  });
  const decisions = done.decisions.map(({ decision: { site, action } }) =>
    `${site}: ${
      action.kind === "lookup"
        ? `${action.tool} ${JSON.stringify(action.arguments)}`
        : action.reason
    }`
  );
  return { decisions, saved: done.saved };
}

const worlds = new Map<string, ReturnType<typeof JSON.parse>>();

async function worldOf({ domain, data }: Stage) {
  const file = domain === "retail" ? "retail-db.json.gz" : "airline-db.reconstructed.json.gz";
  const path = `${data}/db/${file}`;
  const known = worlds.get(path) ?? JSON.parse(await diskFiles.readText(path));
  worlds.set(path, known);
  return known;
}

async function main(): Promise<void> {
  const given = parseArgs(Deno.args, { string: ["flow", "data", "results", "every"] });
  const flowPath = String(given.flow);
  const data = String(given.data);
  const results = String(given.results);
  const flow = readFlow(await diskFiles.readText(flowPath), flowPath);
  const domain = flow.manifest.domain === "airline" ? "airline" : "retail";
  const stage: Stage = { domain, flow, flowPath, data };
  const { episodes } = readResults(await diskFiles.readText(results), { path: results });
  const every = Number(given.every ?? "1");
  let same = 0, count = 0, saved = 0, lookups = 0;
  for (const episode of episodes.filter((_, i) => i % every === 0)) {
    const [live, offline] = [await served(stage, episode), await replayed(stage, episode)];
    count++;
    saved += live.saved;
    lookups += live.decisions.filter((d) => d.includes(" {")).length;
    const at = Array.from(
      { length: Math.max(live.decisions.length, offline.decisions.length) },
      (_, i) => i,
    ).find((i) => live.decisions[i] !== offline.decisions[i]);
    if (at === undefined && live.saved === offline.saved) same++;
    else {
      console.log(
        `${episode.id}: saved ${live.saved} live, ${offline.saved} replayed; decision ${at}:\n` +
          `  live   ${live.decisions[at ?? 0]}\n  replay ${offline.decisions[at ?? 0]}`,
      );
    }
  }
  console.log(`${same} of ${count} episodes the same; ${lookups} lookups, ${saved} turns saved`);
}

if (import.meta.main) await main();
