import { assertEquals } from "@std/assert";
import { readLog } from "../disk/read_log.ts";
import { answer, call, says, type ScriptLine, scriptLog } from "../../tests/util/script_log.ts";
import type { RecordedEvent } from "./recorded_episode.ts";
import { recordedEpisode } from "./episode.ts";
import { episode } from "./log_episode.ts";

function events(lines: readonly ScriptLine[]): readonly RecordedEvent[] {
  return recordedEpisode(episode(scriptLog(lines))).events;
}

/** `id by name content`, `!` where it failed. */
function results(lines: readonly ScriptLine[]): string[] {
  return events(lines).flatMap((event) =>
    event.kind === "tool_result"
      ? [`${event.call_id} ${event.error ? "! " : ""}${event.content}`]
      : []
  );
}

function callers(lines: readonly ScriptLine[]): string[] {
  return events(lines).flatMap((event) =>
    event.kind === "assistant" ? event.calls.map((c) => `${c.id} ${c.by} ${c.name}`) : []
  );
}

Deno.test("episode() gives the worked example of the format", async () => {
  const ep = episode(await readLog("testdata/sessions/v2/parcels.jsonl"));
  ep.reward = 1;
  assertEquals(recordedEpisode(ep), {
    id: "20261112T081503.077Z-911",
    task_id: "20261112T081503.077Z-911",
    trial: 0,
    domain: "parcels",
    agent_model: "glm-5.3",
    reward: 1,
    events: [
      { kind: "user", text: "Where is my parcel? I am lea@post.example" },
      {
        kind: "assistant",
        text: null,
        calls: [{
          id: "7",
          name: "find_sender",
          arguments: { email: "lea@post.example" },
          by: "agent",
        }],
        usage: null,
      },
      { kind: "tool_result", call_id: "7", name: "find_sender", error: false, content: "S-20" },
      {
        kind: "assistant",
        text: null,
        calls: [{
          id: "hoist-1",
          name: "get_sender",
          arguments: { sender_id: "S-20" },
          by: "flow",
        }],
        usage: null,
      },
      {
        kind: "tool_result",
        call_id: "hoist-1",
        name: "get_sender",
        error: false,
        content: '{"sender_id":"S-20","parcels":["P-7"]}',
      },
    ],
  });
});

Deno.test("episode() names agent and domain by what the log offers", () => {
  const hello = (client: object): ScriptLine[] => [
    [0, "client", { id: 0, method: "initialize", params: { clientInfo: client } }],
    [1, "server", { id: 0, result: { serverInfo: { name: "shop", version: "1" } } }],
  ];
  const named = (lines: ScriptLine[], header = {}) => {
    const { domain, agent_model } = episode(scriptLog(lines, header));
    return [domain, agent_model];
  };
  assertEquals(named(hello({ name: "desk" })), ["shop", "desk"]);
  assertEquals(named(hello({ name: "desk" }), { domain: "d", agent_model: "m" }), ["d", "m"]);
  assertEquals(named(hello({}), { server_name: "s" }), ["s", "unknown"]);
  assertEquals(named([]), ["", "unknown"]);
  const _meta = { "io.modelcontextprotocol/clientInfo": { name: "modern" } };
  const shop = { "io.modelcontextprotocol/serverInfo": { name: "modern-shop" } };
  assertEquals(
    named([
      [0, "client", { id: 0, method: "tools/list", params: { _meta } }],
      [1, "server", { id: 0, result: { tools: [], _meta: shop } }],
    ]),
    ["modern-shop", "modern"],
  );
});

for (
  const [why, result, expected] of [
    ["texts joined by newlines", {
      content: [{ type: "text", text: "a" }, { type: "text", text: "b" }],
    }, "a\nb"],
    ["a placeholder for other items", {
      content: [{ type: "image", data: "" }, { type: "text", text: "b" }],
    }, "[image]\nb"],
    ["structured content without any text", {
      content: [{ type: "image" }],
      structuredContent: { a: 1 },
    }, '{"a":1}'],
    ["text before structured content", {
      content: [{ type: "text", text: "" }],
      structuredContent: {},
    }, ""],
    ["nothing for a result without content", { task: { taskId: "t" } }, ""],
    ["an error result", { content: [{ type: "text", text: "no" }], isError: true }, "! no"],
  ] as const
) {
  Deno.test(`episode() reads ${why}`, () => {
    assertEquals(results([[0, "client", call(1, "t")], [1, "server", { id: 1, result }]]), [
      `1 ${expected}`,
    ]);
  });
}

