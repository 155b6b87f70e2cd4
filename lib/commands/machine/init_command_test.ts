import { behindHoist } from "../../host_config/server_entry.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Runtime } from "../../ports/runtime.ts";
import { INIT_FLAGS } from "./init_flags.ts";
import { initCommand } from "./init_command.ts";
import type { InitMachine } from "./init_line.ts";
import { HOSTS } from "../../host_config/host_table.ts";
import { PROXY_FLAGS } from "../../proxy_options/proxy_flags.ts";

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly files: ReadonlyMap<string, string>;
}

async function init(
  args: readonly string[],
  given: Readonly<Record<string, string>> = {},
  changes: Partial<InitMachine> = {},
): Promise<Ran> {
  let [out, err] = ["", ""];
  const files = new Map(Object.entries(given));
  const runtime: Runtime = {
    say: (line) => err += `${line}\n`,
    print: (text) => out += `${text}\n`,
    env: (name) => ({ HOME: "/home/you", DENO_DIR: "/deno" })[name],
    unixMs: () => 0,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
  };
  const machine: InitMachine = {
    os: "linux",
    cwd: "/here",
    self: { kind: "compiled", path: "/opt/hoist-mcp" },
    find: (name) => name === "hoist-mcp" ? "/opt/hoist-mcp" : undefined,
    oracle: () => Promise.resolve(undefined),
    read: (path) => Promise.resolve(files.get(path)),
    write: (path, text) => Promise.resolve(void files.set(path, text)),
    remove: (path) => void files.delete(path),
    ...changes,
  };
  return { status: await initCommand(args, runtime, { machine }), out, err, files };
}

const SERVER = ["--", "npx", "s"];
const cursor = (...args: string[]) => ["--host", "cursor", ...args];

Deno.test("hoist init takes every flag of hoist-mcp but the one that only prints", () => {
  const own = new Set(INIT_FLAGS.flags.map((f) => f.name));
  assertEquals(own.size, INIT_FLAGS.flags.length, "no name twice");
  assertEquals(PROXY_FLAGS.flags.map((f) => f.name).filter((name) => !own.has(name)), [
    "print-permissions",
  ]);
});

Deno.test("hoist init hands options on, with paths that hold from any folder", async () => {
  const options = ["--record", "logs", "--domain", "shop", "--retain-days", "9"];
  const { out } = await init(cursor(...options, ...SERVER));
  assertEquals(JSON.parse(out).mcpServers.shop, {
    command: "hoist-mcp",
    args: ["--record", "/here/logs", "--domain", "shop", "--retain-days", "9", ...SERVER],
  });
});

Deno.test("hoist init names the full path where PATH does not lead there", async () => {
  const command = async (host: string, changes: Partial<InitMachine> = {}) => {
    const { out } = await init(["--host", host, "--name", "s", ...SERVER], {}, changes);
    return JSON.parse(out).mcpServers.s.command;
  };
  assertEquals(await command("cursor"), "hoist-mcp");
  assertEquals(await command("claude-desktop"), "/opt/hoist-mcp");
  assertEquals(await command("cursor", { find: () => undefined }), "/opt/hoist-mcp");
});

