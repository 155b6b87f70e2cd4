import { assertEquals } from "@std/assert";
import { appendix, ChainRig, parcelsAnswer, settled } from "../../../tests/util/chain_rig.ts";

const EMAIL = { email: "lea@post.example" };
const SENDER = 'get_sender {"sender_id":"S-20"}';
const P7 = 'get_parcel {"parcel_id":"P-7"}';
const P8 = 'get_parcel {"parcel_id":"P-8"}';

/** Ids of the host's results, in the order they went out. */
function ids(rig: ChainRig): unknown[] {
  return rig.host.map((line) => JSON.parse(line).id);
}

/** A rig whose server has listed its tools. */
async function listed(...args: ConstructorParameters<typeof ChainRig>): Promise<ChainRig> {
  const rig = new ChainRig(...args);
  rig.fromHost({ jsonrpc: "2.0", id: "list", method: "tools/list" });
  rig.fromServer({ jsonrpc: "2.0", id: "list", result: { tools: rig.tools } });
  await settled();
  rig.host.length = 0;
  rig.server.length = 0;
  return rig;
}

Deno.test("FlowTurns holds only a turn's last result, and appends for all of it", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", { email: "a" });
  rig.call(2, "find_sender", { email: "b" });
  rig.answer(2, "S-21");
  assertEquals(ids(rig), [2], "the first waits for no other call");
  rig.answer(1, "S-20");
  assertEquals(ids(rig), [2]);
  assertEquals(rig.session.holds("1"), true);
  const lookups = await rig.lookups((tool, args) =>
    tool === "get_sender" && args.sender_id === "S-21"
      ? '{"sender_id":"S-21","parcels":["P-9"]}'
      : parcelsAnswer(tool, args)
  );
  assertEquals(
    lookups,
    [
      'get_sender {"sender_id":"S-20"}',
      P7,
      P8,
      'get_sender {"sender_id":"S-21"}',
      'get_parcel {"parcel_id":"P-9"}',
    ].toSorted((a, b) => lookups.indexOf(a) - lookups.indexOf(b)),
  );
  assertEquals(ids(rig), [2, 1]);
  assertEquals(rig.flowLog.map(({ after }) => after).filter((a, i, all) => a !== all[i - 1]), [
    2,
    1,
  ]);
  assertEquals(rig.texts().length, 2);
});

Deno.test("FlowTurns shares what may be looked up behind a call among a turn's runs", async () => {
  const rig = await listed({ limits: { threshold: 0.3, perCall: 2 } });
  rig.call(1, "find_sender", EMAIL);
  rig.call(2, "get_parcel", { parcel_id: "P-1" });
  rig.answer(2, '{"parcel_id":"P-1"}');
  rig.answer(1, "S-20");
  assertEquals(await rig.lookups(), [SENDER, P7]);
  assertEquals(rig.flowLog.filter(({ run }) => run).map(({ run }) => run.max_lookups), [2, 2]);
});

Deno.test("FlowTurns hands on results that come during a run, and runs behind them too", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  const sender = await rig.next();
  rig.call(2, "find_sender", { email: "b" });
  rig.answer(2, "S-21");
  assertEquals(ids(rig), [2]);
  rig.answer(sender.id, '{"sender_id":"S-20","parcels":[]}');
  const lookups = await rig.lookups();
  assertEquals(lookups[0], 'get_sender {"sender_id":"S-21"}');
  assertEquals(ids(rig), [2, 1]);
});

Deno.test("FlowTurns does not let a held result wait for a call that was made meanwhile", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  await settled();
  rig.call(2, "hold_parcel", { parcel_id: "P-7", reason: "x" });
  assertEquals(await rig.lookups(), [SENDER, P7, P8]);
  assertEquals(ids(rig), [1]);
});

for (const isShadow of [false, true]) {
  const how = isShadow ? "in shadow" : "behind which the flow hands back at once";
  Deno.test(`a result ${how} keeps its place among the server's lines`, async () => {
    const rig = await listed({ isShadow });
    const note = { jsonrpc: "2.0", method: "notifications/message", params: {} };
    rig.call(1, isShadow ? "find_sender" : "hold_parcel", EMAIL);
    rig.answer(1, "S-20");
    rig.fromServer(note);
    assertEquals(rig.host.length, 2);
    assertEquals(rig.host[1], JSON.stringify(note));
    assertEquals(rig.flowLog.length, 2);
  });
}

