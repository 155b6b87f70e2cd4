import { assertEquals } from "@std/assert";
import { ChainRig, settled, TOOLS } from "../../../tests/util/chain_rig.ts";

const EMAIL = { email: "lea@post.example" };
const SENDER = 'get_sender {"sender_id":"S-20"}';
const P7 = 'get_parcel {"parcel_id":"P-7"}';
const P8 = 'get_parcel {"parcel_id":"P-8"}';

// deno-lint-ignore no-explicit-any
type Json = any;

const cancel = (requestId: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

Deno.test("own requests keep away from a host that counts the same way", async () => {
  const rig = new ChainRig();
  rig.call("hoist-1", "find_sender", EMAIL);
  assertEquals((await rig.next()).id, "hoist-1000002");
  rig.fromServer({ jsonrpc: "2.0", id: "hoist-1000002", result: { tools: TOOLS } });
  rig.answer("hoist-1", "S-20");
  assertEquals((await rig.serve()).map(({ id }) => id), [3, 4, 5].map((n) => `hoist-100000${n}`));
  assertEquals(rig.host.length, 1);
  assertEquals(JSON.parse(rig.host[0] ?? "").id, "hoist-1");
});

Deno.test("a host's request waits while one of ours has its id", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  assertEquals((await rig.next()).id, "hoist-1");
  rig.call("hoist-1", "get_sender", { sender_id: "S-5" });
  rig.fromHost({ jsonrpc: "2.0", id: 2, method: "ping" });
  await settled();
  assertEquals(rig.server.map((line) => JSON.parse(line).id), [1, 2]);
  rig.fromServer({ jsonrpc: "2.0", id: "hoist-1", result: { tools: [] } });
  await settled();
  assertEquals(rig.server.map((line) => JSON.parse(line).id), [1, 2, "hoist-1"]);
  rig.answer("hoist-1", "hers");
  await settled();
  assertEquals(rig.host.map((line) => JSON.parse(line).id), [1, "hoist-1"]);
});

Deno.test("a host's request that waits for its id can be given up", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL);
  await settled();
  rig.call("hoist-1", "get_sender", { sender_id: "S-5" });
  rig.fromHost(cancel("hoist-1"));
  await rig.serve();
  assertEquals(rig.server.map((line) => JSON.parse(line).id), [1]);
});

Deno.test("own requests get only their own answers, however often they come", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL);
  await rig.serve();
  rig.answer(1, "S-20");
  const { id } = await rig.next();
  const other = { jsonrpc: "2.0", id: "hoist-99", result: {} };
  rig.fromServer(other);
  assertEquals(rig.host.splice(0), [JSON.stringify(other)], "not ours, so it passes");
  rig.answer(id, '{"sender_id":"S-20","parcels":[]}');
  rig.answer(id, '{"sender_id":"S-20","parcels":["P-666"]}');
  assertEquals(await rig.lookups(), []);
  rig.answer(id, "again");
  assertEquals(rig.host.length, 1);
});

Deno.test("an answer of ours in a batch is taken out of it", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL);
  const { id } = await rig.next();
  const list = `{"jsonrpc":"2.0","id":"${id}","result":{"tools":[]}}`;
  rig.fromServer(`[ {"id":5,"result":{ }} , ${list}, {"id":6,"result":{"x":1.00}} ]`);
  rig.fromServer(`[${list}]`);
  assertEquals(rig.host, ['[ {"id":5,"result":{ }},{"id":6,"result":{"x":1.00}} ]']);
});

Deno.test("after the end nothing is asked", async () => {
  const rig = new ChainRig();
  await rig.session.close();
  rig.call(1, "find_sender", EMAIL);
  await settled();
  assertEquals(rig.own, []);
  assertEquals(rig.timers, 0);
});

Deno.test("own calls carry no progress token of the host, and nothing else of its message", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL, { _meta: { progressToken: "t", x: 1 }, task: {} });
  const [list] = await rig.serve();
  rig.answer(1, "S-20");
  const { params } = await rig.next();
  assertEquals(list.params, {});
  assertEquals(params, { name: "get_sender", arguments: { sender_id: "S-20" } });
});

