import { assert, assertEquals, assertThrows } from "@std/assert";
import { readLog } from "../disk/read_log.ts";
import { episode } from "../trace/log_episode.ts";
import { type LookupDecision, LookupFlow } from "./lookup_flow.ts";

const FLOW = "testdata/flows/parcels.flow.json";
const SERVED = "testdata/served/20261112T081503.077Z-911";

Deno.test("LookupFlow.decide() makes the decisions that the proxy logged", async () => {
  const flow = await LookupFlow.parse(await Deno.readTextFile(FLOW), FLOW);
  const ep = episode(await readLog(`${SERVED}.jsonl`));
  const first = ep.calls.find((call) => call.by === "agent");
  const answers = ep.calls.flatMap(({ by, answer }) =>
    by === "flow" && answer !== undefined ? [answer] : []
  );
  const log = (await Deno.readTextFile(`${SERVED}.flow.jsonl`)).trim().split("\n");
  const after = JSON.parse(log[0] ?? "").after;
  const logged = log.map((line) => JSON.parse(line)).filter((line) =>
    line.action !== undefined && line.after === after
  ).map(({ action: kind, tool, arguments: args, reason }): LookupDecision =>
    kind === "lookup" ? { kind, tool, arguments: args } : { kind, reason }
  );
  assert(logged.length > 2);
  assertEquals(
    logged.map((_, made) => flow.decide(ep, first?.id ?? "", answers.slice(0, made))),
    logged,
  );
});

Deno.test("LookupFlow.decide() hands back below the threshold, and past the number of lookups", async () => {
  const flow = await LookupFlow.parse(await Deno.readTextFile(FLOW));
  const ep = episode(await readLog(`${SERVED}.jsonl`));
  const id = ep.calls[0]?.id ?? "";
  assertEquals(flow.decide(ep, id, [], { threshold: 1 }).kind, "hand_back");
  assertEquals(flow.decide(ep, id, [], { perCall: 0 }).kind, "hand_back");
});

Deno.test("LookupFlow.decide() refuses an unknown call, and answers to lookups it never made", async () => {
  const flow = await LookupFlow.parse(await Deno.readTextFile(FLOW));
  const ep = episode(await readLog(`${SERVED}.jsonl`));
  assertThrows(() => flow.decide(ep, "none"), RangeError, 'after call "none"');
  const answer = { error: false, content: "{}" };
  const many = Array.from({ length: 20 }, () => answer);
  assertThrows(() => flow.decide(ep, ep.calls[0]?.id ?? "", many), RangeError, "20 answers");
});