Deno.test("episode() reads a JSON-RPC error", () => {
  const error = { code: -32602, message: "Unknown tool" };
  assertEquals(results([[0, "client", call(1, "t")], [1, "server", { id: 1, error }]]), [
    "1 ! Unknown tool",
  ]);
});

Deno.test("episode() marks answers to which nothing can be appended", () => {
  const content = [{ type: "text", text: "a" }];
  const marks = [
    { result: { content } },
    { result: { content: [], isError: true } },
    {
      result: { task: { taskId: "t" } },
    },
    { result: { structuredContent: {} } },
    { error: { code: 1, message: "no" } },
  ].map((answer) =>
    events([[0, "client", call(1, "t")], [1, "server", { id: 1, ...answer }]]).flatMap((event) =>
      event.kind === "tool_result" ? [event.no_content] : []
    )
  );
  assertEquals(marks, [[undefined], [undefined], [true], [true], [true]]);
});

Deno.test("episode() takes the first response to a call", () => {
  assertEquals(
    results([
      [0, "client", call(7, "t")],
      [1, "server", answer(7, "own")],
      [2, "proxy", answer(7, "own and lookups")],
    ]),
    ["7 own"],
  );
});

Deno.test("episode() takes the proxy's refusal for the result", () => {
  assertEquals(results([[0, "client", call(7, "t")], [1, "proxy", answer(7, "Refused", true)]]), [
    "7 ! Refused",
  ]);
});

Deno.test("episode() keeps ids of different types and uses apart", () => {
  const lines: ScriptLine[] = [
    [0, "client", call(1, "t")],
    [0, "client", call("1", "t")],
    [0, "client", call(0, "t")],
    [0, "client", call("", "t")],
    [0, "client", call("hoist-1", "t")],
    [1, "server", answer("1", "text")],
    [2, "server", answer(1, "number")],
    [3, "client", call(1, "t")],
    [4, "server", answer(1, "second")],
    [5, "server", answer("", "empty")],
    [6, "server", answer(0, "zero")],
    [7, "server", answer("hoist-1", "agent's")],
  ];
  assertEquals(results(lines), [
    '"1" text',
    "1 number",
    "1#2 second",
    '"" empty',
    "0 zero",
    "hoist-1 agent's",
  ]);
  assertEquals(callers(lines).at(4), "hoist-1 agent t");
});

Deno.test("episode() does not mistake a request of the server for one of the host", () => {
  const roots = { id: 1, method: "roots/list" };
  assertEquals(
    results([
      [0, "client", call(1, "t")],
      [1, "server", roots],
      [2, "client", { id: 1, result: { content: [{ type: "text", text: "roots" }] } }],
      [3, "server", answer(1, "real")],
    ]),
    ["1 real"],
  );
});

Deno.test("episode() gives a cancelled call no result, not even a late one", () => {
  const cancel = { method: "notifications/cancelled", params: { requestId: 1 } };
  assertEquals(
    results([
      [0, "client", call(1, "t")],
      [1, "server", { ...cancel, params: { requestId: 1 } }],
      [2, "client", cancel],
      [3, "server", answer(1, "late")],
    ]),
    [],
  );
});

Deno.test("episode() takes a batch for its messages in order", () => {
  assertEquals(
    results([
      [0, "client", [call(1, "a"), call(2, "b"), { method: "notifications/initialized" }]],
      [1, "server", [answer(2, "two"), answer(1, "one")]],
    ]),
    ["2 two", "1 one"],
  );
});

Deno.test("episode() folds a request for input and its retry into one call", () => {
  const retry = { inputResponses: { a: {} }, requestState: "s" };
  const asks = { id: 1, result: { resultType: "input_required", requestState: "s" } };
  const lines: ScriptLine[] = [
    [0, "client", call(1, "t", { x: 1, y: 2 })],
    [1, "server", asks],
    [60_000, "client", call(2, "t", { y: 2, x: 1 }, retry)],
    [60_001, "server", answer(2, "done")],
    [90_000, "client", call(3, "t", { x: 1, y: 2 }, retry)],
  ];
  assertEquals(callers(lines), ["1 agent t", "3 agent t"]);
  assertEquals(results(lines), ["1 done"]);
});

