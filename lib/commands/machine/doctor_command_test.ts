import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Runtime } from "../../ports/runtime.ts";
import { doctorCommand } from "./doctor_command.ts";
import type { DoctorMachine } from "../../ports/machine.ts";
import { VERSION } from "../../flags/version.ts";

const WELL: DoctorMachine = {
  os: "linux",
  cwd: "/here",
  self: { kind: "compiled", path: "/opt/hoist-mcp" },
  deno: { version: "2.9.6", isCompiled: true },
  find: (name) => `/bin/${name}`,
  read: () => Promise.resolve(undefined),
  write: () => Promise.reject(new Error("the doctor writes nothing")),
  remove: () => {
    throw new Error("the doctor removes nothing");
  },
  variableNames: () => ["HOME", "PATH"],
  logFolder: () => Promise.resolve({ mode: 0o40700, isWritable: true, logs: [] }),
  initialize: () => Promise.resolve({ kind: "answered", server: "shop 1" }),
  versionOf: () => Promise.resolve(VERSION),
  dataFault: () => Promise.resolve(undefined),
  upstream: () => Promise.resolve([{ state: "ok", says: "answers" }]),
};

async function doctor(
  args: readonly string[],
  changes: Partial<DoctorMachine> = {},
  env: Readonly<Record<string, string>> = {},
) {
  let [out, err] = ["", ""];
  const runtime: Runtime = {
    say: (line) => err += `${line}\n`,
    print: (text) => out += `${text}\n`,
    env: (name) => name === "HOME" ? "/home/you" : env[name],
    unixMs: () => 0,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
  };
  return {
    status: await doctorCommand(args, runtime, { machine: { ...WELL, ...changes } }),
    out,
    err,
  };
}

/** What needs fixing, a line each. */
function fixes(out: string): string[] {
  return out.split("\n").filter((line) => line.startsWith("fix"));
}

Deno.test("hoist doctor finds nothing on a machine that is well", async () => {
  const { status, out } = await doctor([]);
  assertEquals([status, fixes(out)], [0, []], out);
});

Deno.test("hoist doctor --json says the same as data", async () => {
  const { status, out } = await doctor(["--json"], { find: () => undefined });
  const { ok, checks } = JSON.parse(out);
  assertEquals([status, ok], [1, false]);
  assert(checks.some((c: { what: string; state: string }) => c.what === "sh" && c.state === "fix"));
});

Deno.test("hoist doctor notes a Deno that npx may take away", async () => {
  const self = { kind: "deno", deno: "/home/you/.npm/_npx/1/deno", entry: "/x.ts" } as const;
  const { status, out } = await doctor([], { self });
  assertStringIncludes(out, "note  deno: /home/you/.npm/_npx/1/deno is in npx's cache");
  assertEquals(status, 0);
});

Deno.test("hoist doctor names what needs fixing", async () => {
  const config = (text: string) => (path: string) =>
    Promise.resolve(path === "/home/you/.cursor/mcp.json" ? text : undefined);
  const wrapped = '{"mcpServers":{"s":{"command":"hoist-mcp","args":["--record","/logs","--",' +
    '"gone"]},"t":{"command":"x"}}}';
  const rows: readonly (readonly [Partial<DoctorMachine>, string])[] = [
    [{ deno: { version: "2.5.9", isCompiled: false } }, "Deno 2.6 or later is needed"],
    [{ find: (name) => name === "sh" ? undefined : name }, "sh: not on PATH"],
    [{ read: config("{") }, "Cursor /home/you/.cursor/mcp.json: line 1: "],
    [
      { read: config(wrapped), find: (name) => name === "gone" ? undefined : name },
      'Cursor /home/you/.cursor/mcp.json, s: no program "gone"',
    ],
    [
      { logFolder: () => Promise.resolve({ mode: 0o40755, isWritable: true, logs: [] }) },
      "chmod 700 '/home/you/.hoist/logs'",
    ],
    [
      { logFolder: () => Promise.resolve({ mode: 0o40700, isWritable: false, logs: [] }) },
      "cannot be written to",
    ],
    [
      {
        logFolder: () =>
          Promise.resolve({
            mode: 0o40700,
            isWritable: true,
            logs: [{ path: "/l/a.jsonl", mode: 0o100644 }, { path: "/l/b.jsonl", mode: 0o100600 }],
          }),
      },
      "others may read 1 of 2 logs: chmod 600 '/l/a.jsonl'",
    ],
  ];
  for (const [changes, words] of rows) {
    const { status, out } = await doctor([], changes);
    assertEquals([status, fixes(out).length], [1, 1], out);
    assertStringIncludes(out, words);
  }
});

Deno.test("hoist doctor counts the servers behind hoist-mcp and looks into their folders", async () => {
  const text = '{"mcpServers":{"s":{"command":"hoist-mcp","args":["--record","/logs","--","x"],' +
    '"env":{"K":"sk-secret"}},"t":{"command":"x"}}}';
  const started: string[] = [];
  const { out } = await doctor(["--config", "f", "--host", "cursor", "--start"], {
    read: (path) => Promise.resolve(path === "/here/f" ? text : undefined),
    initialize: (words, { env }) => {
      started.push(words.join(" "));
      assertEquals(env, { K: "sk-secret" });
      return Promise.resolve({ kind: "failed", why: "no answer" });
    },
  });
  assertStringIncludes(out, "hoist-mcp in front of 1 of 2 servers");
  assertStringIncludes(out, "logs /logs: ");
  assertEquals(fixes(out), ["fix   server s: no answer"]);
  assertEquals(started, ["hoist-mcp -- x"], "a trial leaves no log");
  assert(!out.includes("sk-secret"));
});

