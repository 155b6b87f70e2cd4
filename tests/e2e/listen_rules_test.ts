/**
 * `hoist-mcp --listen` as a server of Streamable HTTP, rule by rule: one path,
 * statuses, what event streams begin with, the refusals of the modern era.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { util } from "../util/executables.ts";
import { type Json, ListeningProxy, toolCall } from "../util/listening_proxy.ts";

const SERVER = ["--", ...util("echo_mcp_server")];
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const statusOf = async (asked: Promise<Response>) => {
  const { status, body } = await asked;
  await body?.cancel();
  return status;
};

Deno.test("hoist-mcp --listen has one path, and says 405 to what else it could be asked (S1)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const at = (path: string, method: string) =>
    statusOf(fetch(new URL(path, proxy.url), { method }));
  for (const path of ["/", "/mcp2", "/mcp/x", "/sse", "/.well-known/oauth-protected-resource"]) {
    assertEquals([path, await at(path, "GET")], [path, 404]);
  }
  for (const method of ["PUT", "PATCH", "HEAD", "OPTIONS"]) {
    const response = await proxy.fetch({ method });
    await response.body?.cancel();
    assertEquals([method, response.status, response.headers.get("allow")], [
      method,
      405,
      "GET, POST, DELETE",
    ]);
    assertEquals(response.headers.get("access-control-allow-origin"), null);
  }
  assertEquals([await at("/mcp/", "PUT"), await at("/mcp?a=b", "PUT")], [405, 405]);
});

Deno.test("hoist-mcp --listen gives ids that a header carries, and refuses versions it does not know (S4, S7, S12)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const [a, b] = await Promise.all([proxy.open(), proxy.open()]);
  const ids = [a, b].map(({ headers }) => headers["mcp-session-id"] ?? "");
  for (const id of ids) assertMatch(id, /^[\x21-\x7e]{32,}$/);
  assertEquals(new Set(ids).size, 2);
  const say = (version: string) =>
    statusOf(a.post({ jsonrpc: "2.0", method: "x" }, { "mcp-protocol-version": version }));
  assertEquals([await say("2025-11-25"), await say("2025-03-26")], [202, 202]);
  assertEquals([await say("1999-01-01"), await say("x")], [400, 400]);
  const { "mcp-session-id": id = "" } = a.headers;
  const call = { jsonrpc: "2.0", method: "x" };
  assertEquals(await statusOf(proxy.post(call, { "mcp-session-id": id })), 202, "none is fine");
});

for (
  const [version, preface] of [
    ["2025-11-25", "id: 1-0\nretry: 1000\ndata: \n\n"],
    ["2025-06-18", ""],
  ] as const
) {
  Deno.test(`hoist-mcp --listen begins an event stream of ${version} with "${preface}" (S14, S21)`, async () => {
    await using proxy = await ListeningProxy.start({ server: SERVER });
    const host = await proxy.open(version);
    const response = await host.post(toolCall(1, "echo", { text: "x" }), {
      accept: "text/event-stream",
    });
    assertEquals(response.headers.get("content-type"), "text/event-stream");
    assertEquals(response.headers.get("cache-control"), "no-cache, no-transform");
    assertEquals(response.headers.get("x-accel-buffering"), "no");
    const text = await response.text();
    const [, id = ""] = /id: (\S+)\ndata: \{/.exec(text) ?? [];
    const line = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]}}';
    assertEquals(
      text.replace(/^id: \d+-0/, "id: 1-0"),
      `${preface}event: message\nid: ${id}\ndata: ${line}\n\n`,
    );
  });
}

Deno.test("hoist-mcp --listen refuses modern requests that say two things, or too little (S18)", async () => {
  await using proxy = await ListeningProxy.start({ server: [...SERVER, "--modern"] });
  const meta = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "echo",
  };
  const ask = async (message: Json, changes: Record<string, string> = {}) => {
    const response = await proxy.post(message, { ...headers, ...changes });
    const { id, error, result } = await response.json();
    return [response.status, id, error?.code ?? result?.content[0].text];
  };
  const call = (of: Json = meta) => toolCall("é", "echo", { text: "x" }, of);
  assertEquals(await ask(call()), [200, "é", "x"]);
  assertEquals(await ask(call(), { "mcp-name": "=?base64?ZWNobw==?=" }), [200, "é", "x"]);
  assertEquals(await ask(call(), { "mcp-session-id": "none-such" }), [200, "é", "x"]);
  const mismatches = [
    { "mcp-protocol-version": "2025-11-25" },
    { "mcp-method": "tools/list" },
    { "mcp-name": "Echo" },
    { "mcp-name": "=?base64?!?=" },
  ];
  for (const change of mismatches) assertEquals(await ask(call(), change), [400, "é", -32020]);
  assertEquals(await ask(call({ [VERSION]: "2026-07-28" })), [400, "é", -32602]);
  const next = "2027-01-01";
  assertEquals(
    await ask(call({ ...meta, [VERSION]: next }), { "mcp-protocol-version": next }),
    [400, "é", -32022],
  );
  const unknown = { jsonrpc: "2.0", id: 7, method: "x/y", params: { _meta: meta } };
  const { "mcp-name": _, ...unnamed } = headers;
  const response = await proxy.post(unknown, { ...unnamed, "mcp-method": "x/y" });
  assertEquals([response.status, (await response.json()).error.code], [404, -32601]);
  for (const method of ["GET", "DELETE"]) {
    assertEquals(await statusOf(proxy.fetch({ method, headers })), 405);
  }
});
