/**
 * `hoist lock` and `hoist-mcp --lock`, with real servers: the demo's two worlds stand for two
 * versions of one server.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { executable } from "../util/executables.ts";
import { ListeningProxy, messagesOf } from "../util/listening_proxy.ts";

const DEMO = executable("hoist-mcp-demo");
const OTHER = [...DEMO, "--world", "retail"];

async function run(
  program: string,
  args: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  const [command = "", ...first] = executable(program);
  const child = new Deno.Command(command, {
    args: [...first, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

const SESSION = [
  {
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    },
  },
  { method: "notifications/initialized" },
  {
    id: 2,
    method: "tools/call",
    params: { name: "get_order_details", arguments: { order_id: "#W1" } },
  },
  { id: 3, method: "tools/list" },
].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n").join("");

/** The answer to a request of a session whose host ends it once that has come. */
async function answer(
  id: number,
  flags: readonly string[],
  server: readonly string[],
): Promise<string> {
  const [command = "", ...first] = executable("hoist-mcp");
  const child = new Deno.Command(command, {
    args: [...first, ...flags, "--", ...server],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(SESSION));
  const found: string[] = [];
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const line = text.split("\n").slice(0, -1).find((line) => line.includes(`"id":${id}`));
    if (line === undefined || found.length > 0) continue;
    found.push(line);
    await writer.close();
  }
  await child.status;
  return found[0] ?? text;
}

Deno.test("hoist lock writes a lock, finds changes and takes them after a review; --lock keeps to it", async () => {
  const dir = await Deno.makeTempDir({ prefix: "hoist-lock-" });
  const lock = `${dir}/tools.lock.json`;
  try {
    const missing = await run("hoist-mcp", ["--lock", lock, "--", ...DEMO]);
    assertEquals([missing.code, missing.out], [2, ""]);
    assertStringIncludes(missing.err, `--lock "${lock}"`);

    assertEquals((await run("hoist", ["lock", "--file", lock, "--", ...DEMO])).code, 0);
    assertEquals((await run("hoist", ["lock", "--file", lock, "--", ...DEMO])).code, 0);
    const before = await Deno.readTextFile(lock);
    for (const review of [[], ["--review"]]) {
      const changed = await run("hoist", ["lock", "--file", lock, ...review, "--", ...OTHER]);
      assertEquals(changed.code, 1);
      assertStringIncludes(changed.out, "tool get_order_details: new");
      assertEquals(await Deno.readTextFile(lock), before);
    }
    assertStringIncludes(await answer(2, ["--lock", lock], OTHER), "does not fit");
    assertEquals(JSON.parse(await answer(3, ["--lock", lock], OTHER)).result.tools, []);

    const taken = await run("hoist", ["lock", "--file", lock, "--review", "--yes", "--", ...OTHER]);
    assertEquals(taken.code, 0);
    assertStringIncludes(await answer(2, ["--lock", lock], OTHER), "Order not found");

    await Deno.writeTextFile(lock, before.replace("hoist_tools_lock", "other"));
    const broken = await run("hoist-mcp", ["--lock", lock, "--", ...DEMO]);
    assertEquals([broken.code, broken.out], [2, ""]);
    const only = JSON.parse(await answer(3, ["--tools", "get_*"], OTHER)).result.tools;
    assertEquals(only.every(({ name }: { name: string }) => name.startsWith("get_")), true);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

/** A server that lists a tool only to hosts that can sample. */
const ASKING = `
let text = "";
let tools = [];
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  text += chunk;
  const lines = text.split("\\n");
  text = lines.pop();
  for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
    if (id === undefined) continue;
    if (method === "initialize" && params.capabilities.sampling) tools = [{ name: "asks" }];
    const result = method === "initialize"
      ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
      : { tools };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
}`;

Deno.test("--lock holds a server behind HTTP, and behind --upstream, to its lock", async () => {
  const dir = await Deno.makeTempDir({ prefix: "hoist-lock-" });
  const lock = `${dir}/tools.lock.json`;
  assertEquals((await run("hoist", ["lock", "--file", lock, "--", ...DEMO])).code, 0);
  await using plain = await ListeningProxy.start({ server: ["--", ...OTHER] });
  const servers = [["--", ...OTHER], ["--upstream", plain.url]];
  for (const server of servers) {
    await using proxy = await ListeningProxy.start({ flags: ["--lock", lock], server });
    const host = await proxy.open();
    const listed = await messagesOf(
      await host.post({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    );
    assertEquals(listed[0].result.tools, []);
    const [called] = await host.call(2, "get_order_details", { order_id: "#W1" });
    assertStringIncludes(called.result.content[0].text, "does not fit");
  }
  await Deno.remove(dir, { recursive: true });
});

Deno.test("hoist lock takes what a server lists to capable hosts", async () => {
  const dir = await Deno.makeTempDir({ prefix: "hoist-lock-" });
  try {
    const server = [Deno.execPath(), "eval", ASKING];
    const { code, err } = await run("hoist", ["lock", "--file", `${dir}/l`, "--", ...server]);
    assertEquals(code, 0, err);
    assertStringIncludes(await Deno.readTextFile(`${dir}/l`), '"asks"');
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