Deno.test("hoist doctor prints names of variables, never values", async () => {
  const { out, status } = await doctor([], { variableNames: () => ["LD_PRELOAD"] }, {
    TYPESAFE_API_KEY: "sk-secret",
    LD_PRELOAD: "/lib/secret.so",
  });
  assertStringIncludes(out, "LD_PRELOAD");
  assertStringIncludes(out, "TYPESAFE_API_KEY is set");
  assert(!out.includes("secret"));
  assertEquals(status, 0);
});

Deno.test("hoist doctor refuses a wrong command line", async () => {
  const rows: readonly (readonly [string[], string])[] = [
    [["--config", "f"], "--config and --host need each other"],
    [["--host", "cursor"], "--config and --host need each other"],
    [["--host", "emacs", "--config", "f"], "--host takes claude-code"],
    [["--timeout", "0"], "--timeout needs a number, 1 to 600"],
  ];
  for (const [args, words] of rows) {
    const { status, err } = await doctor(args);
    assertEquals(status, 2);
    assertStringIncludes(err, words);
  }
});

Deno.test("hoist doctor --start starts a server with the variables that its host passes", async () => {
  const text =
    '[mcp_servers.s]\ncommand = "hoist-mcp"\nargs = ["--record=/logs", "--", "x", "--record"]\n' +
    'env_vars = ["HOIST_SESSION"]\nenv = { DENO_DIR = "/d" }\n';
  const started: unknown[] = [];
  await doctor(["--config", "f", "--host", "codex", "--start"], {
    read: (path) => Promise.resolve(path === "/here/f" ? text : undefined),
    initialize: (words, { env, inherits = [] }) => {
      const passed = ["PATH", "HOIST_SESSION", "OTHER"].filter((name) => inherits.includes(name));
      started.push([words, env, passed]);
      return Promise.resolve({ kind: "answered", server: "s" });
    },
  });
  const words = ["hoist-mcp", "--", "x", "--record"];
  assertEquals(started, [[words, { DENO_DIR: "/d" }, ["PATH", "HOIST_SESSION"]]]);
});

Deno.test("hoist doctor notes programs on PATH of another version", async () => {
  const versionOf = (path: string) => Promise.resolve(path.endsWith("hai-mcp") ? "0.0.1" : VERSION);
  const { status, out } = await doctor([], { versionOf });
  assertStringIncludes(
    out,
    `ok    on PATH: hoist, hoist-mcp, hoist-procedure, hoist-mcp-demo, ${VERSION}`,
  );
  assertStringIncludes(out, "note  hai-mcp: /bin/hai-mcp is 0.0.1");
  assertEquals(status, 0);
});

Deno.test("hoist doctor --data reads logs, the index, and what configurations name", async () => {
  const logs = ["/logs/a.jsonl", "/logs/b.jsonl", "/logs/c.jsonl"]
    .map((path) => ({ path, mode: 0o100600 }));
  const faults: Readonly<Record<string, [boolean, string]>> = {
    "/logs/a.jsonl": [false, "line 9: cut"],
    "/logs/b.jsonl": [true, "/logs/b.jsonl:3: no JSON"],
    "/f.json": [true, "/f.json: no flow"],
  };
  const read: string[] = [];
  const changes: Partial<DoctorMachine> = {
    logFolder: (path) =>
      Promise.resolve(
        path === "/logs"
          ? { mode: 0o40700, isWritable: true, logs, index: "/logs/index" }
          : undefined,
      ),
    read: (path) =>
      Promise.resolve(
        path === "/home/you/.cursor/mcp.json"
          ? '{"mcpServers":{"s":{"command":"hoist-mcp","args":["--record=/logs","--flow","/f.json",' +
            '"--lock","/l.json","--","x"]}}}'
          : undefined,
      ),
    dataFault: ({ kind, path }) => {
      read.push(`${kind} ${path}`);
      const [isBroken, says] = faults[path] ?? [];
      return Promise.resolve(
        says === undefined ? undefined : { isBroken: isBroken === true, says },
      );
    },
  };
  const { status, out } = await doctor(["--data"], changes);
  assertEquals(read.sort(), [
    "flow /f.json",
    "index /logs/index",
    "lock /l.json",
    "log /logs/a.jsonl",
    "log /logs/b.jsonl",
    "log /logs/c.jsonl",
  ]);
  assertEquals(fixes(out), [
    "fix   log /logs/b.jsonl: /logs/b.jsonl:3: no JSON",
    "fix   flow /f.json: /f.json: no flow",
  ]);
  assertStringIncludes(out, "note  log /logs/a.jsonl: line 9: cut");
  assertStringIncludes(out, "ok    data /logs: 3 of 4 files can be read to their end");
  assertEquals(status, 1);
});

Deno.test("hoist doctor --network asks the upstreams of configurations, or those named", async () => {
  const asked: string[] = [];
  const changes: Partial<DoctorMachine> = {
    read: (path) =>
      Promise.resolve(
        path === "/home/you/.cursor/mcp.json"
          ? '{"mcpServers":{"s":{"command":"hoist-mcp","args":["--upstream","https://a.example/k?key=1"]}}}'
          : undefined,
      ),
    upstream: (url) => {
      asked.push(url);
      return Promise.resolve([{ state: "fix", says: "its name is not found (DNS)" }]);
    },
  };
  const { out } = await doctor(["--network"], changes);
  assertEquals(fixes(out), ["fix   upstream https://a.example: its name is not found (DNS)"]);
  await doctor(["--network", "--upstream", "https://b.example/mcp"], changes);
  assertEquals(asked, ["https://a.example/k?key=1", "https://b.example/mcp"]);
  assertEquals((await doctor(["--upstream", "https://b.example/mcp"])).status, 2);
});
