/**
 * A tiny MCP server on stdio, of the legacy era and, with `--modern`, of both,
 * for tests of hosts over HTTP. It speaks JSON lines and no SDK.
 *
 * With `--shop` it has the demo's shop as well.
 *
 * Tools: `echo {text}`, `whoami`, `sleep {ms}`, `progress {count, ms}`,
 * `ask` (a request to the host first), `later {ms}` (a log message after the
 * answer), `changed` (a list_changed notification), `cancels` (what was
 * cancelled so far), `big {size}`, `exit`. Its environment's `HOIST_TEST_READ`
 * and such are not looked at.
 *
 * @module
 */

import { RETAIL_TOOLS } from "../../lib/demo/retail.ts";
import type { DemoTool } from "../../lib/demo/tools.ts";

const MODERN = Deno.args.includes("--modern");
const SHOP = Deno.args.includes("--shop") ? RETAIL_TOOLS : [];
const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const KEY = "io.modelcontextprotocol/protocolVersion";
const cancels: unknown[] = [];
const waiting = new Map<unknown, (answer: unknown) => void>();
let asked = 0;

// deno-lint-ignore no-explicit-any
type Json = any;

function listing({ name, properties, required, readOnlyHint }: DemoTool): Json {
  const inputSchema = { type: "object", properties, required };
  return { name, inputSchema, annotations: { readOnlyHint } };
}

const encoder = new TextEncoder();
function send(message: Json): void {
  const bytes = encoder.encode(JSON.stringify(message) + "\n");
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
}
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function call({ id, params }: Json): Promise<Json> {
  const args = params.arguments ?? {};
  const text = (words: unknown) => ({
    ...(params._meta?.[KEY] === undefined ? {} : { resultType: "complete" }),
    content: [{ type: "text", text: typeof words === "string" ? words : JSON.stringify(words) }],
  });
  switch (params.name) {
    case "echo":
      return text(args.text);
    case "whoami":
      return text(Deno.pid);
    case "sleep":
      await wait(args.ms);
      return text(args.text ?? "slept");
    case "big":
      return text("x".repeat(args.size));
    case "progress":
      for (let progress = 0; progress < args.count; progress++) {
        await wait(args.ms ?? 0);
        const { progressToken } = params._meta ?? {};
        send({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, progress },
        });
      }
      return text("done");
    case "ask": {
      const own = ++asked;
      const answer = new Promise((resolve) => waiting.set(own, resolve));
      send({ jsonrpc: "2.0", id: own, method: "roots/list" });
      return text(await answer);
    }
    case "later":
      setTimeout(() => {
        const data = args.data ?? "later";
        send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } });
      }, args.ms);
      return text("soon");
    case "changed":
      send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      return text("changed");
    case "cancels":
      return text({ cancels, own: id });
    case "exit":
      return Deno.exit(3);
    default: {
      const tool = SHOP.find(({ name }) => name === params.name);
      return tool && text(tool.run(args).text);
    }
  }
}

async function request(message: Json): Promise<void> {
  const { id, method, params } = message;
  const isModern = params?._meta?.[KEY] !== undefined;
  const fail = (code: number, words: string) =>
    send({ jsonrpc: "2.0", id, error: { code, message: words } });
  if (isModern && !MODERN) return fail(-32601, "Method not found");
  const common = isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
  switch (method) {
    case "initialize": {
      const { protocolVersion: asked } = params;
      const protocolVersion = VERSIONS.includes(asked) ? asked : "2025-11-25";
      const serverInfo = { name: "echo", version: "0" };
      return send({
        jsonrpc: "2.0",
        id,
        result: { protocolVersion, capabilities: {}, serverInfo },
      });
    }
    case "server/discover":
      return send({
        jsonrpc: "2.0",
        id,
        result: { ...common, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
      });
    case "tools/list":
      return send({
        jsonrpc: "2.0",
        id,
        result: { ...common, tools: [{ name: "echo" }, { name: "sleep" }, ...SHOP.map(listing)] },
      });
    case "tools/call": {
      const result = await call(message);
      return result === undefined
        ? fail(-32602, "Unknown tool")
        : send({ jsonrpc: "2.0", id, result });
    }
    default:
      return fail(-32601, "Method not found");
  }
}

let rest = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  rest += chunk;
  const lines = rest.split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const parsed = JSON.parse(line);
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
      if (message.method === "notifications/cancelled") cancels.push(message.params.requestId);
      else if (message.method === undefined) waiting.get(message.id)?.(message.result);
      else if (message.id !== undefined) request(message);
    }
  }
}
