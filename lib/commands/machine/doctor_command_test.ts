import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Runtime } from "../../ports/runtime.ts";
import { doctorCommand } from "./doctor_command.ts";
import type { DoctorMachine } from "../../ports/machine.ts";

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