Deno.test("hoist init refuses what hoist-mcp would refuse, and writes nothing", async () => {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [["--name", "s", ...SERVER], "Missing --host"],
    [["--host", "emacs", "--name", "s", ...SERVER], "--host takes claude-code, "],
    [cursor(...SERVER), "Missing --name"],
    [cursor("--name", "s"), "The server's command is missing after --"],
    [cursor("--name", "s", "--form", "x", ...SERVER), "--form takes compiled, npm or deno"],
    [cursor("--name", "s", "--retain-days", "0", ...SERVER), "--retain-days takes a whole number"],
    [cursor("--name", "s", "--upstream", "ftp://x"), "--upstream takes an http: or https: URL"],
    [cursor("--name", "s", "--upstream", "http://h", ...SERVER), "exclude each other"],
    [cursor("--name", "s", "--listen", "0.0.0.0:80", ...SERVER), "needs --listen-token-file"],
    [cursor("--name", "s", "--listen", "127.0.0.1:0", ...SERVER), "needs a port"],
    [["--host", "claude-desktop", "--name", "s", "--listen", "127.0.0.1:1", ...SERVER], "no URL"],
    [cursor("--wrap", "f", "--name", "s"), "--wrap and --name exclude each other"],
    [cursor("--wrap", "f", "--listen", "127.0.0.1:1"), "--wrap and --listen exclude each other"],
    [cursor("--wrap", "f", "--retain-days", "x"), "--retain-days takes a whole number"],
    [cursor("--wrap", "f", ...SERVER), "--wrap takes the commands in the file"],
    [cursor("--wrap", "f", "--unwrap", "f"), "--wrap and --unwrap exclude each other"],
    [cursor("--unwrap", "f", "--record", "d"), "--unwrap and --record exclude each other"],
    [cursor("--name", "s", "--server", "a", ...SERVER), "--server needs --wrap or --unwrap"],
  ];
  for (const [args, words] of rows) {
    const { status, out, err, files } = await init(args, { "/here/f": "{}" });
    assertStringIncludes(err, words);
    assertEquals([status, out, files.size], [2, "", 1], args.join(" "));
  }
});

Deno.test("hoist init names the file and the line it cannot read, and writes nothing", async () => {
  const rows = [
    ["cursor", '{\n  "mcpServers": {\n', 'Cannot change "/here/f": line 3: '],
    ["cursor", '{"a": 1, "a": 2}', 'line 1: "a" stands twice'],
    ["cursor", "[]", "not an object"],
    ["cursor", '{"mcpServers": 7}', '"mcpServers" is not an object'],
    ["codex", "a = 1\nb = [sk-secret", "line 2: "],
    ["codex", "mcp_servers = { a = { command = 'x' } }", 'Cannot change "/here/f": line 3: '],
  ];
  for (const [id = "", text = "", words = ""] of rows) {
    const args = ["--host", id, "--name", "s", "--write", "f", ...SERVER];
    const { status, err, files } = await init(args, { "/here/f": text });
    assertStringIncludes(err, words);
    assert(!err.includes("sk-secret"));
    assertEquals([status, [...files]], [1, [["/here/f", text]]], err);
  }
});

Deno.test("hoist init --write twice changes nothing the second time", async () => {
  const args = cursor("--name", "s", "--write", "f", ...SERVER);
  const first = await init(args, { "/here/f": "{}\n" });
  assertEquals(first.files.get("/here/f.hoist-backup"), "{}\n");
  const second = await init(args, { "/here/f": first.files.get("/here/f") ?? "" });
  assertStringIncludes(second.err, "has it already: nothing written");
  assertEquals(second.files.size, 1);
});

const TWO = '{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}';

Deno.test("hoist init --wrap a second time adds what is new, and --unwrap takes all away", async () => {
  const one = await init(cursor("--wrap", "f", "--server", "a"), { "/here/f": TWO });
  const two = await init(cursor("--wrap", "f"), Object.fromEntries(one.files));
  assertStringIncludes(two.err, 'left "a" alone: hoist-mcp is in front of it already');
  assertEquals(two.files.get("/here/f.hoist-unwrapped"), TWO);
  const part = await init(cursor("--unwrap", "f", "--server", "b"), Object.fromEntries(two.files));
  assertEquals(part.files.get("/here/f"), one.files.get("/here/f"));
  const rest = await init(cursor("--unwrap", "f"), Object.fromEntries(part.files));
  assertEquals([...rest.files], [["/here/f", TWO]]);
});

Deno.test("hoist init --wrap leaves alone what would show a credential", async () => {
  const text = '{"mcpServers":{"a":{"url":"https://h.example/mcp?api_key=k-0011"},' +
    '"b":{"url":"https://u:p-0011@h.example/mcp"},"c":{"url":"${env:U}"},' +
    '"d":{"url":"https://h.example/mcp","headers":{"K":"k-0011"}}}}';
  const { status, err, files } = await init(cursor("--wrap", "f"), { "/here/f": text });
  assertEquals([status, [...files]], [0, [["/here/f", text]]]);
  assert(!err.includes("0011"), err);
  for (const name of ["a", "b", "c", "d"]) assertStringIncludes(err, `left "${name}" alone`);
});

