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
