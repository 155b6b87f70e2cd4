/**
 * The session log as a file: what its header says, who may read it, what order
 * it keeps, and what is left of it when things go wrong.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ManualHost } from "../util/manual_host.ts";
import { executable, util } from "../util/executables.ts";
import type { Step } from "../util/scripted_server.ts";

const CALL = '{"id":1,"method":"tools/call"}\n';
const ANSWER = '{"id":1,"result":{}}\n';
const SERVE: readonly Step[] = [{ lines: 1 }, { say: ANSWER }, { eof: true }];

async function oneCall(host: ManualHost): Promise<void> {
  await host.send(CALL);
  await host.lines(1);
  await host.close();
  assertEquals(await host.exit(), 0, await host.stderr());
}

Deno.test("hoist-mcp --record writes the header as the format says", async () => {
  const before = Date.now();
  await using host = await ManualHost.start({
    record: true,
    plan: SERVE,
    wrap: (server) => ["env", "API_TOKEN=hidden", ...server, "--api-key", "hidden"],
    flags: ["--domain", "orders", "--agent-model", "glm-5.3", "--server-name", "tickets"],
    env: { HOIST_SESSION: "case 7" },
  });
  await oneCall(host);
  const [header = "", ...lines] = await host.log();
  const { session, started_unix_ms, server_command, ...rest } = JSON.parse(header);
  assertEquals(Object.keys(JSON.parse(header)), [
    "hoist_mcp_log",
    "session",
    "started_unix_ms",
    "server_command",
    "domain",
    "agent_model",
    "host_session",
    "server_name",
  ]);
  assertEquals(rest, {
    hoist_mcp_log: 2,
    domain: "orders",
    agent_model: "glm-5.3",
    host_session: "case 7",
    server_name: "tickets",
  });
  assert(started_unix_ms >= before && started_unix_ms <= Date.now());
  const stamp = new Date(started_unix_ms).toISOString().replace(/[-:]/g, "");
  assertEquals(session, `${stamp}-${host.pid}`);
  assertEquals([...Deno.readDirSync(`${host.dir}/log`)].map((e) => e.name), [`${session}.jsonl`]);
  assertEquals(server_command.slice(0, 2), ["env", "API_TOKEN=<redacted>"]);
  assertEquals(server_command.slice(-2), ["--api-key", "<redacted>"]);
  assertMatch(
    lines[0] ?? "",
    /^\{"t_ms":\d+,"from":"client","message":\{"id":1,"method":"tools\/call"\}\}$/,
  );
  assertMatch(
    lines[1] ?? "",
    /^\{"t_ms":\d+,"from":"server","message":\{"id":1,"result":\{\}\}\}$/,
  );
  const said = await host.stderr();
  assertEquals(said, `hoist-mcp: recording to ${host.dir}/log/${session}.jsonl\n`);
});

Deno.test("hoist-mcp --record names the host by its process when HOIST_SESSION is empty", async () => {
  await using host = await ManualHost.start({
    record: true,
    plan: SERVE,
    env: { HOIST_SESSION: "" },
  });
  await oneCall(host);
  const header = JSON.parse((await host.log())[0] ?? "");
  assertEquals(header.host_session, `host-${Deno.pid}`);
  assertEquals([header.domain, header.agent_model], [null, null]);
  assert(!("server_name" in header));
});

Deno.test("hoist-mcp --record makes folders 0700 and files 0600, and expands ~", async () => {
  const home = await Deno.makeTempDir();
  await using host = await ManualHost.start({
    plan: SERVE,
    flags: ["--record", "~/a/logs/"],
    env: { HOME: home, DENO_DIR: await denoDir() },
    launcher: ["sh", "-c", 'umask 000; exec "$@"', "sh"],
  });
  await oneCall(host);
  const mode = (path: string) => ((Deno.statSync(path).mode ?? 0) & 0o777).toString(8);
  assertEquals([mode(`${home}/a`), mode(`${home}/a/logs`)], ["700", "700"]);
  const [file] = [...Deno.readDirSync(`${home}/a/logs`)];
  assertEquals(mode(`${home}/a/logs/${file?.name}`), "600");
  await Deno.remove(home, { recursive: true });
});

/** Where this Deno keeps its caches, for a proxy with another HOME. */
async function denoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