Deno.test("hoist init --wrap says why it leaves a server alone, and what is wrong with a file", async () => {
  const url = '{"mcpServers":{"a":{"url":"https://h.example/mcp"},"b":{}}}';
  const { err } = await init(["--host", "claude-desktop", "--wrap", "f"], { "/here/f": url });
  assertStringIncludes(err, 'left "a" alone: Claude Desktop reads no URL from this file');
  assertStringIncludes(err, 'left "b" alone: it has neither a command nor a URL');
  const other = await init(cursor("--wrap", "f"), { "/here/f": '{"servers":{"a":{}}}' });
  assertStringIncludes(other.err, 'no server is under "mcpServers", where Cursor looks');
  const broken = await init(cursor("--wrap", "f"), { "/here/f": '{\n"a": 1' });
  assertStringIncludes(broken.err, 'Cannot change "/here/f": line 2: close brace expected');
});

Deno.test("hoist init tells a command to run from a file to write", async () => {
  const claude = ["--host", "claude-code", "--name", "s"];
  const { err } = await init([...claude, ...SERVER]);
  assertStringIncludes(err, "run this to add it to Claude Code, or --write ~/.claude.json");
  const listen = ["--listen", "127.0.0.1:8931"];
  const served = await init([...claude, ...listen, ...SERVER]);
  assertStringIncludes(served.out, "# Add it to Claude Code:\nclaude mcp add ");
  assertStringIncludes(
    (await init(cursor("--name", "s", ...listen, ...SERVER))).out,
    "# In ~/.cursor/mcp.json:\n{",
  );
});

Deno.test("hoist init --wrap prints the command that undoes it, for any path", async () => {
  const { err } = await init(cursor("--wrap", "my f"), { "/here/my f": TWO });
  assertStringIncludes(
    err,
    "to remove hoist-mcp again: hoist init --host cursor --unwrap '/here/my f'\n",
  );
});

Deno.test("hoist init says what is missing: a server, a file, the file --wrap keeps", async () => {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [cursor("--wrap", "g"), 'Cannot wrap "/here/g": there is no such file'],
    [cursor("--wrap", "f", "--server", "z"), 'the file has no server "z"'],
    [cursor("--unwrap", "f"), '"/here/f.hoist-unwrapped", is not there'],
  ];
  for (const [args, words] of rows) {
    const { status, err, files } = await init(args, { "/here/f": TWO });
    assertStringIncludes(err, words);
    assertEquals([status, files.size], [1, 1]);
  }
});

Deno.test("hoist init --form deno grants exactly what the options need", async () => {
  const form = ["--name", "s", "--form", "deno"];
  const self = { kind: "deno", deno: "/opt/deno", entry: "/opt/hoist/cmd/hoist_mcp.ts" } as const;
  const upstream = ["--upstream", "https://h.example/mcp", "--upstream-header", "K=KEY"];
  const { out, err } = await init(cursor(...form, ...upstream), {}, { self });
  const { command, args } = JSON.parse(out).mcpServers.s;
  assertEquals([command, ...args.slice(0, args.indexOf("--record"))], [
    "/opt/deno",
    "run",
    "--no-prompt",
    "--allow-read=/opt/hoist,/home/you/.hoist/auth/h.example%2fmcp",
    "--allow-write=/home/you/.hoist/logs/s",
    "--allow-net=h.example:443",
    "--allow-env=HOIST_DEBUG,HOIST_SESSION,HOME,USERPROFILE,KEY,SSL_CERT_FILE,NODE_EXTRA_CA_CERTS,DENO_CERT," +
    "HTTP_PROXY,http_proxy,HTTPS_PROXY,https_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy",
    "--unstable-worker-options",
    "--unstable-no-legacy-abort",
    "/opt/hoist/cmd/hoist_mcp.ts",
  ]);
  assertStringIncludes(err, "Cursor needs the variable KEY");
  const stdio = await init(cursor(...form, ...SERVER), {}, { self });
  assertStringIncludes(stdio.out, '"--allow-run=npx,sh"');
  assertStringIncludes(stdio.err, "LD_*");
  assert(!stdio.err.includes("npm"));
  const cached = { ...self, deno: "/home/you/.npm/_npx/1/node_modules/deno/deno" };
  const passing = await init(cursor(...form, ...SERVER), {}, { self: cached });
  assertStringIncludes(passing.err, `${cached.deno} is in npx's cache`);
});

