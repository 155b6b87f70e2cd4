/**
 * `hoist init` on files: what it writes is started by an SDK client, as the host
 * would start it; what it wraps it unwraps to the byte.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { HOSTS } from "../../lib/host_config/host_table.ts";
import { type Configured, configured } from "../util/host_config.ts";
import { ScratchHome } from "../util/scratch_home.ts";
import { WireTransport } from "../util/wire_transport.ts";

const SERVER = ["--", "npx", "-y", "some-mcp-server"];
/** A compiled hoist names the published package in the deno form, which is not to be had here. */
const FORMS = Deno.env.get("HOIST_BIN") === undefined ? ["compiled", "deno"] : ["compiled"];
const SAMPLES = [...Deno.readDirSync("testdata/hosts")].map((e) => e.name).sort();

/** Starts a server as its host would, and calls a tool of it. */
async function answer(home: ScratchHome, server: Configured | undefined): Promise<unknown> {
  assert(server !== undefined);
  const transport = new WireTransport(server.command, { env: { ...home.env, ...server.env } });
  return await lookup((client) => client.connect(transport));
}

async function lookup(connect: (client: Client) => Promise<void>): Promise<unknown> {
  const client = new Client({ name: "host", version: "1" });
  await connect(client);
  try {
    return (await client.callTool({ name: "lookup", arguments: { text: "hello" } })).content;
  } finally {
    await client.close();
  }
}

const HELLO = [{ type: "text", text: '{"text":"hello"}' }];

function logs(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map((e) => e.name).filter((n) => n.endsWith(".jsonl"));
}

for (const { id, title } of HOSTS) {
  Deno.test(`hoist init --write makes a file from which ${title} starts the server`, async () => {
    await using home = await ScratchHome.make();
    const file = `${home.dir}/config/${id}`;
    for (const form of FORMS) {
      const args = ["--host", id, "--form", form, "--name", "shop", "--write", file];
      const { code, out, err } = await home.run(["hoist", "init", ...args, ...SERVER]);
      assertEquals([code, out], [0, ""], err);
      const [server] = configured(id, await Deno.readTextFile(file));
      assertEquals(server?.name, "shop");
      assertEquals(server?.command.includes("run"), form === "deno");
      assertEquals(await answer(home, server), HELLO);
    }
    assertEquals(logs(`${home.dir}/.hoist/logs/shop`).length, FORMS.length);
  });
}

for (const sample of SAMPLES) {
  Deno.test(
    `hoist init --wrap and --unwrap bring ${sample} back, and it works in between`,
    async () => {
      await using home = await ScratchHome.make();
      const id = sample.replace(/\.\w+$/, "");
      const file = `${home.dir}/${sample}`;
      const before = await Deno.readFile(`testdata/hosts/${sample}`);
      await Deno.writeFile(file, before, { mode: 0o640 });
      const secrets = new TextDecoder().decode(before).match(/(?:tok|sk|k|v)-[\w-]{10,}/g) ?? [];
      const wrap = await home.run(["hoist", "init", "--host", id, "--wrap", file]);
      assertEquals([wrap.code, wrap.out], [0, ""], wrap.err);
      const made = await Deno.readTextFile(file);
      const server = configured(id, made).find((s) => s.name === "files" || s.name === "shop");
      assertEquals(await answer(home, server), HELLO);
      assertEquals(logs(`${home.dir}/.hoist/logs`).length, 1);
      for (const secret of secrets) {
        assert(!wrap.err.includes(secret), "a value was printed");
        assertEquals(made.split(secret).length, 2, "a value moved or was copied");
      }
      if (Deno.build.os !== "windows") {
        assertEquals(((await Deno.stat(`${file}.hoist-unwrapped`)).mode ?? 0) & 0o777, 0o600);
      }
      const unwrap = await home.run(["hoist", "init", "--host", id, "--unwrap", file]);
      assertEquals([unwrap.code, unwrap.out], [0, ""], unwrap.err);
      assertEquals(await Deno.readFile(file), before);
      assertEquals(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o640);
      assertEquals([...Deno.readDirSync(home.dir)].map((e) => e.name).filter((n) => n[0] !== "."), [
        sample,
      ]);
    },
  );
}

Deno.test("hoist init --listen prints both ends, and they meet", async () => {
  await using home = await ScratchHome.make();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const listen = ["--listen", `127.0.0.1:${port}`];
  const args = ["--host", "cursor", "--name", "shop", ...listen, ...SERVER];
  const { code, out, err } = await home.run(["hoist", "init", ...args]);
  assertEquals(code, 0, err);
  const [, start = "", , , ...config] = out.split("\n");
  const url = configured("cursor", config.join("\n"))[0]?.url ?? "";
  assertEquals(url, `http://127.0.0.1:${port}/mcp`);
  const proxy = new Deno.Command("sh", {
    args: ["-c", `exec ${start}`],
    env: home.env,
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = proxy.stdout.getReader();
  try {
    assertEquals(new TextDecoder().decode((await reader.read()).value).trim(), url);
    assertEquals(
      await lookup((client) => client.connect(new StreamableHTTPClientTransport(new URL(url)))),
      HELLO,
    );
  } finally {
    proxy.kill("SIGTERM");
    await proxy.status;
    await reader.cancel();
  }
});

Deno.test("hoist init prints what Claude Code's own command takes", async () => {
  await using home = await ScratchHome.make();
  const args = ["--host", "claude-code", "--form", "compiled", "--name", "shop"];
  const { out } = await home.run(["hoist", "init", ...args, ...SERVER]);
  const line =
    "claude mcp add shop -- hoist-mcp --record ~/.hoist/logs/shop -- npx -y some-mcp-server";
  assertEquals(out, `${line}\n`);
  assertMatch(
    (await home.run(["hoist", "init", ...args, "--listen", "127.0.0.1:8931", ...SERVER])).out,
    /\nclaude mcp add --transport http shop http:\/\/127\.0\.0\.1:8931\/mcp\n$/,
  );
});

Deno.test("hoist init writes through a symlink, and keeps the file's mode and a backup", async () => {
  await using home = await ScratchHome.make();
  const real = `${home.dir}/dotfiles.json`;
  const link = `${home.dir}/mcp.json`;
  await Deno.writeTextFile(real, '{ "mcpServers": {} } // mine\n', { mode: 0o644 });
  await Deno.chmod(real, 0o644);
  await Deno.symlink(real, link);
  const args = ["--host", "cursor", "--name", "s", "--write", link, ...SERVER];
  assertEquals((await home.run(["hoist", "init", ...args])).code, 0);
  assert((await Deno.lstat(link)).isSymlink);
  assertEquals(((await Deno.stat(real)).mode ?? 0) & 0o777, 0o644);
  assertMatch(await Deno.readTextFile(real), /"s": \{[^]*\/\/ mine\n$/);
  assertEquals(await Deno.readTextFile(`${link}.hoist-backup`), '{ "mcpServers": {} } // mine\n');
});
