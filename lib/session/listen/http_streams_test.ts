import { assertEquals } from "@std/assert";
import { turns } from "../../../tests/util/hand_timers.ts";
import { ListenRig } from "../../../tests/util/listen_rig.ts";

const call = (id: number | string, progressToken?: number | string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "t", ...(progressToken === undefined ? {} : { _meta: { progressToken } }) },
});
const result = (id: unknown) => ({ jsonrpc: "2.0", id, result: {} });
const text = (id: unknown) => JSON.stringify(result(id));
const note = (method: string, params = {}) => ({ jsonrpc: "2.0", method, params });
const progress = (progressToken: unknown) => note("notifications/progress", { progressToken });
const LOG = note("notifications/message", { data: "x" });
const CHANGED = note("notifications/tools/list_changed");

Deno.test("HttpStreams sends an answer to its own request, whatever the order", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const one = await rig.post(call(1), named);
  const two = await rig.post(call("1"), named);
  server.says(result("1"), result(1));
  assertEquals([one.sent, two.sent], [`200 ${text(1)}`, `200 ${text("1")}`]);
});

Deno.test("HttpStreams finds the request of a number that the server rounded", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const wire = await rig.post('{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}', named);
  server.says('{"jsonrpc":"2.0","id":9007199254740992,"result":{}}');
  assertEquals(wire.sent, '200 {"jsonrpc":"2.0","id":9007199254740992,"result":{}}');
});

Deno.test("HttpStreams drops answers that nobody waits for", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const wire = await rig.post(call(1), named);
  server.says(result(2), result(null), { jsonrpc: "2.0" });
  assertEquals(wire.sent, undefined);
});

Deno.test("HttpStreams sends progress with the request whose token it names", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open("2025-06-18");
  const one = await rig.post(call(1, "a"), named);
  const two = await rig.post(call(2, 7), named);
  server.says(progress(7), progress("a"));
  assertEquals([one.messages.length, two.messages.length], [1, 1]);
  assertEquals(two.messages[0], `1-1 ${JSON.stringify(progress(7))}`);
});

/** Where a message goes when so many requests wait, with and without a GET stream. */
const PLACES: readonly (readonly [string, object, number, boolean, "newest" | "get" | "queue"])[] =
  [
    ["a log message, one request", LOG, 1, true, "newest"],
    ["a log message, two requests", LOG, 2, true, "get"],
    ["a log message, two requests, no GET", LOG, 2, false, "newest"],
    ["a log message, no request", LOG, 0, true, "get"],
    [
      "a request of the server, one request",
      { ...LOG, id: 5, method: "roots/list" },
      1,
      true,
      "newest",
    ],
    ["a list change, one request", CHANGED, 1, true, "get"],
    ["a list change, one request, no GET", CHANGED, 1, false, "newest"],
    ["a list change, nothing open", CHANGED, 0, false, "queue"],
    ["progress of an unknown token, no request", progress("x"), 0, true, "get"],
  ];

for (const [name, message, requests, hasGet, place] of PLACES) {
  Deno.test(`HttpStreams: ${name}: ${place}`, async () => {
    const rig = new ListenRig();
    const { server, named } = await rig.open();
    const get = hasGet ? rig.get(named) : undefined;
    const wires = [];
    for (let id = 1; id <= requests; id++) wires.push(await rig.post(call(id), named));
    server.says(message);
    const count = (wire: { messages: string[] } | undefined) =>
      wire?.messages.filter((m) => m.endsWith(JSON.stringify(message))).length ?? 0;
    assertEquals(count(wires.at(-1)), place === "newest" ? 1 : 0);
    assertEquals(count(get), place === "get" ? 1 : 0);
    if (place !== "queue") return;
    assertEquals(count(rig.get(named)), 1, "the next GET stream gets what waited");
  });
}

Deno.test("HttpStreams queues 1,000 messages, then drops the oldest and says so", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  for (let n = 0; n <= 1000; n++) server.says(note(`n${n}`));
  assertEquals(rig.said, ["more than 1000 messages wait for a stream; the oldest is dropped"]);
  const { messages } = rig.get(named);
  assertEquals([messages.length, messages[0]?.includes('"n1"')], [1000, true]);
});

Deno.test("HttpStreams ends the old GET stream when the host opens another", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const [old, fresh] = [rig.get(named), rig.get(named)];
  server.says(CHANGED);
  assertEquals([old.isClosed, old.messages.length, fresh.messages.length], [true, 0, 1]);
});

Deno.test("HttpStreams begins a stream with an event to resume after, from 2025-11-25 on", async () => {
  for (const [version, begins] of [["2025-11-25", true], ["2025-06-18", false]] as const) {
    const rig = new ListenRig();
    const { named } = await rig.open(version);
    const first = begins ? "id: 1-0\nretry: 1000\ndata: \n\n" : "";
    assertEquals(rig.get(named).sent, first);
  }
});

Deno.test("HttpStreams resumes a request's stream after its last event, then goes on live", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const broken = await rig.post(call(1, "p"), named);
  server.says(progress("p"), progress("p"));
  broken.leave();
  server.says(progress("p"));
  const resumed = rig.get({ ...named, "last-event-id": "1-1" });
  server.says(result(1));
  const p = JSON.stringify(progress("p"));
  assertEquals(resumed.messages, [`1-2 ${p}`, `1-3 ${p}`, `1-4 ${text(1)}`]);
  assertEquals(resumed.isClosed, true);
});

Deno.test("HttpStreams gives a finished stream again, and ends it", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const broken = await rig.post(call(1, "p"), named);
  server.says(progress("p"));
  broken.leave();
  server.says(result(1));
  const resumed = rig.get({ ...named, "last-event-id": "1-1" });
  assertEquals([resumed.messages, resumed.isClosed], [[`1-2 ${text(1)}`], true]);
});

Deno.test("HttpStreams resumes a GET stream in place of the one before", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const get = rig.get(named);
  server.says(CHANGED, CHANGED);
  get.leave();
  const resumed = rig.get({ ...named, "last-event-id": "1-1" });
  server.says(LOG);
  assertEquals(resumed.messages, [
    `1-2 ${JSON.stringify(CHANGED)}`,
    `1-3 ${JSON.stringify(LOG)}`,
  ]);
});

Deno.test("HttpStreams answers a batch with one array, or with a stream once one has begun", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open("2025-03-26");
  const batch = await rig.post([call(1), call(2)], named);
  server.says(result(2), result(1));
  assertEquals(batch.sent, `200 [${text(2)},${text(1)}]`);
  const streamed = await rig.post([call(3), call(4)], named);
  server.says(result(4), LOG, result(3));
  assertEquals(streamed.messages.map((m) => m.slice(m.indexOf("{"))), [
    text(4),
    JSON.stringify(LOG),
    text(3),
  ]);
});

Deno.test("HttpStreams holds the server up while a host does not read, for 30 seconds at most", async () => {
  const rig = new ListenRig();
  const { server, named } = await rig.open();
  const get = rig.get(named);
  assertEquals(server.hooks.room(), undefined);
  get.isFull = true;
  let isRoom = false;
  server.hooks.room()?.then(() => isRoom = true);
  await turns();
  assertEquals([isRoom, rig.timers.pending.includes(30_000)], [false, true]);
  get.read();
  await turns();
  assertEquals([isRoom, rig.timers.pending.includes(30_000)], [true, false]);
  get.isFull = true;
  server.hooks.room()?.then(() => isRoom = true);
  while (!get.isClosed) await rig.timers.ring();
});