Deno.test("hoist init takes names that begin with a dash, and says where they cannot be used", async () => {
  const file = JSON.stringify({ mcpServers: { "--flag": { command: "npx", args: ["s"] } } });
  const { status, files } = await init(cursor("--wrap", "f"), { "/here/f": file });
  assertEquals(status, 0);
  const { args } = JSON.parse(files.get("/here/f") ?? "").mcpServers["--flag"];
  assertEquals(args, ["--record", "~/.hoist/logs", "--server-name=--flag", ...SERVER]);
  const { out } = await init(cursor("--name", "s", "--domain=-x", ...SERVER));
  assertEquals(JSON.parse(out).mcpServers.s.args.includes("--domain=-x"), true);
  const refused = await init(["--host", "claude-code", "--name=--flag", ...SERVER]);
  assertEquals(refused.status, 2);
  assertStringIncludes(refused.err, "'claude mcp add' would read it as an option");
});

Deno.test("hoist init gives a host that passes few variables what the proxy needs of them", async () => {
  const codex = await init(["--host", "codex", "--name", "s", ...SERVER]);
  assertStringIncludes(codex.out, 'env_vars = ["HOIST_SESSION"]');
  assertStringIncludes(codex.out, 'DENO_DIR = "/deno"');
  assertEquals((await init(cursor("--name", "s", ...SERVER))).out.includes("DENO_DIR"), false);
  const file = '[mcp_servers.s]\ncommand = "x"\n';
  const wrapped = await init(["--host", "codex", "--wrap", "f"], { "/here/f": file });
  const written = wrapped.files.get("/here/f") ?? "";
  assertStringIncludes(written, 'env_vars = ["HOIST_SESSION"]');
  assertStringIncludes(written, 'env.DENO_DIR = "/deno"');
});

Deno.test("hoist init --listen without --host prints the configuration of every host", async () => {
  const listen = ["--listen", "127.0.0.1:8931", "--name", "s", ...SERVER];
  const { status, out, err } = await init(listen);
  assertEquals(status, 0, err);
  assertStringIncludes(out, "# Start the proxy once:\nhoist-mcp --record ");
  for (const host of HOSTS.filter(({ url }) => url !== undefined)) {
    assertStringIncludes(out, `\n# ${host.title}. `);
  }
  for (const host of HOSTS.filter(({ url }) => url === undefined)) {
    assertStringIncludes(err, `left ${host.title} out: `);
  }
  assertEquals(
    (await init(["--name", "s", ...SERVER])).status,
    2,
    "without --listen a host is needed",
  );
});

Deno.test("hoist init of the npm package names it, and by npx where it is not installed", async () => {
  const self = { kind: "npm", spec: "@hoist/mcp@1.2.3" } as const;
  const wordsWith = async (found: string | undefined) => {
    const find = (program: string) => program === "hoist-mcp" ? found : `/usr/bin/${program}`;
    const { out } = await init(cursor("--name", "s", ...SERVER), {}, { self, find });
    const { command, args } = JSON.parse(out).mcpServers.s;
    return [command, ...args.slice(0, args.indexOf("--record"))];
  };
  const byNpx = ["npx", "-y", "@hoist/mcp@1.2.3", "hoist-mcp"];
  assertEquals(await wordsWith(undefined), byNpx);
  assertEquals(await wordsWith("/home/you/.npm/_npx/1/node_modules/.bin/hoist-mcp"), byNpx);
  assertEquals(await wordsWith("/usr/local/bin/hoist-mcp"), ["hoist-mcp"]);
});

Deno.test("behindHoist() finds the server behind the npm package", () => {
  const npx = ["npx", "-y", "@hoist/mcp@1.2.3"];
  const command = { kind: "command", words: ["server"] } as const;
  assertEquals(behindHoist([...npx, "hoist-mcp", "--", "server"]), command);
  assertEquals(behindHoist([...npx, "hai-mcp", "--", "server"]), undefined);
});
