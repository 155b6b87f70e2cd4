import { assertEquals } from "@std/assert";
import { turns } from "../../../tests/util/hand_timers.ts";
import { ListenRig } from "../../../tests/util/listen_rig.ts";

const INITIALIZE = { jsonrpc: "2.0", id: 0, method: "initialize", params: {} };
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const MODERN = { ...CALL, params: { name: "t", _meta: META } };

/** Bodies and headers that are refused in a session table without sessions. */
const REFUSED: readonly (readonly [string, unknown, Record<string, string>, number, string])[] = [
  ["not JSON", "{", {}, 400, "Parse error: the body is not JSON"],
  ["an empty batch", [], {}, 400, "Invalid Request: not JSON-RPC"],
  ["no JSON-RPC", { a: 1 }, {}, 400, "Invalid Request: not JSON-RPC"],
  ["no session", CALL, {}, 400, "Bad Request: the Mcp-Session-Id header is missing"],
  ["an unknown session", CALL, { "mcp-session-id": "x" }, 404, "Session not found"],
  [
    "neither kind of answer accepted",
    CALL,
    { accept: "text/html" },
    406,
    "Not Acceptable: the answer is application/json or text/event-stream",
  ],
  ["initialize in a batch", [INITIALIZE], {}, 400, "Invalid Request: initialize stands alone"],
  ["a modern batch", [MODERN, MODERN], {}, 400, "Invalid Request: this revision has no batches"],
  [
    "a modern response",
    { jsonrpc: "2.0", id: 1, result: {} },
    { "mcp-protocol-version": "2026-07-28" },
    400,
    "Invalid Request: this revision has no responses of hosts",
  ],
  [
    "a modern request without its header",
    MODERN,
    {},
    400,
    "Header mismatch: the MCP-Protocol-Version header is missing",
  ],
];

for (const [name, body, headers, status, message] of REFUSED) {
  Deno.test(`HttpSessions refuses ${name}`, async () => {
    const rig = new ListenRig();
    const wire = await rig.post(body, headers);
    assertEquals([wire.sent?.slice(0, 3), wire.json.error.message], [`${status}`, message]);
    assertEquals(rig.servers.length, 0);
  });
}

Deno.test("HttpSessions gives each session its own server and id", async () => {
  const rig = new ListenRig();
  const [one, two] = [await rig.open(), await rig.open()];
  assertEquals([one.named, two.named], [{ "mcp-session-id": "s1" }, { "mcp-session-id": "s2" }]);
  await rig.post(CALL, two.named);
  assertEquals([one.server.lines.length, two.server.lines.length], [1, 2]);
});

Deno.test("HttpSessions refuses a version that is none, and batches outside 2025-03-26", async () => {
  const rig = new ListenRig();
  const { named } = await rig.open("2025-06-18");
  const version = await rig.post(CALL, { ...named, "mcp-protocol-version": "1999-01-01" });
  const batch = await rig.post([CALL], named);
  assertEquals([version.sent?.slice(0, 3), batch.sent?.slice(0, 3)], ["400", "400"]);
  const old = await rig.open("2025-03-26");
  assertEquals((await rig.post([CALL], old.named)).sent, undefined, "it waits for its answer");
});

Deno.test("HttpSessions opens 64 sessions at most", async () => {
  const rig = new ListenRig();
  for (let i = 0; i < 64; i++) await rig.open();
  const wire = await rig.post(INITIALIZE);
  assertEquals([wire.sent?.slice(0, 3), wire.headers["retry-after"]], ["503", "30"]);
  rig.delete({ "mcp-session-id": "s1" });
  assertEquals((await rig.open()).named, { "mcp-session-id": "s65" }, "one has ended");
});

Deno.test("HttpSessions answers 500 when the server cannot start, and says so", async () => {
  const rig = new ListenRig();
  rig.startFault = "cannot start x";
  const wire = await rig.post(INITIALIZE);
  assertEquals([wire.sent?.slice(0, 3), rig.said], ["500", ["cannot start x"]]);
});

Deno.test("HttpSessions refuses a GET that accepts no stream, and one without a session", async () => {
  const rig = new ListenRig();
  const { named } = await rig.open();
  assertEquals(rig.get({ ...named, accept: "application/json" }).sent?.slice(0, 3), "406");
  assertEquals(rig.get({}).sent?.slice(0, 3), "400");
  const modern = rig.get({ "mcp-protocol-version": "2026-07-28" });
  assertEquals([modern.sent?.slice(0, 3), modern.headers.allow], ["405", "POST"]);
});

Deno.test("HttpSessions ends sessions that are idle, not those whose host waits or listens", async () => {
  const rig = new ListenRig();
  const [idle, waiting, listening, left] = [
    await rig.open(),
    await rig.open(),
    await rig.open(),
    await rig.open(),
  ];
  await rig.post(CALL, waiting.named);
  rig.get(listening.named);
  (await rig.post(CALL, left.named)).leave();
  rig.nowMs = 1_000;
  rig.sessions.endIdle(1_000);
  assertEquals([idle, waiting, listening, left].map(({ server }) => server.ended), [
    "closed",
    undefined,
    undefined,
    "closed",
  ]);
  rig.nowMs = 1_999;
  rig.sessions.endIdle(1_000);
  assertEquals(waiting.server.ended, undefined, "it was in use a moment ago");
});

Deno.test("HttpSessions.stop() terminates all servers, and settles when they are gone", async () => {
  const rig = new ListenRig();
  const [open, ending] = [await rig.open(), await rig.open()];
  rig.delete(ending.named);
  let isOver = false;
  const stopped = rig.sessions.stop().then(() => isOver = true);
  assertEquals([open.server.ended, ending.server.ended], ["terminated", "terminated"]);
  assertEquals((await rig.post(INITIALIZE)).sent?.slice(0, 3), "503");
  await open.server.exits(143);
  await turns();
  assertEquals(isOver, false);
  await ending.server.exits(143);
  await stopped;
});
