import { assertEquals } from "@std/assert";
import { turns } from "../../../tests/util/hand_timers.ts";
import { ListenRig } from "../../../tests/util/listen_rig.ts";

const VERSION = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const REGION = {
  name: "t",
  inputSchema: {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
  },
};

function request(id: unknown, method: string, params = {}) {
  return {
    body: { jsonrpc: "2.0", id, method, params: { ...params, _meta: META } },
    headers: { "mcp-protocol-version": VERSION, "mcp-method": method },
  };
}

function call(id: unknown, args = {}) {
  const { body, headers } = request(id, "tools/call", { name: "t", arguments: args });
  return { body, headers: { ...headers, "mcp-name": "t" } };
}

/** POSTs a request whose server answers discovery so, and lists these tools. */
async function discovering(rig: ListenRig, discovered: object, tools: readonly object[] = []) {
  const { body, headers } = call(1);
  const wire = await rig.post(body, headers);
  const server = rig.server();
  server.says({ jsonrpc: "2.0", id: server.last.id, ...discovered });
  await turns();
  if (server.last.method === "tools/list") {
    server.says({ jsonrpc: "2.0", id: server.last.id, result: { tools } });
  }
  await turns();
  return { wire, server };
}

const IS_MODERN = { result: { supportedVersions: [VERSION] } };

Deno.test("ModernPool asks a server once whether it is modern, then serves all hosts with it", async () => {
  const rig = new ListenRig();
  const { wire, server } = await discovering(rig, IS_MODERN);
  assertEquals(server.lines.map((line) => JSON.parse(line).method), [
    "server/discover",
    "tools/list",
    "tools/call",
  ]);
  const other = call("1");
  const second = await rig.post(other.body, other.headers);
  const [a, b] = server.lines.slice(-2).map((line) => JSON.parse(line).id);
  server.says({ jsonrpc: "2.0", id: b, result: { n: 2 } }, { jsonrpc: "2.0", id: a, result: {} });
  assertEquals([wire.sent, second.sent], [
    '200 {"jsonrpc":"2.0","id":1,"result":{}}',
    '200 {"jsonrpc":"2.0","id":"1","result":{"n":2}}',
  ]);
  assertEquals(rig.servers.length, 1);
});

Deno.test("ModernPool refuses modern requests of a legacy server for good", async () => {
  const rig = new ListenRig();
  const { wire, server } = await discovering(rig, { error: { code: -32601, message: "no" } });
  assertEquals([wire.json.error.code, server.ended], [-32000, "closed"]);
  const again = call(2);
  assertEquals((await rig.post(again.body, again.headers)).json.error.code, -32000);
  assertEquals(rig.servers.length, 1);
});

Deno.test("ModernPool takes a server for legacy that is silent for 30 seconds", async () => {
  const rig = new ListenRig();
  const { body, headers } = call(1);
  const wire = await rig.post(body, headers);
  assertEquals(rig.timers.pending, [30_000]);
  await rig.timers.ring();
  assertEquals(wire.json.error.code, -32000);
});

Deno.test("ModernPool refuses a revision that the server did not name", async () => {
  const rig = new ListenRig();
  const { wire } = await discovering(rig, { result: { supportedVersions: ["2027-01-01"] } });
  assertEquals(wire.json.error, {
    code: -32022,
    message: "Unsupported protocol version",
    data: { supported: ["2027-01-01"], requested: VERSION },
  });
});

Deno.test("ModernPool holds arguments against the headers that the tool asks for", async () => {
  const rig = new ListenRig();
  await discovering(rig, IS_MODERN, [REGION]);
  const { body, headers } = call(2, { region: "eu" });
  const missing = await rig.post(body, headers);
  assertEquals(
    missing.json.error.message,
    "Header mismatch: the Mcp-Param-Region header is missing",
  );
  const right = await rig.post(body, { ...headers, "mcp-param-region": "eu" });
  assertEquals(right.sent, undefined, "it is sent on");
});

Deno.test("ModernPool cancels a request whose host leaves, and ignores cancellations by id", async () => {
  const rig = new ListenRig();
  const { wire, server } = await discovering(rig, IS_MODERN);
  const note = request(undefined, "notifications/cancelled", { requestId: 1 });
  assertEquals((await rig.post(note.body, note.headers)).sent, "202");
  const asked = server.last.id;
  wire.leave();
  assertEquals(server.last, {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: asked, reason: "the host has closed the stream" },
  });
});

