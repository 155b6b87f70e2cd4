/**
 * Recorded episodes of the benchmark, played by a host through `hoist-mcp --flow`
 * against the benchmark's tools: every decision, and every turn saved, is the one
 * that `hoist replay --world` finds.
 */

import { assert, assertEquals } from "@std/assert";
import { openRecordings } from "../../lib/commands/sessions/recordings.ts";
import { diskFiles } from "../../lib/disk/file_store.ts";
import { lenientParser } from "../../lib/flow/state/lenient.ts";
import { printFlow } from "../../lib/flow/file/print_flow.ts";
import { resultReader } from "../../lib/flow/state/read_result.ts";
import { sourceOf } from "../../lib/learn/episode_source.ts";
import { learnFlow } from "../../lib/learn/learn_flow.ts";
import { readResults } from "../../lib/tau2/read_results.ts";
import { ROOT } from "../util/executables.ts";
import { replayed, served, type Stage } from "../util/served_and_replayed.ts";

const DATA = `${ROOT}/../shared/data/tau2`;
const isThere = await Deno.stat(DATA).then(() => true, () => false);
if (!isThere) console.log(`skipped: no recorded data at ${DATA}`);

/** A flow learned from one agent's training tasks. */
async function learned(domain: Stage["domain"], agent: string): Promise<Stage["flow"]> {
  const { source, manifest } = await openRecordings({
    sessions: undefined,
    results: [],
    tau2: DATA,
    domain,
    skipAgents: [],
    agents: [agent],
    split: undefined,
    splitPart: "train",
    manifest: undefined,
    rewards: undefined,
  }, diskFiles);
  return await learnFlow(sourceOf(await Array.fromAsync(source.each())), {
    read: resultReader(await lenientParser()),
    provenance: { hoist: "test", compiled_unix_ms: 0 },
    manifest,
  });
}

for (
  const [domain, agent, results] of [
    ["retail", "gpt-5", "gpt41-test.json.gz"],
    ["airline", "gpt-4o", "gpt41-test.json.gz"],
  ] as const
) {
  Deno.test({
    name: `a ${domain} flow served is the flow replayed`,
    ignore: !isThere,
    fn: async () => {
      const flow = await learned(domain, agent);
      const flowPath = await Deno.makeTempFile({ prefix: "hoist-test-", suffix: ".flow.json" });
      await Deno.writeTextFile(flowPath, printFlow(flow));
      const path = `${DATA}/trajectories/${domain}/${results}`;
      const { episodes } = readResults(await diskFiles.readText(path), { path });
      const stage: Stage = { domain, flow, flowPath, data: DATA };
      let saved = 0;
      for (const episode of episodes.filter((_, i) => i % 10 === 0).slice(0, 4)) {
        const live = await served(stage, episode);
        assertEquals(live, await replayed(stage, episode), episode.id);
        saved += live.saved;
      }
      assert(saved > 0, "a flow that saves something");
      await Deno.remove(flowPath);
    },
  });
}