Deno.test("own calls of the modern era say their version and that they can give no input", async () => {
  const rig = new ChainRig();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-11-30",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    progressToken: 1,
  };
  rig.call(1, "find_sender", EMAIL, { _meta });
  const [list] = await rig.serve();
  rig.answer(1, "S-20", { resultType: "complete" });
  const lookups = await rig.serve();
  for (const { params } of [list, ...lookups]) {
    const { "io.modelcontextprotocol/clientInfo": info, ...rest } = params._meta;
    assertEquals(info.name, "hoist-mcp");
    assertEquals(rest, {
      "io.modelcontextprotocol/protocolVersion": "2026-11-30",
      "io.modelcontextprotocol/clientCapabilities": {},
    });
  }
  assertEquals(JSON.parse(rig.host[0] ?? "").result.resultType, "complete");
});

/** What came of one call, for a server that lists this. */
async function withTools(
  tools: readonly Json[],
  ...args: ConstructorParameters<typeof ChainRig>
): Promise<{ rig: ChainRig; lookups: string[]; withheld: string | undefined }> {
  const rig = new ChainRig(...args);
  rig.tools = tools;
  const lookups = await rig.turn(1, "find_sender", EMAIL);
  return { rig, lookups, withheld: rig.flowLog.find((l) => l.withheld)?.withheld };
}

const changed = (name: string, change: Json) =>
  TOOLS.map((tool) => tool.name === name ? { ...tool, ...change } : tool);

for (
  const [why, tools, reason] of [
    [
      "that is not listed",
      TOOLS.filter(({ name }) => name !== "get_sender"),
      "the server lists no such tool",
    ],
    [
      "that is marked as writing",
      changed("get_sender", { annotations: { readOnlyHint: false } }),
      "the server marks it as writing",
    ],
    [
      "whose contract changed",
      changed("get_sender", { inputSchema: { properties: { id: { type: "number" } } } }),
      "its input contract changed: (sender_id:string!) was learned, (id:number) is listed",
    ],
  ] as const
) {
  Deno.test(`a flow looks nothing up with a tool ${why}`, async () => {
    const { PARCELS } = await import("../../../tests/util/chain_rig.ts");
    const flow = { ...PARCELS, contracts: { get_sender: "sender_id:string!" } };
    const { rig, lookups, withheld } = await withTools(tools, { flow });
    assertEquals([lookups, withheld], [[], reason]);
    assertEquals(rig.texts(), ["S-20"]);
    await rig.turn(2, "find_sender", { email: "b" });
    assertEquals(rig.said, [`the flow may not look up get_sender: ${reason}`], "once");
    assertEquals(rig.flowLog.filter((line) => line.withheld).length, 2);
    assertEquals(rig.flowLog.at(-1).run.sites, [["decide#0", 0, 0]]);
  });
}

Deno.test("a flow looks up with a tool that has no annotations", async () => {
  const { lookups } = await withTools(TOOLS.map(({ annotations: _, ...tool }) => tool));
  assertEquals(lookups, [SENDER, P7, P8]);
});

Deno.test("--flow-tools names the only tools that are looked up with", async () => {
  const { lookups, withheld } = await withTools(TOOLS, { tools: new Set(["get_sender"]) });
  assertEquals([lookups, withheld], [[SENDER], "it is not in --flow-tools"]);
});

Deno.test("the host's own list is enough, page by page", async () => {
  const rig = new ChainRig();
  const page = (id: number, cursor?: string) =>
    rig.fromHost({ jsonrpc: "2.0", id, method: "tools/list", params: cursor ? { cursor } : {} });
  page(1);
  rig.fromServer({ jsonrpc: "2.0", id: 1, result: { tools: TOOLS.slice(0, 2), nextCursor: "c" } });
  page(2, "c");
  rig.fromServer({ jsonrpc: "2.0", id: 2, result: { tools: TOOLS.slice(2) } });
  rig.call(3, "find_sender", EMAIL);
  rig.answer(3, "S-20");
  assertEquals((await rig.serve()).map(({ method }) => method), Array(3).fill("tools/call"));
});

