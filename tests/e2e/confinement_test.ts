/**
 * What a running mode can still do: serve its session, and nothing else.
 * A stowaway beside the session core tries the rest.
 */

import { assert, assertEquals } from "@std/assert";
import { ROOT, util } from "../util/executables.ts";
import { jevServer } from "../util/jev_server.ts";
import { ListeningProxy, messagesOf, toolCall } from "../util/listening_proxy.ts";
import { ManualHost } from "../util/manual_host.ts";
import { withArbiter } from "../util/retail_flow.ts";
import { ScriptedUpstream } from "../util/scripted_upstream.ts";

const PROBE = util("confinement_probe");
const SERVER = ["--", ...util("echo_mcp_server")];
const NOTHING = ["read", "readOwn", "write", "spawn", "env", "sys", "connect", "fetch", "listen"];

/** What the stowaways said, once both are done. */
function outcomes(stderr: string, who: string): string[] {
  const lines = stderr.split("\n").filter((line) => line.startsWith(`probe ${who}: `));
  assert(lines.at(-1)?.endsWith("done"), stderr);
  return lines.slice(0, -1).map((line) => line.slice(`probe ${who}: `.length));
}

const DENIED = NOTHING.map((name) => `${name} denied`);

/** Waits until both stowaways are done: then the session has long begun. */
async function probed(proxy: { said(text: string): Promise<void> }): Promise<void> {
  await proxy.said("probe worker: done");
  await proxy.said("probe main: done");
}

for (
  const flags of [[], ["--record", "{dir}/log"], ["--record", "{dir}/log", "--retain-days", "1"]]
) {
  Deno.test(`hoist-mcp ${flags.join(" ")} on stdio can do nothing but relay`, async () => {
    await using host = await ManualHost.start({
      direct: true,
      server: [...PROBE, ...flags, ...SERVER],
    });
    await host.said("probe main: done");
    const ask = (id: number, method: string, params: unknown) =>
      host.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    await ask(1, "initialize", { protocolVersion: "2025-06-18" });
    await host.lines(1);
    await host.close();
    assertEquals(await host.exit(), 0);
    if (flags.length > 0) assertEquals((await host.log()).length, 3, "it records on");
    assertEquals(outcomes(await host.stderr(), "main"), DENIED);
  });
}

Deno.test("hoist-mcp --listen can start its server and write its logs, and nothing else", async () => {
  const proxy = await ListeningProxy.start({ program: PROBE, server: SERVER, record: true });
  await probed(proxy);
  const host = await proxy.open();
  const said = (await host.call(1, "echo", { text: "on" })).at(-1);
  assertEquals(said.result.content[0].text, "on", "a session opens after that");
  await proxy.open();
  assertEquals((await proxy.logs()).length, 2);
  proxy.kill("SIGTERM");
  await proxy.exit();
  const stderr = await proxy.stderr();
  assertEquals(outcomes(stderr, "worker"), DENIED);
  assertEquals(outcomes(stderr, "main"), DENIED);
  await proxy[Symbol.asyncDispose]();
});

Deno.test("hoist-mcp --listen --upstream can reach its upstream, and nothing else", async () => {
  await using upstream = new ScriptedUpstream();
  const proxy = await ListeningProxy.start({
    program: PROBE,
    server: ["--upstream", upstream.url],
    record: true,
  });
  await probed(proxy);
  const host = await proxy.open();
  assertEquals((await host.call(1, "t", { text: "on" }))[0].result.content[0].text, "on");
  proxy.kill("SIGTERM");
  await proxy.exit();
  const stderr = await proxy.stderr();
  assertEquals(outcomes(stderr, "worker"), DENIED);
  assertEquals(outcomes(stderr, "main"), DENIED);
  await proxy[Symbol.asyncDispose]();
});

Deno.test("hoist-mcp --upstream can reach its upstream, and nothing else", async () => {
  await using upstream = new ScriptedUpstream();
  await using host = await ManualHost.start({
    direct: true,
    server: [...PROBE, "--record", "{dir}/log", "--upstream", upstream.url],
  });
  await probed(host);
  await host.send(
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }) + "\n",
  );
  await host.lines(1);
  await host.close();
  assertEquals(await host.exit(), 0);
  assertEquals((await host.log()).length, 3);
  const stderr = await host.stderr();
  assertEquals(outcomes(stderr, "worker"), DENIED);
  assertEquals(outcomes(stderr, "main"), DENIED);
});

