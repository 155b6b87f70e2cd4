import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { answer, call, says, type ScriptLine, scriptLog } from "../../tests/util/script_log.ts";
import { traceOf } from "./trace.ts";
import { turns } from "./turns.ts";

/** The turns of a session, each as the ids of its calls. */
function turnsOf(lines: readonly ScriptLine[], sameTurnMs?: number): string[] {
  const { messages, steps } = traceOf(scriptLog(lines));
  const found = turns(messages, steps, sameTurnMs === undefined ? {} : { sameTurnMs });
  return [...new Set(found.values())].map((turn) => turn.calls.map((c) => c.id).join("+"));
}

/** Call 1, answered at 100 with the text; then call 2 at a time, with arguments. */
function pair(text: string, at: number, args: unknown = {}): ScriptLine[] {
  return [[0, "client", call(1, "a")], [100, "server", answer(1, text)], [
    at,
    "client",
    call(2, "b", args),
  ]];
}

const ORDER = JSON.stringify({ id: "#W7a", n: 12345, small: 42, nested: [{ deep: "yes-deep" }] });

for (
  const [why, lines, expected] of [
    ["499 ms after the answer is the same turn", pair("x", 599), ["1+2"]],
    ["500 ms after the answer is the same turn", pair("x", 600), ["1+2"]],
    ["501 ms after the answer is a new turn", pair("x", 601), ["1", "2"]],
    ["passing a string the answer showed first is a new turn", pair(ORDER, 200, { o: "#W7a" }), [
      "1",
      "2",
    ]],
    [
      "passing a nested string it showed first is a new turn",
      pair(ORDER, 200, { o: ["yes-deep"] }),
      ["1", "2"],
    ],
    ["passing a number it showed first is a new turn", pair(ORDER, 200, { n: 12345 }), ["1", "2"]],
    ["passing that number as text is a new turn", pair(ORDER, 200, { n: "12345" }), ["1", "2"]],
    ["passing a value of two characters says nothing", pair(ORDER, 200, { n: 42 }), ["1+2"]],
    ["passing a part of a value says nothing", pair(ORDER, 200, { o: "W7a" }), ["1+2"]],
    ["passing a line of a plain answer is a new turn", pair("one\nS-20\r\n", 200, { s: "S-20" }), [
      "1",
      "2",
    ]],
    ["passing a key of the answer says nothing", pair('{"#W7a":1}', 200, { o: "#W7a" }), ["1+2"]],
    ["a value that an earlier argument held is not news", [
      [0, "client", call(1, "a", { user: "user_7" })],
      [100, "server", answer(1, '{"user_id":"user_7"}')],
      [200, "client", call(2, "b", { user: "user_7" })],
    ], ["1+2"]],
    ["a value that an earlier turn's answer held is not news", [
      [0, "client", call(1, "a")],
      [100, "server", answer(1, "user_7")],
      [2000, "client", call(2, "b")],
      [2100, "server", answer(2, "user_7")],
      [2200, "client", call(3, "c", { user: "user_7" })],
    ], ["1", "2+3"]],
    ["a value the conversation held is not news", [
      [0, "context", says("user", "Where is #W7a?")],
      ...pair(ORDER, 200, { o: "#W7a" }),
    ], ["1+2"]],
    ["a value inside a longer word of the conversation is news", [
      [0, "context", says("user", "Where is #W7ab?")],
      ...pair(ORDER, 200, { o: "#W7a" }),
    ], ["1", "2"]],
    ["something said in between is a new turn", [
      [0, "client", call(1, "a")],
      [100, "server", answer(1, "x")],
      [150, "context", says("assistant", "Next.")],
      [200, "client", call(2, "b")],
    ], ["1", "2"]],
    ["something said before the answer changes nothing", [
      [0, "client", call(1, "a")],
      [50, "context", says("assistant", "One moment.")],
      [100, "server", answer(1, "x")],
      [200, "client", call(2, "b")],
    ], ["1+2"]],
    ["a call while another waits is the same turn, however late", [
      [0, "client", call(1, "a")],
      [90_000, "client", call(2, "b")],
      [90_100, "server", answer(1, "x")],
    ], ["1+2"]],
    ["a call that is never answered keeps its turn open", [
      [0, "client", call(1, "a")],
      [10, "client", call(2, "b")],
      [20, "server", answer(2, "x")],
      [9000, "client", call(3, "c")],
      [9010, "server", answer(3, "y")],
      [90_000, "client", call(4, "d")],
    ], ["1+2+3+4"]],
    ["a cancelled call keeps nothing open", [
      [0, "client", call(1, "a")],
      [10, "client", {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 1 },
      }],
      [20, "client", call(2, "b")],
    ], ["1", "2"]],
    ["the last answer of a turn counts", [
      [0, "client", call(1, "a")],
      [0, "client", call(2, "b")],
      [100, "server", answer(1, "x")],
      [900, "server", answer(2, "y")],
      [1300, "client", call(3, "c")],
    ], ["1+2+3"]],
    ["the proxy's call alone is a turn of its own", [
      ...pair("x", 90_000).slice(0, 2),
      [101, "proxy", call("hoist-1", "l")],
      [102, "server", answer("hoist-1", "y")],
      [103, "proxy", call("hoist-2", "l")],
      [104, "server", answer("hoist-2", "z")],
      [2000, "client", call(2, "b")],
    ], ["1", "hoist-1", "hoist-2", "2"]],
    ["the proxy's call joins a turn that waits", [
      [0, "client", call(1, "a")],
      [0, "client", call(2, "b")],
      [100, "server", answer(1, "x")],
      [101, "proxy", call("hoist-1", "l")],
    ], ["1+2+hoist-1"]],
    ["what a lookup showed first is news to the agent", [
      ...pair("x", 0).slice(0, 2),
      [101, "proxy", call("hoist-1", "l")],
      [102, "server", answer("hoist-1", "#W7a")],
      [200, "client", call(2, "b", { o: "#W7a" })],
    ], ["1", "hoist-1", "2"]],
    ["the proxy's answer, later than the server's, does not move the gap", [
      [0, "client", call(1, "a")],
      [100, "server", answer(1, "x")],
      [400, "proxy", answer(1, "x and lookups")],
      [601, "client", call(2, "b")],
    ], ["1", "2"]],
    ["a refusal is an answer", [
      [0, "client", call(1, "a")],
      [5, "proxy", answer(1, "Refused", true)],
      [506, "client", call(2, "b")],
    ], ["1", "2"]],
    ["the calls of a commit are of the commit's turn", [
      [0, "client", call(1, "hoist_commit", { calls: [{ name: "w", arguments: { x: 1 } }] })],
      [1, "proxy", call("hoist-1", "w", { x: 1 })],
      [2, "server", answer("hoist-1", "done")],
      [3, "proxy", answer(1, "all done")],
      [5000, "client", call(2, "b")],
    ], ["1+hoist-1", "2"]],
  ] as readonly (readonly [string, ScriptLine[], string[]])[]
) {
  Deno.test(`turns(): ${why}`, () => assertEquals(turnsOf(lines), expected));
}

