/**
 * `hoist check`: a recorded session of the demo's shop, played to the shop again, and to another world.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { executable } from "../util/executables.ts";

const DEMO = executable("hoist-mcp-demo");

async function run(program: string, args: readonly string[], input = "") {
  const [command = "", ...first] = executable(program);
  const child = new Deno.Command(command, {
    args: [...first, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
};
const SESSION = [
  { id: 1, method: "initialize", params: hello },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
  {
    id: 3,
    method: "tools/call",
    params: { name: "lookup", arguments: { text: "a" } },
  },
  { id: 4, method: "tools/call", params: { name: "update", arguments: { text: "b" } } },
  { id: 5, method: "tools/call", params: { name: "gone", arguments: {} } },
].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n").join("");

Deno.test("hoist check finds a server unchanged, and says what differs in another", async () => {
  const dir = await Deno.makeTempDir({ prefix: "hoist-check-" });
  try {
    const logs = `${dir}/logs`;
    await run("hoist-mcp", ["--record", logs, "--", ...DEMO], SESSION);
    const same = await run("hoist", ["check", logs, "--", ...DEMO]);
    assertStringIncludes(same.out, "2 equal, 1 skipped");
    assertStringIncludes(same.out, "missing: tools/call gone");
    assertEquals(same.code, 1);
    const allowed = ["--reads", "*", "--fail-on", "changed,error", "--junit", `${dir}/j.xml`];
    const good = await run("hoist", ["check", ...allowed, logs, "--", ...DEMO]);
    assertEquals(good.code, 0, good.out + good.err);
    assertStringIncludes(good.out, "3 equal, 1 missing");
    assertStringIncludes(await Deno.readTextFile(`${dir}/j.xml`), "<testsuites");
    const other = [...DEMO, "--world", "retail"];
    const changed = await run("hoist", ["check", "--sarif", `${dir}/s.json`, logs, "--", ...other]);
    assertEquals(changed.code, 1);
    assertStringIncludes(changed.out, "changed: tools/list");
    assertEquals(JSON.parse(await Deno.readTextFile(`${dir}/s.json`)).version, "2.1.0");

    await Deno.writeTextFile(
      `${logs}/hoist.test.jsonc`,
      '{ "results": { "tools/list": ["/tools"] } }',
    );
    const masked = await run("hoist", ["check", "--reads", "*", logs, "--", ...other]);
    assertStringIncludes(masked.out, "1 masked");
    await Deno.writeTextFile(`${logs}/hoist.test.jsonc`, '{ "result": {} }');
    const refused = await run("hoist", ["check", logs, "--", ...DEMO]);
    assertEquals(refused.code, 2);
    assertStringIncludes(refused.err, 'hoist.test.jsonc": "result" is unknown');
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
