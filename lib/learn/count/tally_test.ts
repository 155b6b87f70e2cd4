import { assertEquals } from "@std/assert";
import { resultReader } from "../../flow/state/read_result.ts";
import type { Course, CourseCall, CourseEvent } from "../../trace/course.ts";
import { CallTally } from "./tally.ts";

const manifest = { domain: "travel", tools: { trip: "read", search: "read" } } as const;

/** A trip of two legs each way, then the searches. */
function course(searches: readonly (readonly [from: string, to: string, day: string])[]): Course {
  const trip = {
    from: "AAA",
    to: "CCC",
    legs: [
      { from: "AAA", to: "BBB", day: "2024-05-01" },
      { from: "BBB", to: "CCC", day: "2024-05-01" },
      { from: "CCC", to: "AAA", day: "2024-05-08" },
    ],
  };
  const events: CourseEvent[] = [];
  const calls: CourseCall[] = [
    { tool: "trip", arguments: { id: "1" }, content: JSON.stringify(trip) },
    ...searches.map(([from, to, day]) => ({
      tool: "search",
      arguments: { from, to, day },
      content: "[]",
    })),
  ].map(({ tool, arguments: args, content }, i) => ({
    id: String(i),
    tool,
    arguments: args,
    by: "agent",
    turn: i + 1,
    answer: { error: false, content },
  }));
  for (const call of calls) {
    events.push({ kind: "sent", turn: call.turn, calls: [call], text: null });
    events.push({ kind: "answered", call, isLast: true, isWhole: true });
  }
  return { id: "s", agent: "a", taskId: "t", reward: 1, turns: calls.length, calls, events };
}

Deno.test("Tally keeps the fewest records that the calls could be read off", () => {
  const tally = new CallTally(manifest, resultReader(JSON.parse));
  // Both ways, whole trips: each could also be read off some leg, but no leg fits them all.
  tally.add(course([["AAA", "CCC", "2024-05-01"]]));
  tally.add(course([["AAA", "CCC", "2024-05-01"], ["CCC", "AAA", "2024-05-08"]]));
  tally.add(course([["CCC", "AAA", "2024-05-08"]]));
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
