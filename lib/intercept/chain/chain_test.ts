import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { appendix, bytesOf, ChainRig, settled } from "../../../tests/util/chain_rig.ts";

const EMAIL = { email: "lea@post.example" };
const SENDER = 'get_sender {"sender_id":"S-20"}';
const P7 = 'get_parcel {"parcel_id":"P-7"}';
const P8 = 'get_parcel {"parcel_id":"P-8"}';
const WHOLE = appendix(
  [SENDER, '{"sender_id":"S-20","parcels":["P-7","P-8"]}'],
  [P7, '{"parcel_id":"P-7","status":"held"}'],
  [P8, '{"parcel_id":"P-8","status":"held"}'],
);

Deno.test("Chain appends what the agent would look up, in the seed's words", async () => {
  const rig = new ChainRig();
  assertEquals(await rig.turn(7, "find_sender", EMAIL), [SENDER, P7, P8]);
  assertEquals(rig.texts(), [
    "S-20",
    "\n--- Also looked up automatically (current results; no need to repeat these calls) ---\n\n" +
    'get_sender {"sender_id":"S-20"}:\n{"sender_id":"S-20","parcels":["P-7","P-8"]}\n\n' +
    'get_parcel {"parcel_id":"P-7"}:\n{"parcel_id":"P-7","status":"held"}\n\n' +
    'get_parcel {"parcel_id":"P-8"}:\n{"parcel_id":"P-8","status":"held"}',
  ]);
  assertEquals(rig.host.length, 1);
  assertEquals(rig.said, []);
  await rig.session.close();
  assertEquals(rig.timers, 0);
  assertEquals(
    rig.summary(),
    "flow: 3 lookups, 0 failed, 0 ms added, about 2 of the agent's turns likely saved",
  );
});

Deno.test("Chain records the server's answer before its own", async () => {
  const rig = new ChainRig();
  await rig.turn(7, "find_sender", EMAIL);
  assertEquals(
    rig.log.map(([from, line]) => {
      const { id, method } = JSON.parse(line);
      return `${from} ${id} ${method ?? "answer"}`;
    }),
    [
      "client 7 tools/call",
      "proxy hoist-1 tools/list",
      "server hoist-1 answer",
      "server 7 answer",
      "proxy hoist-2 tools/call",
      "server hoist-2 answer",
      "proxy hoist-3 tools/call",
      "server hoist-3 answer",
      "proxy hoist-4 tools/call",
      "server hoist-4 answer",
      "proxy 7 answer",
    ],
  );
});

Deno.test("Chain logs each decision, then the run", async () => {
  const rig = new ChainRig();
  await rig.turn("a\u00e9", "find_sender", EMAIL);
  assertEquals(
    rig.flowLog.map(({ after, address, tool, reason, run }) =>
      `${after} ${address ?? run.sites.length} ${tool ?? reason ?? run.call}`
    ),
    [
      "aé decide#0 get_sender",
      "aé decide#1 get_parcel",
      "aé decide#2 get_parcel",
      "aé decide#3 get_parcel at 0.09, below 0.3",
      "aé 7 find_sender",
    ],
  );
});

/** Results in the server's own spelling; `¦` is where the item goes, `,` before it if need be. */
const SPELLINGS: readonly (readonly [why: string, line: string])[] = [
  [
    "odd spacing",
    ' { "jsonrpc" : "2.0",\t"id":7 , "result" : { "content" : [ {"type":"text","text":"S-20"}¦, ] } } ',
  ],
  [
    "numbers, escapes, unknown fields",
    '{"result":{"_meta":{"n":12345678901234567890,"x":1.0e5},"content":' +
    '[{"text":"S\\u002d20","type":"text","annotations":{"priority":0.10}}¦,],' +
    '"isError":false,"later":null},' +
    '"id":7,"jsonrpc":"2.0","vendor":"\\ud83d\\ude00 é"}',
  ],
  [
    "a carriage return",
    '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"S-20"}¦,]}}\r',
  ],
  [
    "two lists of content",
    '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"no"}],' +
    '"content":[{"type":"text","text":"S-20"}¦,]}}',
  ],
  [
    "an escaped key",
    '{"jsonrpc":"2.0","id":7,"result":{"cont\\u0065nt":[{"type":"text","text":"S-20"}¦, ]}}',
  ],
  [
    "a result type",
    '{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"S-20"}¦,],"ttlMs":5}}',
  ],
  [
    "a batch",
    '[ {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}} , ' +
    '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"S-20"}¦,]}} ]',
  ],
];

for (const [why, pattern] of SPELLINGS) {
  Deno.test(`Chain leaves every byte outside its item: ${why}`, async () => {
    const rig = new ChainRig();
    rig.call(7, "find_sender", EMAIL);
    await rig.serve();
    const item = JSON.stringify({ type: "text", text: WHOLE });
    rig.fromServer(pattern.replace("¦,", "").replace("¦", ""));
    assertEquals(await rig.lookups(), [SENDER, P7, P8]);
    assertEquals(rig.host, [pattern.replace("¦,", `,${item}`).replace("¦", item)]);
  });
}

Deno.test("Chain sets structured content aside that hosts would show instead", async () => {
  const rig = new ChainRig();
  rig.call(7, "find_sender", EMAIL);
  await rig.serve();
  const line = (items: string, key: string) =>
    `{"jsonrpc":"2.0","id":7,"result":{"cont\\u0065nt":[${items} ],"${key}":"S-20"}}`;
  rig.fromServer(line("", "structuredContent"));
  assertEquals(await rig.lookups(), [SENDER, P7, P8]);
  const own = '{"type":"text","text":"\\"S-20\\"","_meta":{"hoist/from":"structuredContent"}}';
  const item = JSON.stringify({ type: "text", text: WHOLE });
  assertEquals(rig.host, [line(`${own},${item}`, "hoist/structuredContent")]);
});

