/**
 * `hoist-mcp --flow` where HTTP is on one side or both: sessions of the legacy
 * era, and modern requests with and without a conversation's name.
 */

import { assertEquals } from "@std/assert";
import { RETAIL_TOOLS } from "../../lib/demo/retail.ts";
import { executable, util } from "../util/executables.ts";
import { ListeningProxy, messagesOf, toolCall } from "../util/listening_proxy.ts";
import { ManualHost } from "../util/manual_host.ts";
import { OldTransport } from "../util/old_transport.ts";
import { learnRetail, SHOP } from "../util/retail_flow.ts";
import { answer, ScriptedUpstream, type Seen, stream } from "../util/scripted_upstream.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const dir = await Deno.makeTempDir({ prefix: "hoist-test-" });
const FLOW = await learnRetail(dir);
globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));

const FLAGS = ["--flow", FLOW];
const MODERN_SHOP = ["--", ...util("echo_mcp_server"), "--modern", "--shop"];
const VERSION = "io.modelcontextprotocol/protocolVersion";
const META = { [VERSION]: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };

/** The lookups that were appended to a result. */
function appended({ result }: Json): string[] {
  const text = result.content.at(-1).text;
  return [...text.matchAll(/^(get_\w+ \{.*\}):$/gm)].map(([, call]) => call);
}

const lookups = (n: number) => [
  `get_user_details {"user_id":"user_${n}"}`,
  `get_order_details {"order_id":"#W${n}a"}`,
];
const find = (id: Json, n: number, meta?: Json) =>
  toolCall(id, "find_user_id_by_email", { email: `c${n}@example.com` }, meta);

function modernCall(proxy: ListeningProxy, id: Json, n: number, headers = {}) {
  return proxy.post(find(id, n, META), {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "find_user_id_by_email",
    ...headers,
  });
}

/** What the sessions of a proxy left: how many logs, and the decisions of each flow log. */
async function logged(proxy: ListeningProxy): Promise<[logs: number, decisions: number[]]> {
  const texts = await proxy.logs();
  const decisions = texts.filter((t) => t.startsWith('{"action"')).map((t) =>
    t.split("\n").filter((l) => l.includes('"action"')).length
  );
  return [texts.length - decisions.length, decisions];
}

Deno.test("hoist-mcp --listen --flow runs a flow for each session", async () => {
  const proxy = await ListeningProxy.start({ server: ["--", ...SHOP], flags: FLAGS, record: true });
  const hosts = await Promise.all([proxy.open(), proxy.open("2025-06-18")]);
  const answers = await Promise.all(
    hosts.map(async (host, i) =>
      await host.call(1, "find_user_id_by_email", { email: `c${i + 1}@example.com` })
    ),
  );
  assertEquals(answers.map((a) => appended(a.at(-1))), [lookups(1), lookups(2)]);
  assertEquals(answers.map((a) => a.length), [1, 1]);
  const again = await hosts[0]?.call(2, "find_user_id_by_email", { email: "c1@example.com" });
  assertEquals(again?.[0].result.content.length, 1, "each has its own memory");
  // A host that ends its session while a result is held.
  await hosts[1]?.delete();
  proxy.kill("SIGTERM");
  assertEquals(await proxy.exit(), 0);
  const [logs, decisions] = await logged(proxy);
  assertEquals([logs, decisions.toSorted()], [2, [3, 4]]);
  const summaries = (await proxy.stderr()).match(/flow: 2 lookups, 0 failed/g);
  assertEquals(summaries?.length, 2);
  await proxy[Symbol.asyncDispose]();
});