Deno.test("episode() takes a retry with another state or other arguments for a call of its own", () => {
  const asks = { id: 1, result: { resultType: "input_required", requestState: "s" } };
  const retry = { inputResponses: {}, requestState: "other" };
  assertEquals(
    callers([
      [0, "client", call(1, "t", { x: 1 })],
      [1, "server", asks],
      [2, "client", call(2, "t", { x: 1 }, retry)],
      [3, "client", call(3, "t", { x: 2 }, { ...retry, requestState: "s" })],
    ]),
    ["1 agent t", "2 agent t", "3 agent t"],
  );
});

Deno.test("episode() says who made each call, by the log and not by the id", () => {
  const write = (id: unknown, x: number) => call(id, "write", { x, why: "y" });
  const calls = [{ name: "write", arguments: { why: "y", x: 1 } }, {
    name: "write",
    arguments: { x: 2, why: "y" },
  }];
  const lines: ScriptLine[] = [
    [0, "client", call("hoist-9", "read")],
    [1, "server", answer("hoist-9", "r")],
    [2, "proxy", call("hoist-1", "read", { z: 1 })],
    [3, "server", answer("hoist-1", "r")],
    [5000, "client", call(1, "hoist_commit", { calls })],
    [5001, "proxy", write("hoist-2", 1)],
    [5002, "proxy", call("hoist-3", "read", { z: 2 })],
    [5003, "server", answer("hoist-2", "w")],
    [5004, "proxy", write("hoist-4", 2)],
    [5005, "server", answer("hoist-4", "w", true)],
    [5006, "server", answer("hoist-3", "r")],
    [5007, "proxy", answer(1, "report")],
    [5008, "proxy", write("hoist-5", 2)],
  ];
  assertEquals(callers(lines), [
    "hoist-9 agent read",
    "hoist-1 flow read",
    "hoist-2 commit write",
    "hoist-3 flow read",
    "hoist-4 commit write",
    "hoist-5 flow write",
  ]);
  assertEquals(results(lines).some((line) => line.includes("report")), false);
});

Deno.test("episode() joins words to the call they stand before, and nothing else", () => {
  const kinds = events([
    [0, "context", says("assistant", "Hello.")],
    [1, "context", says("user", "Hi.")],
    [2, "context", says("assistant", "Let me see.")],
    [3, "client", call(1, "t")],
    [4, "server", answer(1, "x")],
    [5000, "context", says("assistant", "Done.")],
  ]).map((event) =>
    event.kind === "assistant" ? `${event.text} ${event.calls.length}` : event.kind
  );
  assertEquals(kinds, ["Hello. 0", "user", "Let me see. 1", "tool_result", "Done. 0"]);
});

Deno.test("episode() leaves out what is no call", () => {
  assertEquals(
    callers([
      [0, "client", call(null, "no id")],
      [0, "client", { method: "tools/call", params: { name: "a notification" } }],
      [0, "client", { id: 1, method: "tools/call", params: { name: 7 } }],
      [0, "client", { id: 2, method: "tools/call" }],
      [0, "server", call(3, "the server's")],
      [0, "client", "raw tools/call"],
    ]),
    [],
  );
});

Deno.test("episode() takes the model that Codex names with its calls, where none was given", () => {
  const meta = { "x-codex-turn-metadata": { model: "m-1", turn_id: "the user's" } };
  const log = scriptLog([
    [0, "client", call(1, "t", {}, { _meta: meta })],
    [1, "server", answer(1, "x")],
    [900, "client", call(2, "t", {}, { _meta: meta })],
  ]);
  const header = { ...log.header, agent_model: null };
  const { agent_model, turns } = episode({ ...log, header });
  assertEquals([agent_model, turns], ["m-1", 2]);
  assertEquals(
    episode({ ...log, header: { ...header, agent_model: "given" } }).agent_model,
    "given",
  );
});