Deno.test("a call unanswered ten seconds after the others leaves its turn", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.call(2, "get_parcel", { parcel_id: "P-1" });
  rig.answer(1, "S-20");
  await rig.tick(10_000);
  rig.answer(2, '{"parcel_id":"P-1"}');
  assertEquals(await rig.lookups(), [], "what was queued is dropped");
  assertEquals(ids(rig), [1, 2]);
  assertEquals(await rig.turn(3, "find_sender", EMAIL), [SENDER, P7, P8]);
  assertEquals(rig.timers, 0);
});

Deno.test("a call unanswered just less than ten seconds is waited for", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.call(2, "get_parcel", { parcel_id: "P-1" });
  rig.answer(1, "S-20");
  await rig.tick(9_999);
  rig.answer(2, '{"parcel_id":"P-1"}');
  assertEquals((await rig.lookups())[0], SENDER);
});

Deno.test("a cancelled call leaves its turn, with what was queued", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.call(2, "get_parcel", { parcel_id: "P-1" });
  rig.answer(1, "S-20");
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
  rig.fromHost(cancel);
  assertEquals(JSON.parse(rig.server.at(-1) ?? ""), cancel, "the server hears of it");
  rig.answer(2, "late");
  assertEquals(await rig.lookups(), []);
  assertEquals(ids(rig), [1, 2], "an answer that comes all the same passes");
  assertEquals(await rig.turn(3, "find_sender", EMAIL), [SENDER, P7, P8]);
});

Deno.test("cancelling the held call cancels its run, and nothing of it goes out", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  const sender = await rig.next();
  rig.fromHost({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  assertEquals((await rig.next()).params.requestId, sender.id);
  assertEquals(JSON.parse(rig.server.at(-1) ?? "").params.requestId, 1);
  rig.answer(sender.id, '{"sender_id":"S-20","parcels":["P-7"]}');
  assertEquals(await rig.lookups(), []);
  assertEquals(rig.host, []);
  assertEquals(rig.session.holds("1"), false);
  assertEquals(rig.timers, 0);
  assertEquals((await rig.turn(2, "get_sender", { sender_id: "S-3" }))[0], P7, "the next one runs");
});

Deno.test("what came during a cancelled run is dropped with it", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  await rig.next();
  rig.call(2, "find_sender", { email: "b" });
  rig.answer(2, "S-21");
  rig.fromHost({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await settled();
  assertEquals(await rig.turn(3, "get_parcel", { parcel_id: "P-1" }), []);
  assertEquals(ids(rig), [2, 3]);
});

Deno.test("a lookup without an answer costs its time, then the result goes out", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  const sender = await rig.next();
  await rig.tick(9_999);
  assertEquals(rig.host, []);
  await rig.tick(1);
  assertEquals(rig.texts(), ["S-20"]);
  assertEquals((await rig.next()).params, { requestId: sender.id, reason: "it took too long" });
  assertEquals(rig.flowLog.at(-1).run.sites[1].slice(0, 2), ["outcome#0", false]);
  // Late, and twice: nobody gets it.
  rig.answer(sender.id, "late");
  rig.answer(sender.id, "late");
  await settled();
  assertEquals(rig.host.length, 1);
  await rig.session.close();
  assertEquals(
    rig.summary(),
    "flow: 1 lookup, 1 failed, 10000 ms added, about 0 of the agent's turns likely saved",
  );
});

Deno.test("a run takes twenty seconds at most, whatever comes meanwhile", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  const answers = async (after: number) => {
    const { id, params } = await rig.next();
    await rig.tick(after);
    rig.answer(id, parcelsAnswer(params.name, params.arguments));
    await settled();
  };
  await answers(9_000);
  await answers(9_000);
  rig.call(2, "find_sender", { email: "b" });
  rig.answer(2, "S-21");
  rig.host.length = 0;
  await rig.tick(1_999);
  assertEquals(rig.host, []);
  await rig.tick(1);
  assertEquals(rig.texts(), [
    "S-20",
    appendix(
      [SENDER, '{"sender_id":"S-20","parcels":["P-7","P-8"]}'],
      [P7, '{"parcel_id":"P-7","status":"held"}'],
    ),
  ]);
  assertEquals(rig.timers, 0);
});

