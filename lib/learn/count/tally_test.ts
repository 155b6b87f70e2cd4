import { assertEquals } from "@std/assert";
import { resultReader } from "../../flow/state/read_result.ts";
import { type Episode, linkEpisode } from "../../trace/episode.ts";
import type { RecordedEvent } from "../../trace/recorded_episode.ts";
import { CallTally } from "./tally.ts";

const manifest = { domain: "travel", tools: { trip: "read", search: "read" } } as const;

/** A trip of two legs each way, then the searches. */
function episode(searches: readonly (readonly [from: string, to: string, day: string])[]): Episode {
  const trip = {
    from: "AAA",
    to: "CCC",
    legs: [
      { from: "AAA", to: "BBB", day: "2024-05-01" },
      { from: "BBB", to: "CCC", day: "2024-05-01" },
      { from: "CCC", to: "AAA", day: "2024-05-08" },
    ],
  };
  const events: RecordedEvent[] = [];
  const calls = [
    { tool: "trip", arguments: { id: "1" }, content: JSON.stringify(trip) },
    ...searches.map(([from, to, day]) => ({
      tool: "search",
      arguments: { from, to, day },
      content: "[]",
    })),
  ].map(({ tool, arguments: args, content }, i) => ({
    call: { id: String(i), name: tool, arguments: args, by: "agent" as const },
    content,
  }));
  for (const { call, content } of calls) {
    const { id: call_id, name } = call;
    events.push({ kind: "assistant", calls: [call], text: null, usage: null });
    events.push({ kind: "tool_result", call_id, name, error: false, content });
  }
  return linkEpisode({
    id: "s",
    task_id: "t",
    trial: 0,
    domain: "",
    agent_model: "a",
    reward: 1,
    events,
  });
}

Deno.test("Tally keeps the fewest records that the calls could be read off", () => {
  const tally = new CallTally(manifest, resultReader(JSON.parse));
  // Both ways, whole trips: each could also be read off some leg, but no leg fits them all.
  tally.add(episode([["AAA", "CCC", "2024-05-01"]]));
  tally.add(episode([["AAA", "CCC", "2024-05-01"], ["CCC", "AAA", "2024-05-08"]]));
  tally.add(episode([["CCC", "AAA", "2024-05-08"]]));
  assertEquals(tally.bindings().records.get("search")?.found, [
    {
      tool: "trip",
      path: "$.legs[*]",
      fields: { day: "day", from: "^from", to: "^to" },
      found: 2,
    },
    {
      tool: "trip",
      path: "$.legs[*]",
      fields: { day: "day", from: "^to", to: "^from" },
      found: 2,
    },
  ]);
});
