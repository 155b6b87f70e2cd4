import { assertEquals } from "@std/assert";
import { turns } from "../../../tests/util/hand_timers.ts";
import {
  bare,
  json,
  result,
  type Scripted,
  type ScriptedEvent,
  stream,
  UpstreamRig,
} from "../../../tests/util/upstream_rig.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } };
const NOTE = { jsonrpc: "2.0", method: "notifications/x" };
const OK = `host < ${JSON.stringify(result(1))}`;
const fault = (message: string) =>
  `host < ${JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32603, message } })}`;

/** What the host gets of one call that is answered so. */
async function outcome(...responses: readonly Scripted[]): Promise<string[]> {
  const left = [...responses];
  const rig = new UpstreamRig(() => left.shift());
  await rig.host(CALL);
  for (let i = 0; i < 12 && rig.timers.pending.length > 0; i++) await rig.timers.ring();
  return rig.news().filter((line) => line.startsWith("host"));
}

const ROWS: readonly (readonly [string, readonly Scripted[], readonly string[]])[] = [
  ["a body with the answer", [json(result(1))], [OK]],
  ["an answer in a body of 4xx", [json(result(1), { status: 400 })], [OK]],
  ["an event stream with the answer", [stream([{ data: result(1) }])], [OK]],
  ["an answer, then an endless stream", [stream([{ data: result(1) }], "stays")], [OK]],
  ["messages before the answer", [stream([{ data: NOTE }, { data: result(1) }])], [
    `host < ${JSON.stringify(NOTE)}`,
    OK,
  ]],
  ["events of another type", [stream([{ data: NOTE, type: "ping" }, { data: result(1) }])], [OK]],
  ["two answers", [stream([{ data: result(1) }, { data: result(1, { n: 2 }) }])], [OK]],
  ["no connection", ["cannot reach the upstream: no"], [fault("cannot reach the upstream: no")]],
  ["202", [bare(202)], [fault("the upstream answered with HTTP 202 and no JSON-RPC message")]],
  ["a page", [bare(200, "text/html")], [
    fault("the upstream answered with HTTP 200 and no JSON-RPC message"),
  ]],
  ["a refusal", [bare(403)], [fault("the upstream refused the request: HTTP 403")]],
  ["a refusal with words", [
    json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "go away" } }, {
      status: 403,
    }),
  ], [fault("the upstream refused the request: HTTP 403 (-32000: go away)")]],
  ["the answer to another request", [json(result(2))], [
    fault("the upstream's answer is not the answer to this request"),
  ]],
  ["bytes that are not UTF-8", [json('{"jsonrpc":"2.0","id":1,"result":{"a":"\x97"}}')], [
    'host < {"jsonrpc":"2.0","id":1,"result":{"a":"\ufffd"}}',
  ]],
  ["a body that is not JSON", [json('{"id":1,')], [fault("the upstream's answer is not JSON")]],
  ["a body that was cut off", [{ ...json(""), body: () => Promise.resolve(undefined) }], [
    fault("the upstream's answer was cut off"),
  ]],
  ["an empty body", [json(" \r\n")], [
    fault("the upstream answered with HTTP 200 and no JSON-RPC message"),
  ]],
  ["an event that is not JSON", [stream([{ data: '{"id":1,"result":' }], "stays")], [
    fault("the upstream's answer is not JSON"),
  ]],
  ["an event that is not JSON, then the answer", [stream([{ data: "?" }, { data: result(1) }])], [
    OK,
  ]],
  ["an empty stream", [stream([])], [
    fault("the upstream's event stream ended without the answer"),
  ]],
  ["a stream that breaks without an id", [stream([{ data: NOTE }], "breaks")], [
    `host < ${JSON.stringify(NOTE)}`,
    fault("the upstream's event stream ended without the answer"),
  ]],
  ["a stream that breaks and is resumed", [
    stream([{ id: "e1", data: NOTE }], "breaks"),
    stream([{ id: "e2", data: result(1) }]),
  ], [`host < ${JSON.stringify(NOTE)}`, OK]],
  ["a resumption that is refused", [stream([{ id: "e1" }]), bare(404)], [
    fault("the upstream's event stream ended without the answer"),
  ]],
  ["a resumption that succeeds at the third try", [
    stream([{ id: "e1" }]),
    bare(503),
    "cannot reach the upstream: no",
    stream([{ data: result(1) }]),
  ], [OK]],
];

for (const [name, responses, expected] of ROWS) {
  Deno.test(`UpstreamPost with ${name}`, async () => {
    assertEquals(await outcome(...responses), [...expected]);
  });
}

Deno.test("UpstreamPost resumes after the last event, as soon as the server asks", async () => {
  const rig = new UpstreamRig(({ verb }) =>
    verb === "GET"
      ? stream([{ data: result(1) }])
      : stream([{ id: "a" }, { id: "b", retryMs: 70, data: NOTE }])
  );
  await rig.host(CALL);
  assertEquals(rig.timers.pending, [70]);
  await rig.timers.ring();
  assertEquals(rig.sent.map(({ verb, headers }) => [verb, headers]), [
    ["POST", {}],
    ["GET", { "last-event-id": "b" }],
  ]);
});

Deno.test("UpstreamPost gives up after 8 resumptions in a row without progress", async () => {
  const again: readonly ScriptedEvent[] = [{ id: "same" }];
  const rig = new UpstreamRig(() => stream(again));
  await rig.host(CALL);
  const waits: (number | undefined)[] = [];
  while (rig.timers.pending.length > 0) waits.push(await rig.timers.ring());
  assertEquals(waits, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  assertEquals(rig.news().at(-1), fault("the upstream's event stream ended without the answer"));
});

Deno.test("UpstreamPost in the modern era is lost with its stream, without a wait", async () => {
  const meta = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
  const rig = new UpstreamRig(({ message }) =>
    message?.method === "tools/list" ? json(result(message.id, {})) : stream([{ id: "e" }])
  );
  await rig.host({ ...CALL, params: { name: "t", ...meta } });
  assertEquals(rig.timers.pending, []);
  assertEquals(rig.news().at(-1), fault("the upstream's event stream ended without the answer"));
});

Deno.test("UpstreamPost of a batch gives each request its answer", async () => {
  const rig = new UpstreamRig(() => json([result(1), result(2)]));
  const news = await rig.host([CALL, { ...CALL, id: 2 }, { ...CALL, id: 3 }]);
  assertEquals(news.filter((line) => line.startsWith("host")), [
    `host < ${JSON.stringify([result(1), result(2)])}`,
    fault("the upstream's answer is not the answer to this request").replace('"id":1', '"id":3'),
  ]);
});

Deno.test("UpstreamPost of a notification is accepted before its response ends", async () => {
  const rig = new UpstreamRig(({ message }) =>
    message?.id === undefined ? stream([], "stays") : json(result(message.id))
  );
  await rig.host({ jsonrpc: "2.0", method: "notifications/initialized" }, CALL);
  await turns();
  assertEquals(rig.news().at(-1), OK, "the next line is not held");
});

Deno.test("UpstreamPost takes an empty answer to a notification for acceptance", async () => {
  const answers = [
    json(""),
    json("null"),
    stream([]),
    bare(202),
    bare(204),
    bare(200, "text/html"),
  ];
  const rig = new UpstreamRig(() => answers.shift());
  while (answers.length > 0) await rig.host({ jsonrpc: "2.0", method: "notifications/x" });
  assertEquals(rig.news().filter((line) => !line.startsWith("POST")), []);
});