Deno.test("hoist-mcp --listen --flow keeps modern conversations apart", async () => {
  await using proxy = await ListeningProxy.start({
    server: MODERN_SHOP,
    flags: FLAGS,
    record: true,
  });
  const call = async (id: Json, n: number, headers = {}) =>
    (await messagesOf(await modernCall(proxy, id, n, headers))).at(-1);
  const first = await call(1, 1, { "hoist-session": "a" });
  assertEquals([first.id, first.result.resultType, appended(first)], [1, "complete", lookups(1)]);
  assertEquals(appended(await call("x", 1, { "hoist-session": "b" })), lookups(1));
  assertEquals((await call(2, 1, { "hoist-session": "a" })).result.content.length, 1);
  const [one, two] = await Promise.all([call(7, 3), call(7, 3)]);
  assertEquals([appended(one), appended(two)], [lookups(3), lookups(3)], "no name, no memory");
  const text = (await proxy.logs()).find((t) => t.startsWith('{"hoist_mcp_log"')) ?? "";
  const own = text.split("\n").slice(1, -1).map((l) => JSON.parse(l))
    .filter((l) => l.from === "proxy" && l.message.method);
  assertEquals(own.length > 0 && own.every((l) => l.message.params._meta[VERSION]), true);
  const ids = own.map((l) => l.message.id);
  assertEquals(new Set(ids).size, ids.length, "no id twice");
});

/** An upstream with the shop: answers as JSON, or as events with a notification in front. */
function shop(isEvents: boolean): ScriptedUpstream {
  return new ScriptedUpstream(({ body, method }: Seen) => {
    if (method !== "POST" || body?.id === undefined) return undefined;
    if (body.params?.arguments?.email === "c0@example.com") {
      return new Response("down", { status: 503 });
    }
    const reply = answerOf(body);
    if (reply === undefined) return undefined;
    if (!isEvents) return Response.json(reply);
    const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info" } };
    return stream(
      `id: 1\ndata: ${JSON.stringify(note)}\n\n`,
      `id: 2\ndata: ${JSON.stringify(reply)}\n\n`,
    );
  });
}

function answerOf({ id, method, params }: Json): Json {
  const modern = params?._meta?.[VERSION] === undefined ? {} : { resultType: "complete" };
  if (method === "tools/list") {
    const tools = RETAIL_TOOLS.map(({ name, properties, required, readOnlyHint }) => ({
      name,
      inputSchema: { type: "object", properties, required },
      annotations: { readOnlyHint },
    }));
    return { jsonrpc: "2.0", id, result: { ...modern, tools } };
  }
  if (method !== "tools/call") return undefined;
  const tool = RETAIL_TOOLS.find(({ name }) => name === params.name);
  const { result, ...rest } = answer(id, tool?.run(params.arguments).text ?? "");
  return { ...rest, result: { ...modern, ...result, _meta: { n: 1 } } };
}

