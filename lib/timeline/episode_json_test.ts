import { assertEquals } from "@std/assert";
import { readLog } from "../disk/read_log.ts";
import { recordedEpisode } from "../trace/episode.ts";
import { episode } from "../trace/log_episode.ts";
import { EpisodePrinter } from "./episode_json.ts";
import { OverviewReader } from "./overview.ts";

const DIR = "testdata/sessions/v2";

for (const { name } of Deno.readDirSync(DIR)) {
  Deno.test(`EpisodePrinter prints the events of episode() for ${name}`, async () => {
    const log = await readLog(`${DIR}/${name}`);
    const reader = new OverviewReader();
    for (const line of log.lines) reader.take(line);
    let text = "";
    const overview = reader.end(log.header);
    const printer = new EpisodePrinter(overview, log.header, (piece) => text += piece);
    for (const line of log.lines) printer.take(line);
    printer.end(log.problems);
    const { summary, problems, ...printed } = JSON.parse(text);
    const { parties: { client } } = overview;
    assertEquals(printed, JSON.parse(JSON.stringify(recordedEpisode(episode(log)))));
    assertEquals([summary.lines, problems.length], [log.lines.length, log.problems.length]);
    assertEquals(summary.host?.name, client?.name);
  });
}

Deno.test("EpisodePrinter leaves out lines that came after the overview", async () => {
  const log = await readLog(`${DIR}/parcels.jsonl`);
  const reader = new OverviewReader();
  let text = "";
  const printer = new EpisodePrinter(reader.end(log.header), log.header, (piece) => text += piece);
  for (const line of log.lines) printer.take(line);
  printer.end([]);
  assertEquals(JSON.parse(text).events, []);
});
