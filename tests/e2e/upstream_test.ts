/**
 * A host on stdio, a server over HTTP: `hoist-mcp --upstream` on a real process,
 * with a scripted server.
 *
 * Bug rows of other proxies that this keeps out: R06 R12 R13 R15 R20 P02 P03.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { executable } from "../util/executables.ts";
import { toolCall } from "../util/listening_proxy.ts";
import { ManualHost } from "../util/manual_host.ts";
import { answer, stream } from "../util/scripted_upstream.ts";
import { INITIALIZE, Wire } from "../util/upstream_wire.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
  Deno.test(`hoist-mcp --upstream says the agreed version ${version} on all that follows (R13, C7, C10)`, async () => {
    await using wire = await Wire.start();
    wire.upstream.version = version;
    await wire.hello();
    await wire.send(toolCall(1, "t"));
    await wire.next();
    assertEquals(await wire.end(), 0);
    const { seen } = wire.upstream;
    assertEquals(seen[0]?.headers.get("mcp-protocol-version"), null, "initialize has none");
    assertEquals(
      new Set(seen.slice(1).map((s) => s.headers.get("mcp-protocol-version"))),
      new Set([version]),
    );
    assertEquals(new Set(seen.map((s) => s.method)), new Set(["POST", "GET", "DELETE"]));
    assertEquals(seen.at(-1)?.method, "DELETE");
  });
}

const POSTS: readonly (readonly [string, () => Response])[] = [
  ["400", () => new Response("bad", { status: 400 })],
  ["401", () => new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } })],
  [
    "403 with HTML",
    () => new Response("<p>", { status: 403, headers: { "content-type": "text/html" } }),
  ],
  ["429", () => new Response(null, { status: 429 })],
  ["500 with JSON", () => Response.json({ detail: "boom" }, { status: 500 })],
  ["502", () => new Response("bad gateway", { status: 502 })],
  ["200 with HTML", () => new Response("<p>", { headers: { "content-type": "text/html" } })],
  ["200 with nothing", () => new Response(null, { status: 200 })],
  ["202 for a request", () => new Response(null, { status: 202 })],
  [
    "200 with cut JSON",
    () =>
      new Response('{"jsonrpc":"2.0","id":1,"re', {
        headers: { "content-type": "application/json" },
      }),
  ],
  ["200 with another id", () => Response.json(answer(99, "not yours"))],
  [
    "an error without an id",
    () =>
      Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "no" } }, {
        status: 400,
      }),
  ],
  [
    "a redirect",
    () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:9/" } }),
  ],
  ["an empty stream", () => stream()],
  [
    "a stream that is cut in the answer",
    () => stream('data: {"jsonrpc":"2.0","id":1,"result":{}}\n'),
  ],
];

Deno.test("hoist-mcp --upstream answers a request that fails with exactly one error (R12, C3, C22)", async () => {
  let post = POSTS[0]?.[1];
  await using wire = await Wire.start(({ body }) =>
    body?.method === "tools/call" || body?.method === "notifications/x" ? post?.() : undefined
  );
  await wire.hello();
  for (const [name, respond] of POSTS) {
    post = respond;
    await wire.send({ jsonrpc: "2.0", method: "notifications/x" }, toolCall(1, "t"));
    const [error] = await wire.next();
    assertEquals([name, error.id, error.error?.code], [name, 1, -32603]);
  }
  post = () =>
    Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32020, message: "own" } }, {
      status: 400,
    });
  await wire.send(toolCall(1, "t"));
  assertEquals(
    (await wire.next())[0].error,
    { code: -32020, message: "own" },
    "handed on verbatim",
  );
  post = undefined;
  await wire.send(toolCall(2, "t", { text: "on" }));
  assertEquals((await wire.next())[0].id, 2);
  assertEquals(await wire.end(), 0);
  const lines = wire.host.text().trim().split("\n");
  assertEquals(lines.length, 1 + POSTS.length + 2, "nothing else, and nothing for notifications");
});

Deno.test("hoist-mcp --upstream answers when nothing listens, or the name is none (R12)", async () => {
  for (
    const url of [
      "http://127.0.0.1:9999/mcp",
      "http://no-such-host.invalid/mcp",
      "https://127.0.0.1:9998/mcp",
    ]
  ) {
    await using host = await ManualHost.start({
      direct: true,
      server: [...executable("hoist-mcp"), "--upstream", url],
    });
    await host.send(JSON.stringify(INITIALIZE) + "\n");
    await host.lines(1);
    assertEquals(JSON.parse(host.text()).error.code, -32603);
    await host.close();
    assertEquals(await host.exit(), 0);
  }
});

Deno.test("hoist-mcp --upstream opens another session when the server has lost its own (R06, C8)", async () => {
  let calls = 0;
  await using wire = await Wire.start(async ({ body }, upstream) => {
    if (body?.params?.arguments?.text !== "held") return undefined;
    calls++;
    await new Promise((resolve) => setTimeout(resolve, 300));
    upstream.sessions.clear();
    return stream(": nothing\n\n");
  }, { record: true });
  await wire.hello();
  await wire.send(toolCall(1, "t", { text: "held" }));
  const [lost] = await wire.next();
  assertEquals(
    [lost.id, lost.error?.code, calls],
    [1, -32603, 1],
    "what may have run is not repeated",
  );
  await wire.send(toolCall(2, "t", { text: "b" }), toolCall(3, "t", { text: "c" }));
  const both = await wire.next(2);
  assertEquals(both.map((m) => m.result.content[0].text).sort(), ["b", "c"]);
  assertEquals(await wire.end(), 0);
  const opened = wire.upstream.of("initialize");
  assertEquals(opened.map((s) => s.body.id), [0, "hoist-1"], "once for both");
  assertEquals(opened[1]?.body.params, INITIALIZE.params, "the host's own");
  assertEquals(opened[1]?.headers.get("mcp-session-id"), null);
  assertEquals(wire.upstream.of("notifications/initialized").length, 2);
  const log = (await wire.host.log()).slice(1).map((line) => JSON.parse(line));
  assertEquals(
    log.filter((l) => l.from === "proxy").map((l) => l.message.method ?? l.message.error?.code),
    [
      -32603,
      "initialize",
      "notifications/initialized",
    ],
  );
});

Deno.test("hoist-mcp --upstream takes up a stream that ends early, after the server's delay (C13)", async () => {
  let endedAt = 0;
  let resumedAt = 0;
  await using wire = await Wire.start(({ method, headers, body }) => {
    if (body?.method === "tools/call") {
      setTimeout(() => endedAt = performance.now(), 5);
      return stream("id: e1\nretry: 300\ndata: \n\n", ": keep-alive\r\n\r\n");
    }
    if (method !== "GET" || headers.get("last-event-id") !== "e1") return undefined;
    resumedAt = performance.now();
    return stream(`\ufeffid: e2\r\ndata: ${JSON.stringify(answer(1, "resumed"))}\r\n\r\n`);
  });
  await wire.hello();
  await wire.send(toolCall(1, "t"));
  assertEquals((await wire.next())[0].result.content[0].text, "resumed");
  assert(resumedAt - endedAt > 250 && resumedAt - endedAt < 1500, `${resumedAt - endedAt} ms`);
  assertEquals(await wire.end(), 0);
});

Deno.test("hoist-mcp --upstream reads any event stream, cut at every byte (R15, C6)", async () => {
  const events = new TextEncoder().encode(
    "\ufeffid: 1\r\nretry: 10\r\ndata:\r\n\r\n: hi\n\n" +
      `event: message\rdata: ${
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: "é🚀" } })
      }\r\r` +
      JSON.stringify(answer(1, "漢"), null, 1).split("\n").map((l) => `data: ${l}`).join("\n") +
      "\n\n",
  );
  await using wire = await Wire.start(({ body }) =>
    body?.method === "tools/call"
      ? stream(...Array.from(events, (_, i) => events.slice(i, i + 1)))
      : undefined
  );
  await wire.hello();
  await wire.send(toolCall(1, "t"));
  const [note, result] = await wire.next(2);
  assertEquals([note.params.data, result.result.content[0].text], ["é🚀", "漢"]);
  assertEquals(await wire.end(), 0);
});

Deno.test("hoist-mcp --upstream reads a JSON body that begins with a byte order mark (C4)", async () => {
  await using wire = await Wire.start(({ body }) =>
    body?.method !== "tools/call"
      ? undefined
      : new Response(`\ufeff${JSON.stringify(answer(body.id, "marked"))}`, {
        headers: { "content-type": "application/json" },
      })
  );
  await wire.hello();
  await wire.send(toolCall(1, "t"));
  assertEquals(await wire.next(), [answer(1, "marked")]);
  assertEquals(await wire.end(), 0);
});

Deno.test("hoist-mcp --upstream needs no session id, and sends none it was not given (P03, C9)", async () => {
  await using wire = await Wire.start();
  wire.upstream.hasSessions = false;
  await wire.hello();
  await wire.send(toolCall(1, "t", { text: "x" }));
  assertEquals((await wire.next())[0].result.content[0].text, "x");
  assertEquals(await wire.end(), 0);
  assert(wire.upstream.seen.every((s) => s.headers.get("mcp-session-id") === null));
  assertEquals(wire.upstream.of("DELETE"), []);
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const modern = (id: Json, method: string, params = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { ...params, _meta: META },
});

Deno.test("hoist-mcp --upstream takes each message's headers from that message (P02, C17, C23)", async () => {
  const tools = [
    {
      name: "t",
      inputSchema: { type: "object", properties: { r: { type: "string", "x-mcp-header": "R" } } },
    },
    {
      name: "bad",
      inputSchema: { type: "object", properties: { r: { type: "number", "x-mcp-header": "R" } } },
    },
  ];
  await using wire = await Wire.start(
    ({ body }) =>
      body?.method === "server/discover"
        ? Response.json({ jsonrpc: "2.0", id: body.id, error: { code: -32601, message: "no" } }, {
          status: 404,
        })
        : body?.method === "tools/list"
        ? Response.json({ jsonrpc: "2.0", id: body.id, result: { tools } })
        : undefined,
    { record: true },
  );
  await wire.send(modern("d", "server/discover"));
  assertEquals((await wire.next())[0].error.code, -32601, "handed on");
  await wire.hello();
  await wire.send(toolCall(1, "t", { r: "x" }));
  await wire.next();
  await wire.send(modern(2, "tools/call", { name: "t", arguments: { r: "é" } }));
  await wire.next();
  await wire.send(modern(3, "tools/list"));
  assertEquals((await wire.next())[0].result.tools.map((t: Json) => t.name), ["t"]);
  assertEquals(await wire.end(), 0);
  const names = ["mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-r"];
  const rows = wire.upstream.seen.filter((s) => s.body !== undefined).map((s) => [
    s.body.id,
    ...names.map((name) => name === "mcp-session-id" ? s.headers.has(name) : s.headers.get(name)),
  ]);
  const V = "2026-07-28";
  assertEquals(rows, [
    ["d", false, V, "server/discover", null, null],
    [0, false, null, null, null, null],
    [undefined, true, "2025-06-18", null, null, null],
    [1, true, "2025-06-18", null, null, null],
    ["hoist-1", false, V, "tools/list", null, null],
    [2, false, V, "tools/call", "t", "=?base64?w6k=?="],
    [3, false, V, "tools/list", null, null],
  ]);
});

Deno.test("hoist-mcp --upstream closes the stream of a modern request that its host gives up (R20, C15)", async () => {
  const closed = Promise.withResolvers<void>();
  await using wire = await Wire.start(({ body }) => {
    if (body?.params?.arguments?.text !== "held") return undefined;
    return new Response(new ReadableStream({ cancel: () => closed.resolve() }), {
      headers: { "content-type": "text/event-stream" },
    });
  });
  await wire.send(modern(5, "tools/call", { name: "t", arguments: { text: "held" } }));
  while (wire.upstream.of("tools/call").length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await wire.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
  await closed.promise;
  await wire.send(modern(6, "tools/call", { name: "t", arguments: { text: "x" } }));
  assertEquals((await wire.next())[0].id, 6, "nothing for the other");
  assertEquals(wire.upstream.of("notifications/cancelled"), []);
  assertEquals(await wire.end(), 0);
});

Deno.test("hoist-mcp --upstream POSTs a legacy cancellation at once (R20, C14)", async () => {
  const held = Promise.withResolvers<Response>();
  await using wire = await Wire.start(({ body }) =>
    body?.params?.arguments?.text === "held" ? held.promise : undefined
  );
  await wire.hello();
  await wire.send(toolCall(5, "t", { text: "held" }));
  await wire.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
  await wire.send(toolCall(6, "t"));
  assertEquals((await wire.next())[0].id, 6);
  assertEquals(wire.upstream.of("notifications/cancelled").length, 1);
  held.resolve(Response.json(answer(5, "late")));
  assertEquals((await wire.next())[0].id, 5);
  assertEquals(await wire.end(), 0);
});

Deno.test("hoist-mcp --upstream lets a request go that was given up and is never answered", async () => {
  let closed = 0;
  const eight = Promise.withResolvers<void>();
  await using wire = await Wire.start(({ body }) => {
    if (body?.params?.arguments?.text !== "held") return undefined;
    const cancel = () => ++closed === 8 ? eight.resolve() : undefined;
    return new Response(new ReadableStream({ cancel }), {
      headers: { "content-type": "text/event-stream" },
    });
  });
  await wire.hello();
  for (let id = 1; id <= 40; id++) {
    await wire.send(toolCall(id, "t", { text: "held" }));
    while (wire.upstream.of("tools/call").length < id) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const params = { requestId: id };
    await wire.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }
  await eight.promise; // All but the newest 32.
  await wire.send(toolCall(1, "t"));
  assertEquals((await wire.next())[0].result.content[0].text, "ok", "its id is free");
  wire.host.kill("SIGTERM");
  assertEquals(await wire.host.exit(), 0);
});

Deno.test("hoist-mcp --upstream answers what a silent server does not, at the end", async () => {
  await using wire = await Wire.start(({ body }) => {
    if (body?.method !== "tools/call") return undefined;
    return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
  }, { flags: ["--exit-grace", "0.3"], record: true });
  await wire.hello();
  await wire.send(toolCall("a", "t"), toolCall(7, "t"));
  assertEquals(await wire.end(), 0);
  const answers = await wire.next(2);
  assertEquals(answers.map((m) => [m.id, m.error.code]), [["a", -32603], [7, -32603]]);
  assertEquals((await wire.host.log()).filter((line) => line.includes('"from":"proxy"')).length, 2);
});

Deno.test("hoist-mcp --upstream-header sends a variable's value, and keeps it to itself", async () => {
  const env = { ORDERS_AUTH: "Bearer s3cret-value" };
  const flags = ["--upstream-header", "Authorization=ORDERS_AUTH"];
  await using wire = await Wire.start(undefined, { flags, env, record: true });
  await wire.hello();
  await wire.send(toolCall(1, "t"));
  await wire.next();
  assertEquals(await wire.end(), 0);
  assert(wire.upstream.seen.every((s) => s.headers.get("authorization") === env.ORDERS_AUTH));
  assert(![await wire.host.stderr(), ...await wire.host.log()].join("\n").includes("s3cret"));

  await using unset = await Wire.start(undefined, { flags });
  assertEquals(await unset.host.exit(), 2);
  assertStringIncludes(await unset.host.stderr(), "ORDERS_AUTH");
});