Deno.test("ModernPool answers errors with the HTTP status of their code", async () => {
  const rig = new ListenRig();
  const { wire, server } = await discovering(rig, IS_MODERN);
  server.says({ jsonrpc: "2.0", id: server.last.id, error: { code: -32601, message: "no" } });
  assertEquals(wire.sent?.slice(0, 3), "404");
});

Deno.test("ModernPool streams what comes before an answer", async () => {
  const rig = new ListenRig();
  const { wire, server } = await discovering(rig, IS_MODERN);
  const { id } = server.last;
  server.says({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  assertEquals([wire.messages.length, wire.isClosed], [1, true], "the server gave it up");
});

Deno.test("ModernPool answers what waits when its server exits, and waits before the next start", async () => {
  const rig = new ListenRig();
  const { wire, server } = await discovering(rig, IS_MODERN);
  await server.exits(1);
  assertEquals(wire.json.error.message, "the server has exited with status 1");
  const { body, headers } = call(2);
  const early = await rig.post(body, headers);
  assertEquals([early.sent?.slice(0, 3), early.headers["retry-after"]], ["503", "5"]);
  rig.nowMs = 1_000;
  await rig.post(body, headers);
  assertEquals(
    [rig.servers.length, rig.server().last.method],
    [2, "tools/list"],
    "known as modern",
  );
});

Deno.test("ModernPool says that its server cannot start, and tries again at the next request", async () => {
  const rig = new ListenRig();
  rig.startFault = "cannot start x";
  const { body, headers } = call(1);
  assertEquals((await rig.post(body, headers)).json.error.message, "cannot start x");
  rig.startFault = undefined;
  await rig.post(body, headers);
  assertEquals([rig.said, rig.servers.length], [["cannot start x"], 1]);
});

Deno.test("ModernPool closes a server that is idle, not one with a request under way", async () => {
  const rig = new ListenRig();
  const { server } = await discovering(rig, IS_MODERN);
  rig.nowMs = 5_000;
  rig.sessions.endIdle(1_000);
  assertEquals(server.ended, undefined);
  server.says({ jsonrpc: "2.0", id: server.last.id, result: {} });
  rig.nowMs = 5_999;
  rig.sessions.endIdle(1_000);
  assertEquals(server.ended, undefined);
  rig.nowMs = 6_000;
  rig.sessions.endIdle(1_000);
  assertEquals(server.ended, "closed");
});

Deno.test("ModernPool stops asking for tools at a cursor that repeats", async () => {
  const rig = new ListenRig();
  const { body, headers } = call(1);
  await rig.post(body, headers);
  const server = rig.server();
  server.says({ jsonrpc: "2.0", id: server.last.id, ...IS_MODERN });
  await turns();
  for (let page = 0; page < 2; page++) {
    const result = { tools: [], nextCursor: "same" };
    server.says({ jsonrpc: "2.0", id: server.last.id, result });
    await turns();
  }
  assertEquals(server.last.method, "tools/call");
});

Deno.test("ModernPool passes odd bytes of an answer on, and answers for what cannot be read", async () => {
  const rig = new ListenRig();
  const { wire, server } = await discovering(rig, IS_MODERN);
  server.says(`{"jsonrpc":"2.0","id":${server.last.id},"result":{"a":"\x97"}}`);
  assertEquals(wire.sent, '200 {"jsonrpc":"2.0","id":1,"result":{"a":"\ufffd"}}');
  const { body, headers } = call("x");
  const second = await rig.post(body, headers);
  server.says(`{"jsonrpc":"2.0","id":${server.last.id},"result":`);
  assertEquals([second.json.id, second.json.error.message], [
    "x",
    "the server's answer is not JSON",
  ]);
  server.says("banner");
  assertEquals(rig.said, ["a line of the server is not JSON; hosts over HTTP do not get it"]);
});

Deno.test("ModernPool answers what waits soon after its server closes its output", async () => {
  const rig = new ListenRig();
  const { wire, server } = await discovering(rig, IS_MODERN);
  server.closesOutput();
  while (rig.timers.pending.includes(100)) await rig.timers.ring();
  assertEquals(wire.sent?.includes("the server has closed its output"), true);
});
