import { assertEquals } from "@std/assert";
import { ListenRig } from "../../../tests/util/listen_rig.ts";

const INITIALIZE = { jsonrpc: "2.0", id: 0, method: "initialize", params: {} };
const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t" } });
const cancel = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});
const result = (id: number, value = {}) => ({ jsonrpc: "2.0", id, result: value });
const failure = (id: number) => ({ jsonrpc: "2.0", id, error: { code: -32602, message: "no" } });

Deno.test("HttpSession sends a body on as one line", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const wire = await rig.post('{"jsonrpc":"2.0",\n"method" : "n"}\r\n', named);
  assertEquals([server.lines.at(-1), wire.sent], ['{"jsonrpc":"2.0", "method" : "n"}  ', "202"]);
});

Deno.test("HttpSession refuses an id that is in flight, and a full inbox", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  await rig.post(call(1), named);
  const again = await rig.post(call(1), named);
  assertEquals([again.json.id, again.json.error.message], [
    1,
    "Invalid Request: a request with this id is in flight",
  ]);
  server.waitingBytes = 64 * 1_048_576 + 1;
  const full = await rig.post(call(2), named);
  assertEquals([full.sent?.slice(0, 3), full.headers["retry-after"]], ["503", "5"]);
});

Deno.test("HttpSession ends when initialize fails, or its host leaves before the answer", async () => {
  for (const how of ["error", "leave"] as const) {
    const rig = new ListenRig();
    const wire = await rig.post(INITIALIZE);
    if (how === "error") rig.server().says(failure(0));
    else wire.leave();
    const later = await rig.post(call(1), { "mcp-session-id": "s1" });
    assertEquals([rig.server().ended, later.sent?.slice(0, 3)], ["closed", "404"]);
  }
});

Deno.test("HttpSession outlives a failed request that has the id of its initialize", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open("2025-06-18");
  const failed = await rig.post(call(0), named);
  server.says(failure(0));
  assertEquals(failed.json.error.code, -32602);
  const left = await rig.post(call(0), named);
  left.leave();
  server.says(result(0));
  assertEquals(server.ended, undefined);
  // The version still holds: another one is refused.
  const wire = await rig.post(call(1), { ...named, "mcp-protocol-version": "2024-01-01" });
  assertEquals(wire.sent?.slice(0, 3), "400");
});

Deno.test("HttpSession outlives a second initialize that fails", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  await rig.post({ ...INITIALIZE, id: 9 }, named);
  server.says(failure(9));
  assertEquals(server.ended, undefined);
  const wire = await rig.post(call(1), named);
  server.says(result(1));
  assertEquals(wire.sent, `200 ${JSON.stringify(result(1))}`);
});

Deno.test("HttpSession ends a cancelled request's reply a second later, if no answer came", async () => {
  const rig = new ListenRig();
  const { named } = await rig.open();
  const wire = await rig.post(call(1), named);
  await rig.post(cancel(1), named);
  while (rig.timers.pending.includes(1_000)) await rig.timers.ring();
  assertEquals(wire.sent?.includes('"message":"Request cancelled"'), true);
});

Deno.test("HttpSession does not cancel a later request with the id of a cancelled one", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  await rig.post(call(1), named);
  await rig.post(cancel(1), named);
  server.says(result(1));
  const later = await rig.post(call(1), named);
  while (rig.timers.pending.includes(1_000)) await rig.timers.ring();
  server.says(result(1, { n: 2 }));
  assertEquals(later.sent?.includes("Request cancelled"), false);
});

Deno.test("HttpSession does not cancel its initialize", async () => {
  const rig = new ListenRig();
  const wire = await rig.post(INITIALIZE);
  await rig.post(cancel(0), { "mcp-session-id": "s1" });
  assertEquals(rig.timers.pending.includes(1_000), false);
  rig.server().says(result(0, { protocolVersion: "2025-11-25" }));
  assertEquals(wire.sent?.startsWith("200"), true);
});

Deno.test("HttpSession answers what waits when its server exits", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const [wire, get] = [await rig.post(call(1), named), rig.get(named)];
  await server.exits(3);
  assertEquals(wire.json.error.message, "the server has exited with status 3");
  assertEquals(get.isClosed, true);
  assertEquals((await rig.post(call(2), named)).sent?.slice(0, 3), "404");
});

Deno.test("HttpSession answers what waits when its host ends it", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const wire = await rig.post(call(1), named);
  assertEquals(rig.delete(named).sent, "200");
  assertEquals([wire.json.error.message, server.ended], ["the session was ended", "closed"]);
});

Deno.test("HttpSession answers what waits soon after its server closes its output", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const [wire, get] = [await rig.post(call(1), named), rig.get(named)];
  server.closesOutput();
  assertEquals((await rig.post(call(2), named)).sent?.slice(0, 3), "404", "nothing can answer");
  while (rig.timers.pending.includes(100)) await rig.timers.ring();
  const answered = wire.sent?.includes("the server has closed its output");
  assertEquals([answered, get.isClosed], [true, true]);
  await server.exits(0);
});

Deno.test("HttpSession names the status of a server that exits with its output", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const wire = await rig.post(call(1), named);
  server.closesOutput();
  await server.exits(7);
  while (rig.timers.pending.includes(100)) await rig.timers.ring();
  assertEquals(wire.json.error.message, "the server has exited with status 7");
});

/** Lines of a server, and the bytes that the host of request 1 gets. */
const UNCLEAN: readonly (readonly [string, string])[] = [
  [
    '{"jsonrpc":"2.0","id":1,"result":{"a":"\x97"}}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":"\ufffd"}}',
  ],
  ['\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ['{"jsonrpc":"2.0","id":1,"result":{"n":NaN}}', '{"jsonrpc":"2.0","id":1,"result":{"n":NaN}}'],
  [
    '{"jsonrpc":"2.0","id":1,"result":{',
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32603, message: "the server's answer is not JSON" },
    }),
  ],
];

for (const [line, expected] of UNCLEAN) {
  Deno.test(`HttpSession answers when its server writes ${JSON.stringify(line)}`, async () => {
    const rig = new ListenRig();
    const { server, named } = await rig.open();
    const wire = await rig.post(call(1), named);
    server.says(line);
    assertEquals(wire.sent, `200 ${expected}`);
  });
}

Deno.test("HttpSession says that a line without a request cannot be read", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const wire = await rig.post(call(1), named);
  server.says("", "banner");
  assertEquals(rig.said, ["a line of the server is not JSON; hosts over HTTP do not get it"]);
  assertEquals(wire.sent, undefined);
});
