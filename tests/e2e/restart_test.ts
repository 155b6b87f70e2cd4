/**
 * `hoist-mcp --restart` and `--watch` as a host sees them: the real program, real processes.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { gone, ManualHost } from "../util/manual_host.ts";
import { util } from "../util/executables.ts";

const SERVER = [...util("counting_server"), "{dir}"];
const line = (message: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", ...message as Record<string, unknown> }) + "\n";
const GREETING = line({
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "h" } },
});
const INITIALIZED = line({ method: "notifications/initialized" });
const LIST = (id: number) => line({ id, method: "tools/list" });
const call = (id: number, name: string, token = `t${id}`) =>
  line({ id, method: "tools/call", params: { name, arguments: { token } } });
const CHANGED = "notifications/tools/list_changed";

async function start(flags: readonly string[], record = false): Promise<ManualHost> {
  const host = await ManualHost.start({ server: SERVER, flags, record });
  await host.send(GREETING, INITIALIZED, LIST(1));
  await host.readUntil((text) => text.includes('"id":1,'));
  return host;
}

/** Waits until so many lines have come, and reads the one with an id. */
async function answerTo(host: ManualHost, id: number) {
  await host.readUntil((text) => text.includes(`"id":${id},`) && text.endsWith("\n"));
  const found = host.text().split("\n").find((one) => one.includes(`"id":${id},`)) ?? "";
  return JSON.parse(found);
}

Deno.test("hoist-mcp --restart keeps the host's session over a crash, and records it", async () => {
  await using host = await start(["--restart"], true);
  const first = Number(await host.file("pid"));
  await host.send(call(2, "hang") + call(3, "die"));
  assertStringIncludes((await answerTo(host, 2)).error.message, "exit status 3");
  assertEquals((await answerTo(host, 3)).error.data, { sent: true });
  await host.readUntil((text) => text.includes(CHANGED));
  await host.send(call(4, "write"));
  assertEquals((await answerTo(host, 4)).result.content[0].text, "write t4");
  assert(Number(await host.file("pid")) !== first);
  await host.close();
  assertEquals(await host.exit(), 0);
  assertEquals(await host.file("writes"), "t4\n");
  const heard = (await host.file("heard")).trim().split("\n").map((one) => JSON.parse(one));
  assertEquals(heard.slice(5).map(({ id, method }) => id ?? method), [
    "hoist-restart-1",
    "notifications/initialized",
    4,
  ]);
  const log = (await host.log()).slice(1).map((one) => {
    const { from, message } = JSON.parse(one);
    return `${from} ${message.method ?? "answer"} ${message.id ?? ""}`.trim();
  });
  assertEquals(
    log.slice(5),
    [
      "client tools/call 2",
      "client tools/call 3",
      "proxy notifications/hoist/restart",
      "proxy answer 2",
      "proxy answer 3",
      "proxy initialize hoist-restart-1",
      "server answer hoist-restart-1",
      "proxy notifications/initialized",
      `proxy ${CHANGED}`,
      "proxy notifications/resources/list_changed",
      "client tools/call 4",
      "server answer 4",
    ].filter((one) => !one.includes("prompts")),
  );
});

Deno.test("hoist-mcp --restart with guards records what it answers itself as its own", async () => {
  await using host = await start(["--restart", "--guards", "--domain", "retail"], true);
  await host.send(call(2, "die"));
  assertEquals((await answerTo(host, 2)).error.data, { sent: true });
  await host.readUntil((text) => text.includes(CHANGED));
  await host.send(call(3, "read"));
  await answerTo(host, 3);
  await host.close();
  assertEquals(await host.exit(), 0);
  const log = (await host.log()).map((one) => JSON.parse(one));
  const from = (test: (message: Record<string, unknown>) => boolean) =>
    log.filter(({ message }) => message && test(message)).map((one) => one.from);
  assertEquals(from(({ id, error }) => id === 2 && error !== undefined), ["proxy"]);
  assertEquals(from(({ method }) => method === CHANGED), ["proxy"]);
  assertEquals(from(({ id }) => id === "hoist-restart-1"), ["proxy", "server"]);
});

Deno.test("hoist-mcp --restart ends after five crashes, with the server's status", async () => {
  await using host = await start(["--restart"]);
  await Deno.writeTextFile(`${host.dir}/fails`, "");
  await host.send(call(2, "die"));
  assertEquals(await host.exit(), 9);
  assertStringIncludes(await host.stderr(), "5 times within a minute; the session ends");
});

Deno.test("hoist-mcp --restart ends a session whose server offers less after a crash", async () => {
  await using host = await start(["--restart"]);
  const setup = { capabilities: { tools: {}, logging: {} } };
  await Deno.writeTextFile(`${host.dir}/setup.json`, JSON.stringify(setup));
  await host.send(call(2, "die"));
  assertEquals(await host.exit(), 125);
  assertStringIncludes(await host.stderr(), "it no longer offers the capability resources");
  await gone(Number(await host.file("pid")));
});

Deno.test("hoist-mcp --watch restarts the server after a save, and serves its new tool", async () => {
  const folder = await Deno.makeTempDir({ prefix: "hoist-watch-" });
  const file = `${folder}/server.py`;
  await Deno.writeTextFile(file, "1");
  for (const path of [file, folder]) {
    await using host = await start(["--watch", path]);
    await Deno.writeTextFile(`${host.dir}/setup.json`, JSON.stringify({ tool: "fresh" }));
    // As editors save: another file takes the place of the first.
    await Deno.writeTextFile(`${folder}/new`, `${crypto.randomUUID()}`);
    await Deno.rename(`${folder}/new`, file);
    await host.readUntil((text) => text.includes(CHANGED));
    await host.send(LIST(2));
    const { result } = await answerTo(host, 2);
    assert(result.tools.some(({ name }: { name: string }) => name === "fresh"));
    await host.close();
    assertEquals(await host.exit(), 0);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("hoist-mcp --watch refuses a path that is not there, and starts nothing", async () => {
  await using host = await ManualHost.start({
    server: SERVER,
    flags: ["--watch", "/nowhere/at/all"],
  });
  assertEquals(await host.exit(), 2);
  assertStringIncludes(await host.stderr(), '--watch "/nowhere/at/all"');
});