Deno.test("hoist-mcp --context can read the conversation, and nothing else", async () => {
  await using host = await ManualHost.start({
    direct: true,
    server: [
      ...PROBE,
      ...["--context", "{dir}/c.jsonl", "--commit", "--record", "{dir}/log"],
      ...SERVER,
    ],
  });
  await probed(host);
  await Deno.writeTextFile(`${host.dir}/c.jsonl`, '{"role":"user","content":"Hi"}\n');
  await host.send(JSON.stringify(toolCall(1, "echo", { text: "on" })) + "\n");
  await host.lines(1);
  await host.close();
  await host.exit();
  const senders = (await host.log()).slice(1).map((line) => JSON.parse(line).from);
  assertEquals(senders, ["context", "client", "server"]);
  const stderr = await host.stderr();
  assertEquals(outcomes(stderr, "worker"), DENIED);
  assertEquals(outcomes(stderr, "main"), DENIED);
});

Deno.test("hoist-mcp with an oracle can ask that and keep its answers, and nothing else", async () => {
  await using jev = jevServer();
  const dir = await Deno.makeTempDir();
  const text = await Deno.readTextFile(`${ROOT}/testdata/flows/parcels.flow.json`);
  await Deno.writeTextFile(`${dir}/flow.json`, withArbiter(text));
  await using host = await ManualHost.start({
    direct: true,
    server: [
      ...PROBE,
      ...["--flow", `${dir}/flow.json`, "--oracle-cache", `${dir}/cache`],
      ...SERVER,
    ],
    env: { TYPESAFE_API_KEY: "a-key-of-no-use", TYPESAFE_BASE_URL: jev.url },
  });
  await probed(host);
  await host.send(JSON.stringify(toolCall(1, "echo", { text: "on" })) + "\n");
  await host.lines(1);
  await host.close();
  assertEquals(await host.exit(), 0);
  const stderr = await host.stderr();
  assertEquals(outcomes(stderr, "worker"), DENIED);
  assertEquals(outcomes(stderr, "main"), DENIED);
  await Deno.remove(dir, { recursive: true });
});

Deno.test({
  name: "hoist-mcp --print-permissions prints flags with which an HTTP mode runs",
  ignore: Deno.env.get("HOIST_BIN") !== undefined,
  async fn() {
    await using upstream = new ScriptedUpstream();
    const dir = await Deno.makeTempDir();
    const token = `${dir}/token`;
    await Deno.writeTextFile(token, "0123456789abcdef");
    await Deno.symlink(ROOT, `${dir}/a folder`);
    const rows = [
      [ROOT, SERVER],
      [ROOT, ["--upstream", upstream.url, "--upstream-header", "X-Key=HOIST_TEST_KEY"]],
      [`${dir}/a folder`, SERVER], // A path that a shell and a URL write in another way.
    ] as const;
    for (const [folder, server] of rows) {
      const main = `${folder}/cmd/hoist_mcp.ts`;
      const options = [
        "--listen",
        "127.0.0.1:0",
        "--record",
        `${dir}/log`,
        "--listen-token-file",
        token,
      ];
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", main, "--print-permissions", ...options, ...server],
      }).output();
      const flags = new TextDecoder().decode(stdout).trim();
      assertEquals(flags.split(" ")[0], "--no-prompt");
      await using proxy = await ListeningProxy.start({
        program: ["sh", "-c", `exec "$0" run ${flags} "$@"`, Deno.execPath(), main],
        flags: options.slice(2),
        server,
        env: { HOIST_TEST_KEY: "k" },
      });
      const host = await proxy.open("2025-11-25", { authorization: "Bearer 0123456789abcdef" });
      assertEquals(
        (await messagesOf(await host.post(toolCall(1, "echo", { text: "x" })))).length,
        1,
      );
    }
    await Deno.remove(dir, { recursive: true });
  },
});