Deno.test("a failed lookup is logged and left out of what is appended", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  rig.answer((await rig.next()).id, '{"sender_id":"S-20","parcels":["P-7"]}');
  rig.answer((await rig.next()).id, "Error: no such parcel", { isError: true });
  assertEquals(await rig.lookups(), []);
  assertEquals(rig.texts(), [
    "S-20",
    appendix([SENDER, '{"sender_id":"S-20","parcels":["P-7"]}']),
  ]);
  assertEquals(rig.flowLog.at(-2).reason, "no lookups followed here in training");
});

Deno.test("a lookup's JSON-RPC error is a failure like any other", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  const { id } = await rig.next();
  rig.fromServer({ jsonrpc: "2.0", id, error: { code: -32603, message: "down" } });
  await settled();
  assertEquals(rig.texts(), ["S-20"]);
});

Deno.test("a lookup of five megabytes is appended whole where the budget has room", async () => {
  const rig = await listed({ budget: 6_000_000 });
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  const big = "x".repeat(5_000_000);
  rig.answer((await rig.next()).id, big);
  assertEquals(await rig.lookups(), []);
  assertEquals(rig.texts()[1], appendix([SENDER, big]));
});

Deno.test("a lookup that no budget has room for is left out, and not counted as saved", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  rig.answer((await rig.next()).id, "x".repeat(10_000));
  assertEquals(await rig.lookups(), []);
  assertEquals(rig.texts(), ["S-20"]);
  await rig.session.close();
  assertEquals(
    rig.summary(),
    "flow: 1 lookup, 0 failed, 1 left out as too long, 0 ms added, " +
      "about 0 of the agent's turns likely saved",
  );
  assertEquals(rig.flowLog.at(-1), {
    after: 1,
    left_out: [{ arguments: { sender_id: "S-20" }, tool: "get_sender" }],
  });
});

Deno.test("no result is held for longer than hosts wait, counted from the agent's request", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  await settled();
  await rig.tick(24_000);
  rig.answer(1, "S-20");
  await rig.next();
  await rig.tick(999);
  assertEquals(rig.host, []);
  await rig.tick(1);
  assertEquals(rig.texts(), ["S-20"]);
  assertEquals(rig.timers, 0);
});

Deno.test("the server's end lets go of what is held", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  const { id } = await rig.next();
  rig.answer(id, '{"sender_id":"S-20","parcels":["P-7"]}');
  await rig.next();
  await rig.session.close();
  assertEquals(rig.texts(), ["S-20", appendix([SENDER, '{"sender_id":"S-20","parcels":["P-7"]}'])]);
  assertEquals(rig.timers, 0);
  rig.call(2, "find_sender", EMAIL);
  rig.answer(2, "S-21");
  assertEquals(ids(rig), [1, 2], "afterwards all passes");
});

Deno.test("the other messages of a batch are looked at whatever is held of it", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  rig.call(2, "get_parcel", { parcel_id: "P-1" });
  const result = (text: string) => ({ content: [{ type: "text", text }] });
  rig.fromServer([
    { jsonrpc: "2.0", id: 1, result: result("S-20") },
    { jsonrpc: "2.0", id: 2, result: result('{"parcel_id":"P-1"}') },
    { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
  ]);
  const [list] = await rig.serve();
  assertEquals(list.method, "tools/list");
  const [one, two] = JSON.parse(rig.host[0] ?? "");
  assertEquals(one.result.content.length, 1);
  assertEquals(two.result.content.length, 2);
});

Deno.test("a call that asks for input is over, and goes on when the host brings it", async () => {
  const rig = await listed();
  rig.call(1, "find_sender", EMAIL);
  const asks = {
    jsonrpc: "2.0",
    id: 1,
    result: { resultType: "input_required", requestState: "s1", inputRequests: {} },
  };
  rig.fromServer(asks);
  assertEquals(rig.host.splice(0), [JSON.stringify(asks)]);
  // Another call meanwhile stands in no turn with it.
  assertEquals(await rig.turn(2, "get_parcel", { parcel_id: "P-1" }), []);
  rig.call(3, "find_sender", EMAIL, { requestState: "s1", inputResponses: {} });
  rig.answer(3, "S-20", { resultType: "complete" });
  assertEquals(await rig.lookups(), [SENDER, P7, P8]);
  assertEquals(rig.flowLog.at(-1).after, 3);
});
