/**
 * Opens and ends sessions of a listening backend in this process, collects
 * garbage, and prints how many of its objects are still alive.
 *
 * Usage: `deno run -A --v8-flags=--expose-gc held_sessions.ts SESSIONS`
 *
 * @module
 */

import { parseProxyFlags } from "../../lib/proxy_options/proxy_flags.ts";
import { denoRuntime } from "../../lib/runtime/deno_runtime.ts";
import { ChildLink } from "../../lib/relay/child_link.ts";
import { HostReply } from "../../lib/session/listen/host_reply.ts";
import { HttpSession } from "../../lib/session/listen/http_session.ts";
import { StdioBackend } from "../../lib/http_server/stdio_backend.ts";
import { util } from "./executables.ts";
import { toolCall } from "./listening_proxy.ts";

const made: WeakRef<object>[] = [];
const seen = new WeakSet<object>();

/** Keeps a weak eye on each object whose method is called. */
function watch(of: { readonly prototype: object }, method: string): void {
  const own: unknown = Reflect.get(of.prototype, method);
  if (typeof own !== "function") throw new TypeError(`no method ${method}`);
  Reflect.set(of.prototype, method, function (this: object, ...args: unknown[]) {
    if (!seen.has(this)) made.push(new WeakRef(this));
    seen.add(this);
    return own.apply(this, args);
  });
}

watch(HttpSession, "post");
watch(ChildLink, "send");
watch(HostReply, "finish");

const flags = ["--listen", "127.0.0.1:0", "--", ...util("echo_mcp_server")];
const parsed = parseProxyFlags(flags, "/");
if (parsed.kind !== "options") throw new Error("not a command line");
const backend = new StdioBackend(parsed.options, denoRuntime("held_sessions"));

async function post(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const all: Record<string, string> = { accept: "application/json, text/event-stream", ...headers };
  const body = new TextEncoder().encode(JSON.stringify(message));
  return await backend.post(body, new Request("http://h/mcp"), (name) => all[name]);
}

async function session(): Promise<void> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t" } };
  const opened = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await opened.text(); // A host that leaves before the answer has no session.
  const header = (name: string) =>
    ({ ...headers, accept: "text/event-stream" } as Record<string, string>)[name];
  const stream = await backend.get(new Request("http://h/mcp"), header);
  for (let id = 1; id <= 20; id++) {
    const args = { count: 2, ms: id % 10 === 0 ? 60 : 0, text: "x".repeat(1_000) };
    const response = await post(toolCall(id, id % 5 === 0 ? "progress" : "echo", args), headers);
    await (id % 7 === 0 ? response.body?.cancel() : response.text()); // Some hang up.
  }
  await backend.delete(new Request("http://h/mcp"), header);
  await stream.body?.cancel();
}

await Promise.all(Array.from({ length: Number(Deno.args[0]) }, session));
await backend.stop(); // Its sessions have ended, and their servers.
const collect: unknown = Reflect.get(globalThis, "gc");
if (typeof collect !== "function") throw new Error("needs --v8-flags=--expose-gc");
let alive = made.length;
for (let turn = 0; turn < 100 && alive > 0; turn++) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  collect();
  alive = made.filter((ref) => ref.deref() !== undefined).length;
}
console.log(JSON.stringify({ made: made.length, alive }));
