/** Starts hoist-mcp-demo as a host would. */

import { assertEquals, assertStringIncludes } from "@std/assert";

const COMMAND = [Deno.execPath(), "run", "-A", "cmd/hoist_mcp_demo.ts"];

const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "0" },
  },
};

async function run(args: readonly string[], messages: readonly unknown[]) {
  const [command = "", ...rest] = [...COMMAND, ...args];
  const child = new Deno.Command(command, {
    args: rest,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = new Response(messages.map((message) => JSON.stringify(message) + "\n").join(""));
  await input.body?.pipeTo(child.stdin);
  if (input.body === null) await child.stdin.close();
  const { stdout, stderr, code } = await child.output();
  const lines = new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
  return {
    lines,
    replies: lines.map((line) => JSON.parse(line)),
    stderr: new TextDecoder().decode(stderr),
    code,
  };
}

function lookup(id: number, args: unknown, name = "lookup") {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

Deno.test("hoist-mcp-demo introduces itself, answers what was asked before EOF, and ends with 0", async () => {
  const { replies, stderr, code } = await run([], [
    HELLO,
    { jsonrpc: "2.0", method: "notifications/initialized" },
    lookup(2, { text: "slow", delay_ms: 100 }),
    lookup(3, { text: "no", fail: true }, "update"),
    lookup(4, { delay_ms: -1 }),
    lookup(5, {}, "nothing"),
  ]);
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  assertEquals(byId.get(1)?.result.serverInfo, { name: "hoist-mcp-demo", version: "0.1.0" });
  assertEquals(byId.get(1)?.result.instructions.endsWith("."), true);
  assertEquals(byId.get(2)?.result, {
    content: [{ type: "text", text: '{"text":"slow","delay_ms":100}' }],
    isError: false,
  });
  assertEquals(byId.get(3)?.result, {
    content: [{ type: "text", text: '{"text":"no","fail":true}' }],
    isError: true,
  });
  assertEquals(byId.get(4)?.result.isError, true);
  assertEquals(byId.get(5)?.error.code, -32602);
  assertEquals(replies.at(-1)?.id, 2); // The slow one last: calls run side by side.
  assertEquals([stderr, code], ["", 0]);
});

Deno.test("hoist-mcp-demo lists the tools it was told to", async () => {
  const { replies } = await run(["--hint", "lookup=none", "--hide", "update"], [
    HELLO,
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
  ]);
  const { tools } = replies[1].result;
  assertEquals(tools.length, 1);
  assertEquals([tools[0].name, tools[0].annotations], ["lookup", undefined]);
});

Deno.test("hoist-mcp-demo refuses a wrong flag with 2 and ends at once without input with 0", async () => {
  const wrong = await run(["--world", "x"], []);
  assertEquals([wrong.lines, wrong.code], [[], 2]);
  assertStringIncludes(wrong.stderr, "hoist-mcp-demo: --world needs");
  assertEquals((await run([], [])).code, 0);
});

Deno.test("hoist-mcp-demo --http prints its URL and insists on session id and version", async () => {
  const [command = "", ...args] = [...COMMAND, "--http", "127.0.0.1:0"];
  const child = new Deno.Command(command, { args, stdin: "null", stdout: "piped", stderr: "null" })
    .spawn();
  const reader = child.stdout.getReader();
  const url = new TextDecoder().decode((await reader.read()).value).trim();
  assertEquals(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/.test(url), true, url);
  const post = async (message: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(message),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const opened = await post(HELLO);
  const session = opened.headers.get("mcp-session-id") ?? "";
  const version = { "mcp-protocol-version": "2025-06-18" };
  assertEquals([opened.status, session.length > 0], [200, true]);
  const call = lookup(2, { text: "hi" });
  const good = await post(call, { "mcp-session-id": session, ...version });
  assertEquals(good.status, 200);
  assertStringIncludes(good.text, 'text\\":\\"hi');
  assertEquals((await post(call)).status, 400, "no session id");
  assertEquals((await post(call, { "mcp-session-id": session })).status, 400, "no version");
  assertEquals((await post(call, { "mcp-session-id": "other", ...version })).status, 404);
  assertEquals((await post(HELLO, { origin: "http://evil.example" })).status, 403);
  assertEquals((await post(HELLO, { origin: new URL(url).origin })).status, 200);
  child.kill("SIGTERM");
  assertEquals((await child.status).code, 0);
  await reader.cancel();
});

Deno.test("hoist-mcp-demo --http says in one line that it cannot listen", async () => {
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { code, stderr, lines } = await run(["--http", `127.0.0.1:${taken.addr.port}`], []);
  taken.close();
  assertEquals([code, lines, stderr.trim().split("\n").length], [1, [], 1]);
  assertStringIncludes(stderr, `cannot listen on 127.0.0.1:${taken.addr.port}: `);
});