Deno.test("hoist-mcp --record keeps every response before the request that follows it", async () => {
  // Logging after a finished write put 9 to 16 of 3,000 the wrong way round.
  const calls = 1_000;
  await using host = await ManualHost.start({ record: true, plan: [{ echo: "x".repeat(40_000) }] });
  for (let i = 0; i < calls; i++) {
    await host.send(`{"id":${i}}\n`);
    await host.lines(1);
    host.forget();
  }
  await host.close();
  assertEquals(await host.exit(), 0);
  const order = (await host.log()).slice(1).map((line) => /"from":"(\w)/.exec(line)?.[1]).join("");
  assert(order === "cs".repeat(calls), `first fault at ${order.search(/cc|ss/)}`);
});

Deno.test("hoist-mcp --record loses at most the line in flight when it is killed", async () => {
  await using host = await ManualHost.start({ record: true, plan: [{ echo: "" }] });
  for (let i = 1; i <= 300; i++) {
    await host.send(`{"id":${i}}\n`);
    await host.lines(i);
  }
  host.kill("SIGKILL");
  await host.exit();
  const log = await host.log();
  const answers = log.filter((line) => line.includes('"from":"server"')).length;
  assert(answers >= 299, `${answers} of 300`);
  log.forEach((line) => JSON.parse(line));
});

Deno.test("hoist-mcp --record killed in a flood leaves a log whose whole lines all parse", async () => {
  const line = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${
    "z".repeat(150)
  }"}}\n`;
  await using host = await ManualHost.start({
    record: true,
    plan: [{ say: line.repeat(200), times: 2_000 }],
  });
  await host.readUntil((_, bytes) => bytes > 4_000_000);
  host.kill("SIGKILL");
  await host.exit();
  const [file] = [...Deno.readDirSync(`${host.dir}/log`)];
  const text = await Deno.readTextFile(`${host.dir}/log/${file?.name}`);
  const lines = text.split("\n");
  const cut = lines.pop();
  lines.forEach((l) => JSON.parse(l));
  // What the host had received and the log lacks is one chunk at most, and the pipe between.
  const received = Math.floor(host.received().length / line.length);
  const lacking = received - (lines.length - 1);
  assert(
    lacking <= Math.ceil(65_536 / line.length),
    `${lacking} lines lacking, cut at ${cut?.length}`,
  );
});

Deno.test("hoist-mcp --record goes on with the session when the disk is full", async (t) => {
  const dir = await Deno.makeTempDir();
  const mount = await new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", "size=256k", "tmpfs", dir],
    stderr: "null",
  }).output().catch(() => undefined);
  if (mount?.success !== true) {
    console.log("skipped: no right to mount a small disk");
    await Deno.remove(dir);
    return;
  }
  try {
    await t.step("with one message and a log of whole lines", async () => {
      const line = `{"s":"${"x".repeat(990)}"}\n`;
      await using host = await ManualHost.start({ plan: [{ echo: "" }], flags: ["--record", dir] });
      for (let i = 0; i < 600; i++) {
        await host.send(line);
        await host.lines(1);
        assert(host.text() === line);
        host.forget();
      }
      await host.close();
      assertEquals(await host.exit(), 0);
      const said = (await host.stderr()).trimEnd().split("\n");
      assertEquals(said.length, 2, said.join("\n"));
      assertMatch(
        said[1] ?? "",
        /^hoist-mcp: recording ended, the session goes on: No space left on device/,
      );
      const [file] = [...Deno.readDirSync(dir)];
      const text = await Deno.readTextFile(`${dir}/${file?.name}`);
      assert(text.endsWith("}\n"));
      const lines = text.trimEnd().split("\n");
      assert(lines.length > 100);
      lines.forEach((l) => JSON.parse(l));
    });
  } finally {
    await new Deno.Command("umount", { args: [dir] }).output();
    await Deno.remove(dir);
  }
});