for (const isEvents of [false, true]) {
  const how = isEvents ? "events" : "JSON";
  Deno.test(`hoist-mcp --upstream --flow looks up over HTTP, answered with ${how}`, async () => {
    await using upstream = shop(isEvents);
    await using host = await ManualHost.start({
      direct: true,
      server: [
        ...executable("hoist-mcp"),
        "--record",
        "{dir}/log",
        ...FLAGS,
        "--upstream",
        upstream.url,
      ],
    });
    const send = (message: unknown) => host.send(JSON.stringify(message) + "\n");
    await send({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t" } },
    });
    await host.lines(1);
    await send({ jsonrpc: "2.0", method: "notifications/initialized" });
    await send(find(1, 5));
    await host.readUntil((text) => text.includes('"id":1'));
    const last = host.text().trimEnd().split("\n").at(-1) ?? "";
    assertEquals(appended(JSON.parse(last)), lookups(5));
    await host.close();
    assertEquals(await host.exit(), 0);
    const sessions = upstream.of("tools/call").map((s) => s.headers.get("mcp-session-id"));
    assertEquals([sessions.length, new Set(sessions).size], [3, 1]);
    assertEquals(upstream.of("tools/call")[1]?.headers.get("mcp-protocol-version"), "2025-06-18");
  });

  Deno.test(`hoist-mcp --listen --upstream --flow looks up in between, answered with ${how}`, async () => {
    await using upstream = shop(isEvents);
    const proxy = await ListeningProxy.start({
      server: ["--upstream", upstream.url],
      flags: FLAGS,
      record: true,
    });
    const host = await proxy.open("2025-06-18");
    const answers = await messagesOf(await host.post(find(1, 5)));
    assertEquals(appended(answers.at(-1)), lookups(5));
    assertEquals(answers.length, isEvents ? 2 : 1);
    assertEquals(answers.at(-1).result._meta, { n: 1 });
    const calls = upstream.of("tools/call");
    assertEquals(new Set(calls.map((s) => s.headers.get("mcp-session-id"))).size, 1);
    assertEquals((await messagesOf(await host.post(find(2, 5)))).at(-1).result.content.length, 1);
    // Modern: by the conversation's name, or for one request.
    for (const [headers, n] of [[{ "hoist-session": "a" }, 1], [{}, 2]] as const) {
      const modern = (await messagesOf(await modernCall(proxy, 1, 6 + n, headers))).at(-1);
      assertEquals([modern.result.resultType, appended(modern)], ["complete", lookups(6 + n)]);
    }
    const own = upstream.of("tools/call").at(-1);
    assertEquals(own?.headers.get("mcp-method"), "tools/call");
    assertEquals(own?.headers.get("mcp-name"), "get_order_details");
    assertEquals(own?.headers.get("hoist-session"), null);
    const refused = await host.post(find(3, 0));
    assertEquals([refused.status, await refused.text()], [503, "down"]);
    // It is over: the next result waits for nothing.
    assertEquals(appended((await messagesOf(await host.post(find(4, 9)))).at(-1)), lookups(9));
    proxy.kill("SIGTERM");
    assertEquals(await proxy.exit(), 0);
    const [, decisions] = await logged(proxy);
    assertEquals(decisions.reduce((a, b) => a + b, 0) > 8, true);
    await proxy[Symbol.asyncDispose]();
  });
}

Deno.test("hoist-mcp --upstream --flow looks up at a server of HTTP+SSE", async () => {
  const old = new OldTransport("/message");
  await using upstream = new ScriptedUpstream(async ({ method, body }) => {
    if (method === "GET") return old.stream();
    if (body?.id === undefined) return await old.say(new Response());
    const hello = { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "old" } };
    const reply = body.method === "initialize"
      ? { jsonrpc: "2.0", id: body.id, result: hello }
      : answerOf(body);
    return await old.say(Response.json(reply));
  });
  await using host = await ManualHost.start({
    direct: true,
    server: [
      ...[...executable("hoist-mcp"), "--record", "{dir}/log", ...FLAGS],
      ...["--upstream", upstream.url, "--upstream-transport", "sse"],
    ],
  });
  const send = (message: unknown) => host.send(JSON.stringify(message) + "\n");
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t" } };
  await send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  await host.lines(1);
  await send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await send(find(1, 5));
  await host.readUntil((text) => text.includes('"id":1'));
  const last = host.text().trimEnd().split("\n").at(-1) ?? "";
  assertEquals(appended(JSON.parse(last)), lookups(5));
  assertEquals(upstream.of("tools/call").length, 3);
  await host.close();
  assertEquals(await host.exit(), 0);
});

Deno.test("hoist-mcp --listen --upstream --flow hands on what of a stream is no message", async () => {
  const events = [
    "id: 1\nretry: 70\ndata: \n\n",
    "event: mark\nid: 2\ndata: a\ndata: b\n\n",
    `id: 3\nretry: 80\ndata: ${JSON.stringify(answer(1, "x"))}\n\n`,
  ];
  await using upstream = new ScriptedUpstream(({ body }) =>
    body?.method === "tools/call" ? stream(...events) : undefined
  );
  await using proxy = await ListeningProxy.start({
    server: ["--upstream", upstream.url],
    flags: FLAGS,
  });
  const host = await proxy.open();
  const response = await host.post(find(1, 1));
  assertEquals(await response.text(), events.join(""));
});