Deno.test("turns() takes another limit than 500 ms", () => {
  assertEquals(turnsOf(pair("x", 900), 800), ["1+2"]);
  assertEquals(turnsOf(pair("x", 901), 800), ["1", "2"]);
  assertEquals(turnsOf(pair("x", 100), 0), ["1+2"]);
  assertEquals(turnsOf(pair("x", 101), 0), ["1", "2"]);
});

Deno.test("turns() puts each call into one turn, whatever the order of lines", () => {
  const id = fc.constantFrom(1, 2, "1", "hoist-1");
  const line = fc.oneof(
    fc.tuple(fc.constantFrom("client", "proxy"), id.map((i) => call(i, "t", { v: `value ${i}` }))),
    fc.tuple(fc.constantFrom("server", "proxy"), id.map((i) => answer(i, `value ${i}`))),
    fc.constant(["context", says("user", "value 1")] as const),
    id.map((requestId) =>
      ["client", { method: "notifications/cancelled", params: { requestId } }] as const
    ),
  );
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(1200), line)), (script) => {
    let now = 0;
    const lines = script.map(([gap, [from, message]]) => [now += gap, from, message] as ScriptLine);
    const { messages, steps } = traceOf(scriptLog(lines));
    const found = turns(messages, steps);
    const sent = [...steps.values()].flatMap((step) => step.kind === "sent" ? [step.call] : []);
    assertEquals([...found.keys()], sent);
    assertEquals(new Set(sent.map((c) => c.id)).size, sent.length);
    assertEquals([...new Set(found.values())].flatMap((turn) => turn.calls), sent);
  }));
});

Deno.test("turns() splits a turn of more calls than a model makes", () => {
  const lines = Array.from({ length: 1001 }, (_, i) => [0, "client", call(i, "t")] as const);
  const { messages, steps } = traceOf(scriptLog(lines));
  const found = new Set(turns(messages, steps).values());
  assertEquals([...found].map((turn) => turn.calls.length), [1000, 1]);
});
