import { assertEquals } from "@std/assert";
import { FlowDecider } from "../flow/deciding/decider.ts";
import { resultReader } from "../flow/state/read_result.ts";
import { sourceOf } from "../learn/episode_source.ts";
import { learnFlow } from "../learn/learn_flow.ts";
import { type Episode, linkEpisode } from "../trace/episode.ts";
import type { RecordedEvent } from "../trace/recorded_episode.ts";
import { promote } from "../evaluate/promote.ts";
import { recordedAnswers } from "./recorded.ts";
import { replayEpisode } from "./replay_episode.ts";

const MANIFEST = { domain: "shop", tools: { find: "read", get: "read", put: "write" } } as const;
const read = resultReader((text) => text.startsWith("{") ? JSON.parse(text) : text);

/** A session in short: `find x -> u1`, calls of one turn joined by `+`, `!` for a failed one, no `->` for one without an answer. */
function episode(turns: readonly string[], id = "c"): Episode {
  const events: RecordedEvent[] = [{ kind: "user", text: "Hello." }];
  turns.forEach((turn, t) => {
    const calls = turn.split(" + ").map((text, i) => {
      const [call = "", answer] = text.split(" -> ");
      const [name = "", value = ""] = call.split(" ");
      return {
        call: { id: `${t}.${i}`, name, arguments: { id: value }, by: "agent" as const },
        answer,
      };
    });
    events.push({ kind: "assistant", text: null, calls: calls.map((c) => c.call), usage: null });
    for (const { call, answer } of calls) {
      if (answer === undefined) continue;
      events.push({
        kind: "tool_result",
        call_id: call.id,
        name: call.name,
        error: answer.startsWith("!"),
        content: answer,
      });
    }
  });
  return linkEpisode({
    id,
    task_id: id,
    trial: 0,
    domain: "shop",
    agent_model: "m",
    reward: 1,
    events,
  });
}

const USUAL = (n: number) =>
  episode([`find a${n} -> u${n}00`, `get u${n}00 -> {"status":"ok"}`], `s${n}`);

async function flow() {
  return await learnFlow(sourceOf([1, 2, 3, 4, 5, 6].map(USUAL)), {
    manifest: MANIFEST,
    read,
    provenance: { hoist: "0", compiled_unix_ms: 0 },
    rounds: 0,
  });
}

async function replayed(turns: readonly string[], threshold = 0.3) {
  const done = replayEpisode(episode(turns), {
    decider: new FlowDecider(await flow()),
    limits: { threshold },
    read,
    answerer: recordedAnswers,
  });
  return [
    done.saved,
    ...done.lookups.map((l) => `${l.key} ${l.fate}${l.fate === "detour" ? `: ${l.reason}` : ""}`),
  ];
}

for (
  const [why, turns, wanted] of [
    ["a used lookup saves its turn", ["find b -> u900", "get u900 -> {}"], [
      1,
      'get {"id":"u900"} used',
    ]],
    ["a turn with a call that is never answered carries nothing", [
      "find b -> u900 + find c",
      "get u900 -> {}",
    ], [0]],
    ["a call of the same turn was asked for already", ["find b -> u900 + get u900 -> {}"], [0]],
    ["a lookup nobody makes is a detour", ["find b -> u900", "get u901 -> {}"], [
      0,
      'get {"id":"u900"} detour: the recording has no answer',
    ]],
    ["a turn with another call is not saved", ["find b -> u900", "get u900 -> {} + put c -> !no"], [
      0,
      'get {"id":"u900"} used',
    ]],
    ["a write makes a lookup stale", ["find b -> u900", "put x -> done", "get u900 -> {}"], [
      0,
      'get {"id":"u900"} detour: the recording has no answer',
    ]],
    ["a failed write changes nothing", ["find b -> u900", "put x -> !no", "get u900 -> {}"], [
      1,
      'get {"id":"u900"} used',
    ]],
    ["a lookup that fails saves nothing", ["find b -> u900", "get u900 -> !no"], [
      0,
      'get {"id":"u900"} detour: the lookup failed',
    ]],
    ["a run goes on behind a detour", ["find b -> u900", "find c -> u901", "get u901 -> {}"], [
      1,
      'get {"id":"u900"} detour: the recording has no answer',
      'get {"id":"u901"} used',
    ]],
    ["a repeat of the agent's own is no saving", ["get u900 -> {}", "get u900 -> {}"], [0]],
  ] as const
) {
  Deno.test(`replayEpisode(): ${why}`, async () =>
    assertEquals(await replayed(turns), [...wanted]));
}

Deno.test("replayEpisode() changes nothing at a threshold that cannot be met", async () => {
  assertEquals(await replayed(["find b -> u900", "get u900 -> {}"], 1.01), [0]);
});

Deno.test("promote() never promotes a site it has not seen", async () => {
  const bar = { threshold: 0.3, min_used: 0.7, min_lower: 0.5, min_tasks: 3 };
  const options = { bar, limits: {}, read, answerer: recordedAnswers };
  const learned = await flow();
  assertEquals((await promote(learned, sourceOf([]), options)).promoted.sites, {});
  const { promoted: few } = await promote(learned, sourceOf([USUAL(1), USUAL(2)]), options);
  assertEquals(few.sites.find?.promoted, false);
  const { sites } = (await promote(learned, sourceOf([1, 2, 3].map(USUAL)), options)).promoted;
  assertEquals([Object.keys(sites), sites.find?.promoted, sites.find?.lower.toFixed(4)], [
    ["find"],
    true,
    "0.5258",
  ]);
});

Deno.test("learnFlow() counts the same whatever the order of the sessions", async () => {
  const options = {
    manifest: MANIFEST,
    read,
    provenance: { hoist: "0", compiled_unix_ms: 0 },
    rounds: 0,
  };
  const some = [1, 2, 3, 4, 5, 6].map(USUAL);
  const { printFlow } = await import("../flow/file/print_flow.ts");
  assertEquals(
    printFlow(await learnFlow(sourceOf(some), options)),
    printFlow(await learnFlow(sourceOf(some.toReversed()), options)),
  );
});
