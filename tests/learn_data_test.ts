/**
 * Learning and replay on a part of the recorded data, where it lies beside the
 * repository: the bound is exact, the flow saves and holds no customer's value.
 */

import { assert, assertEquals } from "@std/assert";
import { openRecordings } from "../lib/commands/sessions/recordings.ts";
import { diskFiles } from "../lib/disk/file_store.ts";
import { FlowDecider } from "../lib/flow/deciding/decider.ts";
import { lenientParser } from "../lib/flow/state/lenient.ts";
import { printFlow } from "../lib/flow/file/print_flow.ts";
import { resultReader } from "../lib/flow/state/read_result.ts";
import { sourceOf } from "../lib/learn/episode_source.ts";
import { learnFlow } from "../lib/learn/learn_flow.ts";
import { fullBound } from "../lib/replay/bound.ts";
import { replayEpisode } from "../lib/replay/replay_episode.ts";
import { ReplaySummary } from "../lib/replay/summary.ts";
import { worldAnswers } from "../lib/replay/world_answers.ts";
import { ROOT } from "./util/executables.ts";

const TAU2 = `${ROOT}/../shared/data/tau2`;
const isThere = await Deno.stat(TAU2).then(() => true, () => false);
if (!isThere) console.log(`skipped: no recorded data at ${TAU2}`);

async function part(domain: string, splitPart: string, agents: readonly string[] = []) {
  const { source, manifest } = await openRecordings({
    sessions: undefined,
    results: [],
    tau2: TAU2,
    domain,
    skipAgents: ["gpt-oss-120b"],
    agents,
    split: undefined,
    splitPart,
    manifest: undefined,
    rewards: undefined,
  }, diskFiles);
  return { episodes: await Array.fromAsync(source.each()), manifest };
}

for (
  const [domain, count, share] of [["retail", 319, "0.266"], ["airline", 403, "0.186"]] as const
) {
  Deno.test({
    name: `fullBound() is ${share} of the turns of ${domain}'s test tasks`,
    ignore: !isThere,
    fn: async () => {
      const read = resultReader(await lenientParser());
      const { episodes, manifest } = await part(domain, "test");
      const turns = episodes.reduce((n, c) => n + c.turns, 0);
      const bound = episodes.reduce((n, c) => n + fullBound(c, manifest, read), 0);
      assertEquals([episodes.length, (bound / turns).toFixed(3)], [count, share]);
    },
  });
}

Deno.test({
  name: "a flow of two agents' training tasks saves turns on the test tasks of others",
  ignore: !isThere,
  fn: async () => {
    const read = resultReader(await lenientParser());
    const train = await part("retail", "train", ["gpt-5", "gemini-3-flash"]);
    const test = await part("retail", "test", ["gpt-4.1", "gpt-4.1-mini"]);
    const options = { read, provenance: { hoist: "test", compiled_unix_ms: 0 } };
    const flow = await learnFlow(sourceOf(train.episodes), {
      ...options,
      manifest: train.manifest,
    });
    const db = JSON.parse(await diskFiles.readText(`${TAU2}/db/retail-db.json.gz`));
    const answerer = worldAnswers("retail", db);
    const summary = new ReplaySummary();
    const decider = new FlowDecider(flow);
    for (const episode of test.episodes) {
      const done = replayEpisode(episode, { decider, limits: { threshold: 0.5 }, read, answerer });
      summary.add(done, fullBound(episode, flow.manifest, read));
    }
    // Measured: 0.840, 0.525 and 0.036.
    assert(summary.shareOfBound().value > 0.78, String(summary.shareOfBound().value));
    assert(summary.detoursAnEpisode().value < 0.6, String(summary.detoursAnEpisode().value));
    assert(summary.calibrationError() < 0.06, String(summary.calibrationError()));
    const text = printFlow(flow);
    for (const episode of train.episodes) {
      for (const { arguments: args } of episode.calls) {
        for (const value of Object.values(args)) {
          const isId = typeof value === "string" && /\d{4}/.test(value) && value.length < 40;
          if (isId && text.includes(value)) throw new Error(`the flow holds ${value}`);
        }
      }
    }
  },
});

Deno.test({
  name: "airline's searches are read off a reservation's legs, there and back",
  ignore: !isThere,
  fn: async () => {
    const read = resultReader(await lenientParser());
    const { episodes, manifest } = await part("airline", "train");
    const provenance = { hoist: "test", compiled_unix_ms: 0 };
    const flow = await learnFlow(sourceOf(episodes), { manifest, read, provenance, rounds: 0 });
    const found = flow.bindings.records.get("search_direct_flight")?.found ?? [];
    const legs = found.filter((source) => source.path === "$.flights[*]").map((s) => s.fields);
    assertEquals(legs, [
      { date: "date", destination: "destination", origin: "origin" },
      { date: "date", destination: "^origin", origin: "^destination" },
    ]);
  },
});
