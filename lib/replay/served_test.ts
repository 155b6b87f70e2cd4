import { assertEquals } from "@std/assert";
import { readLog } from "../disk/read_log.ts";
import { FlowDecider } from "../flow/deciding/decider.ts";
import { decisionLine } from "../flow/walking/flow_log.ts";
import { readFlow } from "../flow/file/read_flow.ts";
import { readFlowLog } from "../flow/walking/read_flow_log.ts";
import { sourceOf } from "../learn/episode_source.ts";
import type { Episode } from "../trace/episode.ts";
import { episode } from "../trace/log_episode.ts";
import { read } from "../../tests/util/parcels.ts";
import { auditEpisode } from "../evaluate/audit.ts";
import { labelledDecisions, labelLog } from "../evaluate/labelled.ts";
import { promote, promotionMarkdown } from "../evaluate/promote.ts";
import { recordedAnswers } from "./recorded.ts";
import { replayEpisode } from "./replay_episode.ts";

const SERVED = "testdata/served/20261112T081503.077Z-911";
const SHADOW = "testdata/served/20261112T091503.077Z-912";

const flow = readFlow(await Deno.readTextFile("testdata/flows/parcels.flow.json"), "parcels");
const setting = { decider: new FlowDecider(flow), limits: {}, read, answerer: recordedAnswers };

async function episodeIn(path: string): Promise<Episode> {
  return episode(await readLog(`${path}.jsonl`));
}

Deno.test("replayEpisode() of a served session decides what serving logged", async () => {
  const { decisions, lookups, unanswered } = replayEpisode(await episodeIn(SERVED), setting);
  const logged = (await Deno.readTextFile(`${SERVED}.flow.jsonl`)).trimEnd().split("\n");
  assertEquals(
    decisions.map(({ decision }, i) =>
      decisionLine({ after: i < 4 ? "7" : "8", decision, decider: "reach", ms: 0 })
    ),
    logged.filter((line) => !line.includes('"run"')),
  );
  assertEquals([lookups.map((l) => l.fate), unanswered], [["served", "served", "served"], 0]);
});

Deno.test("promote() counts served lookups and judges none by them", async () => {
  const bar = { threshold: 0.3, min_used: 0.7, min_lower: 0.5, min_tasks: 1 };
  const episodes = [await episodeIn(SERVED), await episodeIn(SHADOW)];
  const found = await promote(flow, sourceOf(episodes), {
    ...setting,
    decider: "reach",
    bar,
  });
  const { sites } = found.promoted;
  const report = promotionMarkdown({ ...found, unanswered: 2 }, "parcels").split("\n");
  assertEquals(
    report[4],
    "| site | decisions | lookups | used | served | share | lower bound | tasks | |",
  );
  assertEquals(report.at(-1)?.replace(/\d+/g, "n"), "| all | n | n | n | n | n.n | | | |");
  assertEquals(report[2]?.endsWith("2 decisions without an oracle's answer are left out."), true);
  const numbers = (site: string) => {
    const { decisions, lookups, used, served } = sites[site] ?? {};
    return [decisions, lookups, used, served];
  };
  assertEquals(numbers("find_sender"), [2, 2, 1, 1]);
  assertEquals(numbers("get_sender"), [2, 2, 1, 1]);
});

Deno.test("auditEpisode() leaves out the steps that were a flow's", async () => {
  const { decisions, served } = auditEpisode(await episodeIn(SERVED), setting.decider, read);
  assertEquals([decisions.length, served], [0, 1]);
});

Deno.test("labelledDecisions() has no label where a flow made the lookup", async () => {
  const { manifest } = flow;
  const sites = (episode: Episode) =>
    labelledDecisions(replayEpisode(episode, setting), manifest).map((line) =>
      JSON.parse(line).address
    );
  assertEquals(sites(await episodeIn(SERVED)), ["decide#3"]);
});

async function labelled(path: string, change: (text: string) => string = (text) => text) {
  const { lines } = readFlowLog(change(await Deno.readTextFile(`${path}.flow.jsonl`)), path);
  const { decisions, served, unlabelled } = labelLog(lines, await episodeIn(path), flow.manifest);
  return [decisions.map((d) => [d.site, d.labels.map((l) => l.used)]), served, unlabelled];
}

Deno.test("labelLog() labels what was decided in shadow by what the agent did", async () => {
  assertEquals(await labelled(SHADOW), [
    [["find_sender", [1]], ["get_sender", [1]], ["get_parcel", [1]], ["get_parcel", [0]]],
    0,
    0,
  ]);
});

Deno.test("labelLog() labels nothing that was acted on, has no policy or no call", async () => {
  assertEquals(await labelled(SERVED), [[], 4, 0]);
  assertEquals(
    await labelled(SHADOW, (text) => text.replaceAll('"after":8', '"after":"8"')),
    [[["find_sender", [1]], ["get_parcel", [1]], ["get_parcel", [0]]], 0, 1],
  );
  assertEquals(
    await labelled(SHADOW, (text) => text.replace(/"policy":\{.*?\}\],"propensity":1\},/, "")),
    [[["get_sender", [1]], ["get_parcel", [1]], ["get_parcel", [0]]], 0, 1],
  );
});
