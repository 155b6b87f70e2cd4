/**
 * Sessions of `hoist-mcp --listen` that do not become any, hosts that leave, and
 * what a listener lets itself be called.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { executable, util } from "../util/executables.ts";
import { type Json, ListeningProxy, messagesOf, toolCall } from "../util/listening_proxy.ts";
import { gone } from "../util/manual_host.ts";

const SERVER = ["--", ...util("echo_mcp_server")];
const OPENING = { jsonrpc: "2.0", id: "i", method: "initialize", params: {} };
const text = (messages: Json[]) => messages.at(-1)?.result?.content?.[0]?.text;
const statusOf = async (asked: Promise<Response>) => {
  const { status, body } = await asked;
  await body?.cancel();
  return status;
};

/** The scripted server's process, once it says its id. */
async function pidOf({ dir }: ListeningProxy): Promise<number> {
  for (;;) {
    const said = await Deno.readTextFile(`${dir}/pid`).catch(() => "");
    if (said !== "") return Number(said);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test("hoist-mcp --listen keeps no session whose initialize was refused (S25)", async () => {
  const error = { code: -32022, message: "Unsupported protocol version" };
  const refusal = JSON.stringify({ jsonrpc: "2.0", id: "i", error });
  await using proxy = await ListeningProxy.start({
    plan: [{ lines: 1 }, { say: `${refusal}\n` }, { eof: true }],
    record: true,
  });
  const response = await proxy.post(OPENING);
  const session = response.headers.get("mcp-session-id") ?? "";
  assertEquals((await messagesOf(response)).at(-1)?.error, error);
  await gone(await pidOf(proxy));
  const later = proxy.post(toolCall(1, "echo"), { "mcp-session-id": session });
  assertEquals(await statusOf(later), 404);
  for (let i = 0; i < 3; i++) await (await proxy.post(OPENING)).body?.cancel();
  const [log = ""] = await proxy.logs();
  assertStringIncludes(log, refusal, "its log is there");
});

Deno.test("hoist-mcp --listen keeps no session whose host left before the answer to initialize", async () => {
  await using proxy = await ListeningProxy.start({ plan: [{ eof: true }] });
  const response = await proxy.post(OPENING);
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  const pid = await pidOf(proxy);
  await response.body?.cancel();
  await gone(pid);
});

Deno.test("hoist-mcp --listen leaves no log of a server that cannot be started", async () => {
  await using proxy = await ListeningProxy.start({ server: ["--", "/no/such"], record: true });
  const response = await proxy.post(OPENING);
  assertEquals([response.status, (await response.json()).id], [500, "i"]);
  assertEquals(await proxy.logs(), []);
});

Deno.test("hoist-mcp --listen cancels a modern request whose host takes JSON alone, and leaves (S16)", async () => {
  await using proxy = await ListeningProxy.start({ server: [...SERVER, "--modern"] });
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const call = (id: number, name: string, init: RequestInit = {}) =>
    proxy.fetch({
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
      body: JSON.stringify(toolCall(id, name, { ms: 60_000 }, meta)),
      ...init,
    });
  await messagesOf(await call(1, "whoami"));
  const leaving = new AbortController();
  const left = call(2, "sleep", { signal: leaving.signal }).catch(() => {});
  let cancels: unknown[] = [];
  for (let id = 3; cancels.length === 0 && id < 1_000; id++) {
    const seen = JSON.parse(text(await messagesOf(await call(id, "cancels"))));
    cancels = seen.cancels;
    if (seen.own === id) leaving.abort(); // The second is there.
  }
  await left;
  assertEquals(cancels.length, 1);
});

Deno.test("hoist-mcp --listen-idle ends a session whose host takes JSON alone, and left", async () => {
  await using proxy = await ListeningProxy.start({
    server: SERVER,
    flags: ["--listen-idle", "0.02", "--exit-grace", "0.2"],
  });
  const host = await proxy.open();
  const pid = Number(text(await host.call(1, "whoami")));
  const leaving = new AbortController();
  const left = proxy.fetch({
    method: "POST",
    headers: { ...host.headers, accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(toolCall(2, "sleep", { ms: 3_600_000 })),
    signal: leaving.signal,
  }).catch(() => {});
  setTimeout(() => leaving.abort(), 300);
  await left;
  await gone(pid);
});

Deno.test("hoist-mcp --listen answers with bodies that nobody packs", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const host = await proxy.open();
  const response = await host.post(toolCall(1, "big", { size: 3_000 }), {
    accept: "application/json",
    "accept-encoding": "gzip",
  });
  assertEquals(response.headers.get("content-encoding"), null);
  assertEquals(response.headers.get("cache-control"), "no-transform");
  assertEquals(text(await messagesOf(response)).length, 3_000);
});

Deno.test("hoist-mcp --listen localhost answers to the name and to its address", async () => {
  const [program = "", ...args] = [...executable("hoist-mcp"), "--listen", "LocalHost:0"];
  const child = new Deno.Command(program, {
    args: [...args, ...SERVER],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const url = new TextDecoder().decode((await reader.read()).value).trim();
  const { port } = new URL(url);
  const reached: number[] = [];
  for (const name of ["localhost", "127.0.0.1", "[::1]"]) {
    const asked = statusOf(fetch(`http://${name}:${port}/mcp`, { method: "PUT" }));
    reached.push(await asked.catch(() => 0));
  }
  assertEquals(reached[0], 405);
  assert(reached.slice(1).includes(405), `${reached}`);
  assert(!reached.includes(403), `${reached}`);
  child.kill("SIGTERM");
  assertEquals((await child.status).code, 0);
  await reader.cancel();
});

const TOKENS: readonly (readonly [string, string, boolean])[] = [
  ["empty", "", false],
  ["a newline", "\n", false],
  ["too short", "0123456789abcde\n", false],
  ["two lines", "0123456789abcdef\n\n", false],
  ["a byte order mark", "\ufeff0123456789abcdef\n", false],
  ["spaces", "0123456789abcdef \n", false],
  ["a line that ends with CRLF", "0123456789abcdef\r\n", true],
  ["a line that does not end", "0123456789abcdef", true],
];

for (const [name, content, isGood] of TOKENS) {
  Deno.test(`hoist-mcp --listen-token-file ${isGood ? "takes" : "refuses"} ${name}`, async () => {
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, content);
    const [program = "", ...args] = executable("hoist-mcp");
    const flags = ["--listen", "127.0.0.1:0", "--listen-token-file", file];
    if (isGood) {
      await using proxy = await ListeningProxy.start({ server: SERVER, flags: flags.slice(2) });
      const authorization = "Bearer 0123456789abcdef";
      assertEquals(await statusOf(proxy.post(toolCall(1, "x"), { authorization })), 400);
    } else {
      const { code, stderr } = await new Deno.Command(program, {
        args: [...args, ...flags, ...SERVER],
      })
        .output();
      assertEquals(code, 2);
      const said = new TextDecoder().decode(stderr);
      assertStringIncludes(said, "at least 16 printable ASCII characters");
      assert(!said.includes("0123456789"), said);
    }
    await Deno.remove(file);
  });
}

Deno.test("hoist-mcp --listen says first where it records", async () => {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/token`, "0123456789abcdef\n", { mode: 0o644 });
  await Deno.chmod(`${dir}/token`, 0o644);
  await using proxy = await ListeningProxy.start({
    server: SERVER,
    flags: ["--record", `${dir}/log`, "--listen-token-file", `${dir}/token`],
  });
  proxy.kill("SIGTERM");
  await proxy.exit();
  const [first, second] = (await proxy.stderr()).split("\n");
  assertEquals(first, `hoist-mcp: recording to ${dir}/log, one log per session`);
  assertEquals(second?.includes("others may read it"), true);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("hoist-mcp --listen-token-file says when others may read it", async () => {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, "0123456789abcdef\n");
  for (const [mode, isOpen] of [[0o600, false], [0o640, false], [0o644, true]] as const) {
    await Deno.chmod(file, mode);
    const proxy = await ListeningProxy.start({
      server: SERVER,
      flags: ["--listen-token-file", file],
    });
    proxy.kill("SIGTERM");
    await proxy.exit();
    assertEquals((await proxy.stderr()).includes("others may read it"), isOpen);
    await proxy[Symbol.asyncDispose]();
  }
  await Deno.remove(file);
});

Deno.test("hoist-mcp --listen ends with twenty sessions in flight: each host is answered, each log closed", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER, record: true });
  const hosts = await Promise.all(Array.from({ length: 20 }, () => proxy.open()));
  const calls = hosts.map((host) => host.post(toolCall(5, "sleep", { ms: 3_600_000 })));
  const responses = await Promise.all(calls); // Their streams are open.
  proxy.kill("SIGTERM");
  const answers = await Promise.all(responses.map(messagesOf));
  assertEquals(new Set(answers.map((a) => `${a.length} ${a[0].id} ${a[0].error?.code}`)).size, 1);
  assertEquals(answers[0]?.[0].error?.code, -32603);
  assertEquals(await proxy.exit(), 0);
  const logs = await proxy.logs();
  assertEquals(logs.length, 20);
  assertEquals(new Set(logs.map((log) => log.trimEnd().split("\n").length)), new Set([5]));
});
