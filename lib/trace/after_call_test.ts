import { assertEquals, assertThrows } from "@std/assert";
import { answer, call, says, scriptLog } from "../../tests/util/script_log.ts";
import { afterCall } from "./after_call.ts";
import { episode } from "./log_episode.ts";

/** A turn of one call, then one of three, answered in another order than sent. */
const EPISODE = episode(scriptLog([
  [0, "context", says("user", "Where are they?")],
  [1, "client", call(1, "find")],
  [2, "server", answer(1, "S-1")],
  [3000, "client", call(2, "get", { id: "a" })],
  [3001, "client", call(3, "get", { id: "b" })],
  [3002, "client", call(4, "get", { id: "c" })],
  [3010, "server", answer(3, "B")],
  [3011, "server", answer(2, "A", true)],
  [3012, "server", answer(4, "C")],
  [9000, "client", call(5, "find")],
  [9001, "server", answer(5, "S-1")],
]));

function seen(id: string) {
  const { episode: then, asked } = afterCall(EPISODE, id);
  return {
    turns: then.events.flatMap((e) => e.kind === "assistant" ? [e.calls.map((c) => c.id)] : []),
    results: then.events.flatMap((e) => e.kind === "tool_result" ? [e.call_id] : []),
    asked: asked.map((c) => c.id),
  };
}

Deno.test("afterCall() keeps what was answered, this call last, and lists what waits", () => {
  assertEquals(seen("1"), { turns: [["1"]], results: ["1"], asked: [] });
  assertEquals(seen("3"), { turns: [["1"], ["3"]], results: ["1", "3"], asked: ["2", "4"] });
  assertEquals(seen("2"), { turns: [["1"], ["3", "2"]], results: ["1", "3", "2"], asked: ["4"] });
  assertEquals(seen("5").turns, [["1"], ["2", "3", "4"], ["5"]]);
});

Deno.test("afterCall() leaves the episode as it is", () => {
  const before = structuredClone(EPISODE);
  afterCall(EPISODE, "3");
  assertEquals(EPISODE, before);
});

Deno.test("afterCall() names a call that has no answer", () => {
  assertThrows(() => afterCall(EPISODE, "77"), RangeError, 'call "77"');
});