Deno.test("hoist-mcp --retain-days deletes our old logs and nothing else", async () => {
  const dir = await Deno.makeTempDir();
  const old = new Date(Date.now() - 3 * 86_400_000);
  const files = [
    "20260101T000000.000Z-1.jsonl",
    "20260101T000000.000Z-1.flow.jsonl",
    "20260101T000000.000Z-2.jsonl",
    "other.jsonl",
    "20260101T000000.000Z-3.jsonl",
  ];
  for (const name of files) await Deno.writeTextFile(`${dir}/${name}`, "x");
  for (const name of files.slice(0, 4)) await Deno.utime(`${dir}/${name}`, old, old);
  await Deno.mkdir(`${dir}/20260101T000000.000Z-4.jsonl`);
  await Deno.symlink("/etc/hostname", `${dir}/20260101T000000.000Z-5.jsonl`);
  await using host = await ManualHost.start({
    plan: SERVE,
    flags: ["--record", dir, "--retain-days", "2"],
  });
  await oneCall(host);
  assertStringIncludes(
    await host.stderr(),
    `hoist-mcp: deleted 3 log files older than 2 days in ${dir}\n`,
  );
  const left = [...Deno.readDirSync(dir)].map((e) => e.name).filter((n) =>
    !n.endsWith(`-${host.pid}.jsonl`)
  );
  assertEquals(left.sort(), [
    "20260101T000000.000Z-3.jsonl",
    "20260101T000000.000Z-4.jsonl",
    "20260101T000000.000Z-5.jsonl",
    "other.jsonl",
  ]);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("hoist-mcp holds no permission once the session runs", async () => {
  await using host = await ManualHost.start({
    record: true,
    plan: SERVE,
    env: { HOIST_DEBUG: "permissions" },
  });
  await oneCall(host);
  const said = (await host.stderr()).trimEnd().split("\n").slice(1);
  assertEquals(
    said,
    ["run", "read", "write", "net", "env", "sys", "ffi", "import"]
      .map((name) => `hoist-mcp: permission ${name}: not granted`),
  );
});

/** From source only: a compiled program's permissions are fixed when it is compiled. */
const fromSource = Deno.env.get("HOIST_BIN") === undefined;

Deno.test({
  name: "hoist-mcp --print-permissions prints flags with which the same options run",
  ignore: !fromSource,
  fn: async () => {
    const dir = await Deno.makeTempDir();
    const options = [
      "--record",
      `${dir}/log`,
      "--retain-days",
      "9",
      "--",
      ...util("scripted_server"),
      dir,
    ];
    const [program = "", ...args] = executable("hoist-mcp");
    const printed = await new Deno.Command(program, {
      args: [...args, "--print-permissions", ...options],
    }).output();
    const flags = new TextDecoder().decode(printed.stdout).trim();
    assertEquals(
      flags,
      `--no-prompt --allow-run=${Deno.execPath()},sh --allow-read=${dir}/log --allow-write=${dir}/log ` +
        "--allow-env=HOIST_DEBUG,HOIST_SESSION,HOME,USERPROFILE",
    );
    await Deno.writeTextFile(`${dir}/plan.json`, JSON.stringify([{ exit: 3 }]));
    const module = args.at(-1) ?? "";
    const env = Object.fromEntries(
      Object.entries(Deno.env.toObject()).filter(([name]) => !/^(LD|DYLD)_/.test(name)),
    );
    const run = await new Deno.Command("sh", {
      args: ["-c", `exec "$0" run ${flags} "$@"`, program, module, ...options],
      env,
      clearEnv: true,
    }).output();
    assertEquals(run.code, 3, new TextDecoder().decode(run.stderr));
    await Deno.remove(dir, { recursive: true });
  },
});

Deno.test({
  name: "hoist-mcp says what to do when LD_* keeps a scoped --allow-run from starting anything",
  ignore: !fromSource,
  fn: async () => {
    const [program = "", ...args] = executable("hoist-mcp");
    const run = await new Deno.Command(program, {
      args: [
        "run",
        "--no-prompt",
        "--allow-run=true,sh",
        "--allow-env",
        args.at(-1) ?? "",
        "--",
        "true",
      ],
      env: { LD_LIBRARY_PATH: "/nowhere" },
    }).output();
    assertEquals(run.code, 125);
    const said = new TextDecoder().decode(run.stderr);
    assertStringIncludes(said, "the environment holds LD_LIBRARY_PATH");
    assertStringIncludes(said, "--allow-run without a list");
  },
});

Deno.test("hoist-mcp says first where it records, then once that a folder of --context is missing", async () => {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/none/c.jsonl`;
  await using host = await ManualHost.start({
    plan: [{ echo: "" }],
    flags: ["--record", `${dir}/log`, "--context", path],
  });
  await host.close();
  assertEquals(await host.exit(), 0);
  const said = (await host.stderr()).trimEnd().split("\n");
  assertMatch(said[0] ?? "", /^hoist-mcp: recording to /);
  assertEquals(said.filter((line) => line.includes("--context")), [
    `hoist-mcp: --context "${path}": its folder is missing; the session goes on without it until it is there`,
  ]);
  await Deno.remove(dir, { recursive: true });
});