Deno.test("the proxy asks for all pages itself, and a result waits for them", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  const first = await rig.next();
  assertEquals(first.params, {});
  rig.fromServer({
    jsonrpc: "2.0",
    id: first.id,
    result: { tools: TOOLS.slice(0, 2), nextCursor: "c" },
  });
  const second = await rig.next();
  assertEquals(second.params, { cursor: "c" });
  rig.fromServer({ jsonrpc: "2.0", id: second.id, result: { tools: TOOLS.slice(2) } });
  assertEquals(await rig.lookups(), [SENDER, P7, P8]);
});

Deno.test("a list that changed is asked for again", async () => {
  const rig = new ChainRig();
  await rig.turn(1, "find_sender", EMAIL);
  rig.fromServer({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  rig.tools = changed("get_sender", { annotations: { readOnlyHint: false } });
  assertEquals(await rig.turn(2, "find_sender", { email: "b" }), []);
  assertEquals(rig.said, ["the flow may not look up get_sender: the server marks it as writing"]);
});

Deno.test("pages of a list that changed between them are not taken for one", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL);
  const first = await rig.next();
  rig.fromServer({
    jsonrpc: "2.0",
    id: first.id,
    result: { tools: TOOLS.slice(0, 2), nextCursor: "c" },
  });
  const second = await rig.next();
  rig.fromServer({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  rig.fromServer({ jsonrpc: "2.0", id: second.id, result: { tools: TOOLS.slice(2) } });
  rig.answer(1, "S-20");
  const { method, params } = await rig.next();
  assertEquals([method, params], ["tools/list", {}]);
});

Deno.test("a server that gives no list costs the first result its patience, no other", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  await rig.tick(9_999);
  assertEquals(rig.host.length, 0);
  await rig.tick(1);
  assertEquals(rig.texts(), ["S-20"]);
  assertEquals(rig.said, [
    "the flow may not look up get_sender: the server has not listed its tools",
  ]);
  rig.call(2, "find_sender", { email: "b" });
  rig.answer(2, "S-21");
  await settled();
  assertEquals(rig.host.length, 2, "the second waits for nothing");
  rig.own.length = 0;
  await rig.tick(10_000);
  // The server comes to it after all.
  assertEquals(await rig.turn(3, "find_sender", EMAIL), [SENDER, P7, P8]);
});

Deno.test("a run ends in its time though the server's list never does", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  for (let i = 0; i < 4; i++) {
    const { id } = await rig.next();
    await rig.tick(6_000);
    rig.fromServer({ jsonrpc: "2.0", id, result: { tools: [], nextCursor: `c${i}` } });
  }
  await settled();
  assertEquals(rig.texts(), ["S-20"]);
  assertEquals(rig.flowLog[0].withheld, "the server has not listed its tools");
});

for (const next of ["again", ""]) {
  Deno.test(`a list ends where its cursor is "${next}" after one that came before`, async () => {
    const rig = new ChainRig();
    rig.call(1, "find_sender", EMAIL);
    for (const cursor of next === "" ? [undefined] : [undefined, "again"]) {
      const { id, params } = await rig.next();
      assertEquals(params.cursor, cursor);
      const tools = cursor === undefined ? TOOLS : [];
      rig.fromServer({ jsonrpc: "2.0", id, result: { tools, nextCursor: next } });
    }
    rig.answer(1, "S-20");
    assertEquals(await rig.lookups(), [SENDER, P7, P8]);
  });
}

Deno.test("a tool that is no longer marked as only reading is not looked up", async () => {
  const rig = new ChainRig();
  assertEquals(await rig.turn(1, "find_sender", EMAIL), [SENDER, P7, P8]);
  rig.tools = changed("get_sender", { annotations: {} });
  rig.fromServer({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  assertEquals(await rig.turn(2, "find_sender", { email: "b" }), []);
  assertEquals(
    rig.flowLog.find((line) => line.withheld)?.withheld,
    "the server no longer marks it as only reading",
  );
});

Deno.test("the flow log says why a lookup has no answer, and no turn counts as saved", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", EMAIL);
  await rig.serve();
  rig.answer(1, "S-20");
  await rig.next();
  await rig.tick(10_000);
  assertEquals(rig.flowLog[0]?.failed, "no answer within 10000 ms");
  assertEquals(rig.summary()?.endsWith("about 0 of the agent's turns likely saved"), true);
});
