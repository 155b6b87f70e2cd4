/**
 * Hosts over HTTP, servers on stdio, on real processes: sessions, streams,
 * resumption, the modern pool, limits, and who is let in.
 *
 * Bug rows of other proxies that this keeps out: R07 R17 R20 R25 P07 P09.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { util } from "../util/executables.ts";
import {
  eventsOf,
  type Json,
  ListeningProxy,
  messagesOf,
  readUntil,
  toolCall,
} from "../util/listening_proxy.ts";
import { gone } from "../util/manual_host.ts";

const SERVER = ["--", ...util("echo_mcp_server")];
const MODERN_SERVER = [...SERVER, "--modern"];
const text = (messages: Json[]) => messages.at(-1)?.result?.content?.[0]?.text;
const statusOf = async (asked: Promise<Response>) => {
  const { status, body } = await asked;
  await body?.cancel();
  return status;
};
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("hoist-mcp --listen gives each session a server and a log of its own (S9)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER, record: true });
  assertMatch(proxy.url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const a = await proxy.open("2025-11-25", { "hoist-session": "host-A" });
  const b = await proxy.open("2025-06-18");
  const [x, y] = await Promise.all([
    a.call(1, "sleep", { ms: 150, text: "a" }),
    b.call(1, "sleep", { ms: 50, text: "b" }),
  ]);
  assertEquals([text(x), text(y)], ["a", "b"], "one id, two sessions");
  const pid = Number(text(await a.call(2, "whoami")));
  assert(pid !== Number(text(await b.call(2, "whoami"))));
  assertEquals(await a.delete(), 200);
  await gone(pid);
  assertEquals(await statusOf(a.post(toolCall(3, "echo"))), 404);
  proxy.kill("SIGTERM");
  assertEquals(await proxy.exit(), 0);
  const [first = "", second = "", ...more] = await proxy.logs();
  assertEquals(more, []);
  const header = JSON.parse(first.split("\n")[0] ?? "");
  assertMatch(header.session, /^\d{8}T\d{6}\.\d{3}Z-\d+-1$/);
  assertEquals([header.host_session, JSON.parse(second.split("\n")[0] ?? "").host_session], [
    "host-A",
    undefined,
  ]);
  assertEquals(
    first.split("\n").slice(1, -1).map((line) => JSON.parse(line)).map((l) =>
      `${l.from} ${l.message.id}`
    ),
    ["client i", "server i", "client 1", "server 1", "client 2", "server 2"],
  );
});

Deno.test("hoist-mcp --listen answers 400 without a session id, and 404 to one it does not know (R07, S8)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const host = await proxy.open();
  await host.delete();
  const ended = host.headers["mcp-session-id"] ?? "";
  for (const id of [ended, "00000000-0000-4000-8000-000000000000", "__proto__", "toString", "x"]) {
    const headers = { "mcp-session-id": id, accept: "text/event-stream" };
    for (const method of ["GET", "DELETE"]) {
      const response = await proxy.fetch({ method, headers });
      assertEquals([method, id, response.status], [method, id, 404]);
      await response.body?.cancel();
    }
    const response = await proxy.post(toolCall(7, "echo"), { "mcp-session-id": id });
    assertEquals(response.status, 404);
    assertEquals((await response.json()).id, 7);
  }
  for (const headers of [{}, { "mcp-session-id": "" }] as Record<string, string>[]) {
    const response = await proxy.post(toolCall(1, "echo"), headers);
    assertEquals(response.status, 400);
    await response.body?.cancel();
  }
});

Deno.test("hoist-mcp --listen serves initialize whatever version its header names (P07, S12)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  for (const version of ["2025-11-25", "2024-11-05", "2026-07-28", "2099-01-01", "bogus"]) {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t" } };
    const response = await proxy.post(
      { jsonrpc: "2.0", id: 0, method: "initialize", params },
      { "mcp-protocol-version": version },
    );
    assertEquals([version, response.status], [version, 200]);
    assertEquals((await messagesOf(response))[0].result.protocolVersion, "2025-06-18");
  }
});

Deno.test("hoist-mcp --listen keeps a session through any number of GET streams (R17, S10)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const host = await proxy.open("2025-06-18");
  const call = host.call(1, "sleep", { ms: 400, text: "slept" });
  const first = await host.get();
  const second = await host.get();
  assertEquals(await first.text(), "", "the first is replaced");
  await second.body?.cancel();
  await wait(50);
  const third = await host.get();
  assertEquals([first.status, second.status, third.status], [200, 200, 200]);
  assertEquals(text(await call), "slept");
  await host.call(2, "later", { ms: 50, data: "on the newest" });
  const seen = await readUntil(third, (m) => m.params?.data === "on the newest");
  assertEquals(seen.at(-1)?.message.params.data, "on the newest");
});

Deno.test("hoist-mcp --listen hands each notification on once, and keeps those nobody hears yet (P09)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const host = await proxy.open("2025-06-18");
  await host.call(1, "later", { ms: 0, data: "kept" });
  await wait(100);
  const get = await host.get();
  const calls = await host.call(2, "changed");
  assertEquals(calls.length, 1, "on the GET stream, not here");
  const seen = await readUntil(get, (m) => m.method === "notifications/tools/list_changed");
  assertEquals(seen.map(({ message }) => message.method), [
    "notifications/message",
    "notifications/tools/list_changed",
  ]);
});

Deno.test("hoist-mcp --listen gives progress to its own request, and asks the host in the middle of one (S11)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const host = await proxy.open();
  const many = await Promise.all(
    [1, "1", 2].map((id) => host.call(id, "progress", { count: 3, ms: 20 }, { progressToken: id })),
  );
  for (const [i, id] of [1, "1", 2].entries()) {
    const tokens = many[i]?.slice(0, -1).map((m) => m.params.progressToken);
    assertEquals(tokens, [id, id, id]);
    assertEquals(many[i]?.at(-1).id, id);
  }
  const response = await host.post(toolCall(1, "ask"));
  const reader = response.body?.getReader();
  assert(reader !== undefined);
  let bytes = new Uint8Array();
  const read = async () => {
    const { value } = await reader.read();
    bytes = new Uint8Array([...bytes, ...value ?? []]);
    return eventsOf(bytes).flatMap(({ message }) => message ?? []);
  };
  while (!(await read()).some((m) => m.method === "roots/list"));
  const answer = { jsonrpc: "2.0", id: 1, result: { roots: ["é"] } };
  assertEquals(await statusOf(host.post(answer)), 202);
  let messages: Json[] = [];
  while (!(messages = await read()).some((m) => m.result !== undefined));
  assertEquals(text(messages), '{"roots":["é"]}', "the server's id 1 is not the host's");
  await reader.cancel();
});

Deno.test("hoist-mcp --listen resumes a stream that dropped, after the last event the host got (S13, S15)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const host = await proxy.open();
  const call = toolCall(1, "progress", { count: 10, ms: 30 }, { progressToken: "p" });
  const dropped = await readUntil(await host.post(call), (m) => m.params?.progress === 2);
  const last = dropped.at(-1)?.id ?? "";
  await wait(100);
  const resumed = await readUntil(
    await host.get({ "last-event-id": last }),
    (m) => m.result !== undefined,
  );
  const progress = resumed.flatMap(({ message }) => message?.params?.progress ?? []);
  assertEquals(progress, [3, 4, 5, 6, 7, 8, 9], "each once");
  const again = await messagesOf(await host.get({ "last-event-id": resumed.at(-2)?.id ?? "" }));
  assertEquals(again.map((m) => m.id), [1], "the answer, from the history");
});

Deno.test("hoist-mcp --listen hands a cancellation on at once, with the host's id (R20, S17)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const host = await proxy.open();
  const call = host.call(41, "sleep", { ms: 3000 });
  await wait(100);
  for (const requestId of [41, 99, "41"]) {
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
    assertEquals(await statusOf(host.post(cancel)), 202);
  }
  assertEquals(JSON.parse(text(await host.call(42, "cancels"))).cancels, [41, 99, "41"]);
  assert((await call).at(-1).error !== undefined, "its reply has ended");
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  };
}
function modernCall(proxy: ListeningProxy, id: Json, name: string, args?: unknown, meta = {}) {
  const call = toolCall(id, name, args, { ...META, ...meta });
  return proxy.post(call, modernHeaders("tools/call", name));
}

Deno.test("hoist-mcp --listen serves modern requests of many hosts with one server (S22)", async () => {
  await using proxy = await ListeningProxy.start({ server: MODERN_SERVER, record: true });
  const pids = await Promise.all(
    Array.from(
      { length: 20 },
      async () => text(await messagesOf(await modernCall(proxy, 1, "whoami"))),
    ),
  );
  assertEquals(new Set(pids).size, 1);
  const progress = await Promise.all([7, "7", 8].map(async (id) =>
    await messagesOf(
      await modernCall(proxy, id, "progress", { count: 2, ms: 20 }, { progressToken: 1 }),
    )
  ));
  for (const [i, id] of [7, "7", 8].entries()) {
    assertEquals(progress[i]?.map((m) => m.params?.progressToken ?? m.id), [1, 1, id]);
  }
  const held = await modernCall(proxy, 9, "sleep", { ms: 2000 });
  assertEquals(held.headers.get("content-type"), "text/event-stream");
  assertEquals(held.headers.get("mcp-session-id"), null);
  await held.body?.cancel();
  await wait(100);
  const seen = JSON.parse(text(await messagesOf(await modernCall(proxy, 1, "cancels"))));
  assertEquals(seen, { cancels: [24], own: 25 }, "the 24th of ours, and only that");
  proxy.kill("SIGTERM");
  assertEquals(await proxy.exit(), 0);
  const [log = "", ...more] = await proxy.logs();
  assertEquals(more, []);
  assertEquals(log.split("\n").filter((line) => line.includes('"whoami"')).length, 20);
});

Deno.test("hoist-mcp --listen refuses modern requests as a legacy server does, when its server is one", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER, record: true });
  for (let i = 0; i < 2; i++) {
    const response = await modernCall(proxy, 5, "echo");
    assertEquals(response.status, 400);
    const { id, error } = await response.json();
    assertEquals([id, error.code], [5, -32000]);
  }
  assertEquals(text(await (await proxy.open()).call(1, "echo", { text: "x" })), "x");
  assertEquals((await proxy.logs()).length, 1, "the probe left none");
});

Deno.test("hoist-mcp --listen starts another server for modern requests when one has ended", async () => {
  await using proxy = await ListeningProxy.start({ server: MODERN_SERVER });
  const response = await modernCall(proxy, 1, "exit");
  const [answer] = await messagesOf(response);
  assertEquals([answer.id, answer.error.code], [1, -32603]);
  await wait(1200);
  assertEquals(text(await messagesOf(await modernCall(proxy, 1, "echo", { text: "x" }))), "x");
});

Deno.test("hoist-mcp --listen lets nobody in by another name, and starts nothing for them (R25, S2)", async () => {
  await using proxy = await ListeningProxy.start({ plan: [{ echo: "" }] });
  const { port } = new URL(proxy.url);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
  const rows: readonly (readonly [string, string | undefined])[] = [
    [`evil.example:${port}`, undefined],
    ["127.0.0.1", undefined],
    ["127.0.0.1:1", undefined],
    [`localhost.:${port}`, undefined],
    [`127.0.0.1:${port}`, "http://evil.example"],
    [`127.0.0.1:${port}`, "null"],
    [`127.0.0.1:${port}`, ""],
    [`127.0.0.1:${port}`, "http://localhost:1"],
  ];
  for (const [host, origin] of rows) {
    for (const method of ["POST", "GET", "DELETE", "OPTIONS"]) {
      const head = `${method} /mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n` +
        (origin === undefined ? "" : `Origin: ${origin}\r\n`) +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      assertEquals([host, origin, method, await rawStatus(Number(port), head)], [
        host,
        origin,
        method,
        403,
      ]);
    }
  }
  assert(await Deno.stat(`${proxy.dir}/starts`).then(() => false, () => true), "no server started");
});

async function rawStatus(port: number, request: string): Promise<number> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(request));
  const text = await new Response(connection.readable).text();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
}

Deno.test("hoist-mcp --listen-token-file wants the token, and keeps it to itself (S3)", async () => {
  const file = await Deno.makeTempFile();
  const token = "correct-horse-battery";
  await Deno.writeTextFile(file, `${token}\n`);
  const proxy = await ListeningProxy.start({
    server: SERVER,
    flags: ["--listen-token-file", file],
    record: true,
  });
  for (const authorization of ["", "Bearer wrong-horse-battery", `Basic ${token}`]) {
    const response = await proxy.post(toolCall(1, "echo"), { authorization });
    assertEquals([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
    await response.body?.cancel();
  }
  const host = await proxy.open("2025-11-25", { authorization: `Bearer ${token}` });
  assertEquals(text(await host.call(1, "echo", { text: "in" })), "in");
  const command = await Deno.readTextFile(`/proc/${proxy.pid}/cmdline`);
  proxy.kill("SIGTERM");
  await proxy.exit();
  const all = [command, await proxy.stderr(), ...await proxy.logs()].join("\n");
  assert(!all.includes(token));
  await Deno.remove(file);
  await proxy[Symbol.asyncDispose]();
});

const MUTE = [{ lines: 1 }, { say: '{"jsonrpc":"2.0","id":"i","result":{}}\n' }, {
  eof: true,
}] as const;
const OPENING = { jsonrpc: "2.0", id: "i", method: "initialize", params: {} };

Deno.test("hoist-mcp --listen opens 64 sessions, and no more (S26)", async () => {
  await using proxy = await ListeningProxy.start({ plan: MUTE });
  const opened = await Promise.all(Array.from({ length: 64 }, () => proxy.post(OPENING)));
  assertEquals(new Set(opened.map((r) => r.status)), new Set([200]));
  const one = await proxy.post(OPENING);
  assertEquals([one.status, one.headers.get("retry-after")], [503, "30"]);
  await Promise.all([one, ...opened].map((r) => r.body?.cancel()));
});

Deno.test("hoist-mcp --listen-idle ends a session that nobody uses", async () => {
  await using proxy = await ListeningProxy.start({
    server: SERVER,
    flags: ["--listen-idle", "0.02"],
  });
  const idle = await proxy.open();
  const busy = await proxy.open();
  const get = await busy.get();
  const pid = Number(text(await idle.call(1, "whoami")));
  await gone(pid);
  assertEquals(await statusOf(idle.post(toolCall(2, "echo"))), 404);
  assertEquals(text(await busy.call(1, "echo", { text: "x" })), "x", "an open stream is use");
  await get.body?.cancel();
});

Deno.test("hoist-mcp --listen-idle ends a session whose host hung up on a server that never answers", async () => {
  await using proxy = await ListeningProxy.start({
    server: SERVER,
    flags: ["--listen-idle", "0.02", "--exit-grace", "0.2"],
  });
  const host = await proxy.open();
  const pid = Number(text(await host.call(1, "whoami")));
  const response = await host.post(toolCall(2, "sleep", { ms: 3_600_000 }));
  await response.body?.cancel();
  await gone(pid);
  assertEquals(await statusOf(host.post(toolCall(3, "echo"))), 404);
});

Deno.test("hoist-mcp --listen says 413, 415, 406 and 405 where they are due (S5, S6, S26)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const host = await proxy.open();
  const huge = toolCall(1, "echo", { text: "x".repeat(4 * 1_048_576) });
  assertEquals(await statusOf(host.post(huge)), 413);
  assertEquals(
    await statusOf(host.post(toolCall(1, "echo"), { "content-type": "text/plain" })),
    415,
  );
  assertEquals(await statusOf(host.post(toolCall(1, "echo"), { accept: "text/html" })), 406);
  assertEquals(await statusOf(host.get({ accept: "application/json" })), 406);
  assertEquals(await statusOf(proxy.fetch({ method: "PUT", headers: host.headers })), 405);
  assertEquals(await statusOf(proxy.fetch({ method: "GET", headers: modernHeaders("x") })), 405);
  assertEquals(await statusOf(host.post("{")), 400);
  assertEquals(await statusOf(host.post("[]")), 400);
  assertEquals(await statusOf(host.post([toolCall(1, "echo")])), 400);
  const batch = await proxy.open("2025-03-26");
  const calls = [toolCall(1, "echo", { text: "a" }), toolCall(2, "echo")];
  const answers = (await messagesOf(await batch.post(calls))).flat();
  assertEquals(answers.map((m: Json) => m.id).sort(), [1, 2]);
});

Deno.test("hoist-mcp --listen keeps a batch's first answers when its stream begins before the last", async () => {
  const result = (id: unknown, result: Json) => JSON.stringify({ jsonrpc: "2.0", id, result });
  await using proxy = await ListeningProxy.start({
    plan: [
      { lines: 1 },
      { say: result("i", { protocolVersion: "2025-03-26" }) + "\n" },
      { lines: 2 },
      { say: result(1, { n: 1 }) + "\n" },
      { lines: 3 },
      { say: result(2, { n: 2 }) + "\n" },
      { eof: true },
    ],
  });
  const host = await proxy.open("2025-03-26");
  // It has begun: the second is not answered before the server is told something more.
  const response = await host.post([toolCall(1, "echo"), toolCall(2, "echo")]);
  await (await host.post({ jsonrpc: "2.0", method: "notifications/x" })).body?.cancel();
  assertEquals((await messagesOf(response)).map(({ id }) => id), [1, 2]);
});

Deno.test("hoist-mcp --listen holds nothing of sessions that have ended", async () => {
  const [program = "", ...args] = util("held_sessions");
  const { stdout } = await new Deno.Command(program, {
    args: ["run", "--v8-flags=--expose-gc", ...args.slice(1), "4"],
    stderr: "inherit",
  }).output();
  const { made, alive } = JSON.parse(new TextDecoder().decode(stdout));
  assert(made >= 4 + 4 + 80, `${made} objects`);
  assertEquals(alive, 0);
});
