import { assertEquals } from "@std/assert";
import { type TalliedCall, ToolTally } from "./tool_report.ts";

const CALL: TalliedCall = {
  server: "s",
  tool: "t",
  by: "agent",
  outcome: "ok",
  ms: 1,
  chars: 4,
};

Deno.test("ToolTally takes percentiles of what the server answered alone", () => {
  const tally = new ToolTally();
  for (let ms = 100; ms > 0; ms--) tally.add({ ...CALL, ms });
  tally.add({ ...CALL, outcome: "refused", ms: 9000, chars: 9000 });
  tally.add({ ...CALL, outcome: "open", ms: undefined, chars: 0 });
  tally.add({ ...CALL, outcome: "error", by: "flow", ms: 50 });
  assertEquals(tally.lines(), [{
    server: "s",
    tool: "t",
    calls: 103,
    lookups: 1,
    errors: 1,
    refused: 1,
    unanswered: 1,
    chars50: 4,
    chars95: 4,
    p50: 50,
    p95: 95,
    tokens: 101,
  }]);
});

Deno.test("ToolTally keeps servers apart, and has no percentile without an answer", () => {
  const tally = new ToolTally();
  tally.add({ ...CALL, outcome: "cancelled", ms: undefined });
  tally.add({ ...CALL, server: "other" });
  tally.add({ ...CALL, server: "other" });
  assertEquals(tally.lines().map(({ server, calls, p50 }) => [server, calls, p50]), [
    ["other", 2, 1],
    ["s", 1, undefined],
  ]);
});