Deno.test("Chain sets output schemas of tools aside that a flow may follow, and no others", async () => {
  const rig = new ChainRig();
  const list = (key: string) =>
    `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"find_sender","inputSchema":{},"${key}":{}},` +
    `{"name":"other","inputSchema":{},"outputSchema":{}}]}}`;
  rig.fromHost({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  rig.fromServer(list("outputSchema"));
  await settled();
  assertEquals(rig.host, [list("hoist/outputSchema")]);
  const shadow = new ChainRig({ isShadow: true });
  shadow.fromHost({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  shadow.fromServer(list("outputSchema"));
  await settled();
  assertEquals(shadow.host, [list("outputSchema")]);
});

Deno.test("Chain holds no result it cannot append to", async () => {
  const rig = new ChainRig();
  for (
    const [i, answer] of [
      '"error":{"code":-32602,"message":"no"}',
      '"result":{"content":"S-20"}',
      '"result":{"content":{"0":"S-20"}}',
      '"result":[1]',
      '"result":null',
      '"result":{"task":{"taskId":"1"}}',
      '"result":{"resultType":5}',
    ].entries()
  ) {
    rig.call(i, "find_sender", EMAIL);
    await rig.serve();
    const line = `{"jsonrpc":"2.0","id":${i},${answer}}`;
    rig.fromServer(line);
    assertEquals(rig.host.splice(0), [line], answer);
    assertEquals(await rig.lookups(), [], answer);
  }
});

const STRANGE = [
  "",
  " ",
  "[]",
  "{}",
  "null",
  "7",
  '"x"',
  "not json",
  '{"jsonrpc":"2.0"',
  "\u2028",
  "\r",
  '{"id":null}',
  '{"id":1}',
  '{"method":5,"id":{}}',
  '{"method":"tools/call","id":1}',
  '{"method":"tools/call","id":1,"params":[]}',
  '{"method":"tools/call","id":{"a":1},"params":{"name":7}}',
  '{"method":"tools/call","id":1,"params":{"name":"find_sender","arguments":[1]}}',
  '{"method":"tools/call","params":{"name":"find_sender"}}',
  '{"method":"tools/list","id":2,"params":7}',
  '{"method":"tools/list","id":"hoist-77"}',
  '{"method":"notifications/cancelled","params":{"requestId":1}}',
  '{"method":"notifications/cancelled","params":{"requestId":{"deep":[1]}}}',
  '{"method":"notifications/cancelled"}',
  '{"method":"notifications/tools/list_changed"}',
  '{"id":2,"result":{"tools":5}}',
  '{"id":2,"result":{"tools":[5,null,{"name":"get_sender","inputSchema":[]}],"nextCursor":3}}',
  '{"id":1,"result":{"content":[null,7,{"type":"text"}]}}',
  '{"id":1,"result":{"content":[{"type":"text","text":7}],"resultType":"input_required"}}',
  '{"id":1,"error":null}',
  '[{"id":1,"result":{}},5,[]]',
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  `{"id":1,"method":"tools/call","params":{"name":"find_sender","arguments":{"email":${
    "[".repeat(20_000)
  }${"]".repeat(20_000)}}}}`,
  `{"id":1,"result":{"content":[{"type":"text","text":"${"[".repeat(20_000)}${
    "]".repeat(20_000)
  }"}]}}`,
  `{"id":1,"result":{"content":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
  ...["result", "method", "error"].map((key) =>
    `{"id":${"[".repeat(20_000)}${"]".repeat(20_000)},"${key}":"tools/call","params":{"name":"x"}}`
  ),
  `{"method":"notifications/cancelled","params":{"requestId":${"[".repeat(20_000)}${
    "]".repeat(20_000)
  }}}`,
  `{"id":1,"result":{"structuredContent":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
];

const anyLine = fc.oneof(
  { arbitrary: fc.nat(STRANGE.length - 1).map((i) => bytesOf(STRANGE[i])), weight: 4 },
  { arbitrary: fc.uint8Array({ maxLength: 40 }), weight: 1 },
  { arbitrary: fc.json().map(bytesOf), weight: 1 },
  { arbitrary: fc.string({ unit: "binary" }).map(bytesOf), weight: 1 },
);

for (const [why, flow] of [["no flow", null], ["a flow", {}]] as const) {
  Deno.test(`Chain passes what nobody acts on in order, with ${why}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), anyLine)), async (lines) => {
        // A threshold no lookup reaches: nothing is changed, whatever is held on the way.
        const rig = new ChainRig(flow && { limits: { threshold: 1.1 } });
        const sent = { host: [] as string[], server: [] as string[] };
        for (const [isHost, line] of lines) {
          const text = new TextDecoder().decode(line);
          if (isHost) {
            sent.host.push(text);
            rig.fromHost(line);
          } else {
            sent.server.push(text);
            rig.fromServer(line);
          }
          await settled();
        }
        await rig.session.close();
        const own = rig.log.filter(([from]) => from === "proxy").map(([, line]) => line);
        assertEquals(rig.server.filter((line) => !own.includes(line)), sent.host);
        assertEquals(rig.host, sent.server);
        assertEquals(rig.timers, 0);
      }),
      { numRuns: 80 },
    );
  });
}

Deno.test("Chain says nothing of a session without a flow", async () => {
  const rig = new ChainRig(null);
  rig.call(1, "find_sender", EMAIL);
  rig.answer(1, "S-20");
  await settled();
  assertEquals(rig.host.length, 1);
  assertEquals(rig.server.length, 1);
  assertEquals(rig.summary(), undefined);
  assert(!rig.session.holds("1"));
});
