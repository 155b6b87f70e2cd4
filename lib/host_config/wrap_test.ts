import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { configured, valueOf } from "../../tests/util/host_config.ts";
import type { ConfigText } from "./config_text.ts";
import { type HostKind, hostOf, HOSTS } from "./host_table.ts";
import { readJsonConfig } from "./json_config.ts";
import { behindHoist } from "./server_entry.ts";
import { readTomlConfig } from "./toml_config.ts";
import { unwrapServers, wrapServers } from "./wrap.ts";

function read(host: HostKind, text: string): ConfigText {
  return host.format === "json" ? readJsonConfig(text) : readTomlConfig(text);
}

const PREFIX = ["hoist-mcp", "--record", "~/.hoist/logs"];

function wrapped(host: HostKind, text: string, only: readonly string[] = []) {
  return wrapServers(read(host, text), host, {
    only,
    passed: PASSED,
    line: (_name, behind) =>
      behind.kind === "url"
        ? [...PREFIX, "--upstream", behind.url]
        : [...PREFIX, "--", ...behind.words],
  });
}

function unwrapped(host: HostKind, now: string, original: string) {
  return unwrapServers(read(host, now), read(host, original), host, []);
}

function kind(id: string): HostKind {
  const found = hostOf(id);
  assert(found !== undefined);
  return found;
}

/** Every comment of a text, in order. */
function comments(text: string): string[] {
  return text.match(/(?<![:"'\w])\/\/ .*|\/\*[^]*?\*\/|(?<=\s|^)# .*/gm) ?? [];
}

/** The sample of each host: what --wrap changes there, and what it leaves. */
const SAMPLES: Readonly<Record<string, readonly [changed: string[], left: string[]]>> = {
  "claude-code.json": [["files", "search", "db"], ["issues", "events"]],
  "claude-desktop.json": [["files", "bare"], []],
  "cursor.json": [["files", "shop", "web", "keyed"], ["mine"]],
  "vscode.json": [["shop", "docs"], ["old"]],
  "codex.toml": [["files", "shop.main", "inline", "dotted", "web"], ["issues", "mine"]],
  "gemini-cli.json": [["files", "stream"], ["events"]],
  "opencode.json": [["files", "one", "search"], ["global"]],
  "windsurf.json": [["files", "web"], ["none"]],
  "zed.json": [["files", "older"], ["extension"]],
};

for (const { name } of Deno.readDirSync("testdata/hosts")) {
  const host = kind(name.replace(/\.\w+$/, ""));
  Deno.test(`wrapServers changes what starts a server in ${name}, and nothing else`, async () => {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      await Deno.readFile(`testdata/hosts/${name}`),
    );
    const { text: made, changed, left } = wrapped(host, text);
    assertEquals([[...changed], left.map((l) => l.name)], SAMPLES[name]);
    assertEquals(comments(made), comments(text));
    const before = new Map(configured(host.id, text).map((s) => [s.name, s]));
    for (const server of configured(host.id, made)) {
      const was = before.get(server.name);
      assertEquals(without(server.env ?? {}), without(was?.env ?? {}));
      if (!changed.includes(server.name)) {
        assertEquals(server.entry, was?.entry);
        continue;
      }
      const behind = behindHoist(server.command);
      assertEquals(server.command.slice(0, 3), PREFIX);
      assert(was !== undefined);
      if (was.url === undefined) assertEquals(behind, { kind: "command", words: was.command });
      else assertEquals(behind, { kind: "url", url: was.url });
      assertEquals(server.url, undefined);
    }
    assertEquals(without(valueOf(host.id, made)), without(valueOf(host.id, text)));
    assertEquals(unwrapped(host, made, text).text, text);
  });
}

/** What {@linkcode wrapped} makes a host that passes few variables pass. */
const PASSED = {
  variables: ["HOIST_SESSION"],
  env: { DENO_DIR: "/deno", SSL_CERT_FILE: "/ca" },
};

/** A configuration without what starts its servers, and what they are passed. */
function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((v) => v !== "HOIST_SESSION").map(without);
  if (typeof value !== "object" || value === null) return value;
  const starts = /^(?:command|args|url|httpUrl|serverUrl|type|DENO_DIR|SSL_CERT_FILE)$/;
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => !starts.test(key)).map(([k, v]) => [k, without(v)])
      .filter(([k, v]) => !/^env(_vars)?$/.test(String(k)) || Object.keys(Object(v)).length > 0),
  );
}

Deno.test("there is a sample of every host", () => {
  const samples = Object.keys(SAMPLES).map((name) => name.replace(/\.\w+$/, ""));
  assertEquals(samples.sort(), HOSTS.map((h) => h.id).sort());
});

// JSON as people and programs write it: white space, comments and commas anywhere they may be.

const space = fc.constantFrom("", " ", "\n", "\t", "\r\n  ", " /* c */ ", " // c\n", "\n\n    ");
const word = fc.oneof(
  fc.constantFrom("-y", "--", "hoist", "a b", "ü", '"', "\\", "--upstream", "\u2028", "#"),
  fc.string(),
);

/** A list's or an object's text: parts, a comma after the last or not, space everywhere. */
function listing(open: string, close: string, parts: readonly string[]): fc.Arbitrary<string> {
  return fc.record({
    gaps: fc.array(space, { minLength: parts.length * 2 + 1, maxLength: parts.length * 2 + 1 }),
    trailing: fc.boolean(),
  }).map(({ gaps, trailing }) => {
    const body = parts.map((part, i) => {
      const comma = i < parts.length - 1 || trailing ? "," : "";
      return `${gaps[2 * i]}${part}${gaps[2 * i + 1]}${comma}`;
    });
    return open + body.join("") + gaps.at(-1) + close;
  });
}

const member = (key: string, value: fc.Arbitrary<string>) =>
  fc.tuple(space, space, value).map(([a, b, text]) => `${JSON.stringify(key)}${a}:${b}${text}`);
const string = (value: fc.Arbitrary<string>) => value.map((v) => JSON.stringify(v));
const strings = fc.array(word, { maxLength: 4 })
  .chain((words) => listing("[", "]", words.map((w) => JSON.stringify(w))));
const extras = fc.subarray([
  '"env": {"K": "v", /* k */ }',
  '"disabled" :false',
  '"x": [1, {"command": "no"}]',
]);

const program = string(fc.constantFrom("npx", "uvx", "/opt/a b/server", "C:\\x\\server.exe"));
const commandServer = fc.tuple(
  member("command", program),
  fc.option(member("args", strings), { nil: undefined }),
  extras,
).chain(([command, args, more]) =>
  fc.shuffledSubarray([command, ...args === undefined ? [] : [args], ...more], {
    minLength: more.length + (args === undefined ? 1 : 2),
  })
).chain((members) => listing("{", "}", members));
const urlServer = extras.chain((more) =>
  listing("{", "}", [...more, '"url" : "https://a.example/mcp"'])
);
const oursServer = fc.constant('{"command":"hoist-mcp", "args": ["--", "npx"]}');
const otherServer = fc.constantFrom("{}", "null", '{"command": 7}', '{"command":"x","args":[1]}');

const file = fc.array(
  fc.oneof(commandServer, commandServer, urlServer, oursServer, otherServer),
  { maxLength: 4 },
)
  .chain((servers) =>
    listing("{", "}", servers.map((text, i) => `${JSON.stringify(`s${i}`)}: ${text}`))
  )
  .chain((servers) => listing("{", "}", ['"a": 1', `"mcpServers": ${servers}`, '"z": [ ]']))
  .chain((text) => fc.tuple(fc.constantFrom("", "\uFEFF"), space, fc.constant(text), space))
  .map((parts) => parts.join(""));

Deno.test("unwrapServers undoes wrapServers to the byte", () => {
  const host = kind("cursor");
  fc.assert(
    fc.property(file, (text) => {
      const { text: made, changed } = wrapped(host, text);
      const servers = configured("cursor", made);
      for (const name of changed) {
        const command = servers.find((s) => s.name === name)?.command ?? [];
        assert(behindHoist(command) !== undefined, command.join(" "));
      }
      assertEquals(without(valueOf("cursor", made)), without(valueOf("cursor", text)));
      assertEquals(wrapped(host, made).changed, []);
      assertEquals(unwrapped(host, made, text).text, text);
    }),
    { numRuns: 300 },
  );
});

// TOML: a server as a table, as an inline table, or by dotted keys.

const tomlWords = fc.array(fc.constantFrom('"-y"', "'a b'", '"\\u00fc\\n"', '""'), {
  maxLength: 3,
});
const tomlArgs = fc.tuple(tomlWords, fc.constantFrom(", ", ",\n  ", ", # c, {\n"))
  .map(([words, comma]) => `[${words.join(comma)}]`);
const tomlServer = fc.record({
  form: fc.constantFrom("table", "inline", "dotted"),
  args: fc.option(tomlArgs, { nil: undefined }),
  url: fc.boolean(),
  comment: fc.constantFrom("", " # c, {", "\t"),
}).map(({ form, args, url, comment }) => (name: string) => {
  const starts = url
    ? ['url = "https://a.example/mcp"']
    : ["command = 'npx'", ...args === undefined ? [] : [`args = ${args}`]];
  const members = [...starts, 'env = { "K" = "v" }'];
  if (form === "inline") return `[mcp_servers]\n${name} = { ${members.join(" , ")} }${comment}\n`;
  if (form === "dotted") {
    return `[mcp_servers]\n${members.map((m) => `${name}.${m}${comment}\n`).join("")}`;
  }
  return `[ mcp_servers . ${name} ]${comment}\n${
    members.map((m) => `  ${m}${comment}\n`).join("")
  }\n`;
});

Deno.test("unwrapServers undoes wrapServers to the byte in TOML", () => {
  const host = kind("codex");
  const document = fc.tuple(
    tomlServer,
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom("", "\uFEFF"),
  )
    .map(([server, eol, mark]) =>
      mark + `model = "m" # c\n${server("s0")}`.replaceAll("\n", eol) + `[other]${eol}x = 1`
    );
  fc.assert(
    fc.property(document, (text) => {
      const { text: made, changed } = wrapped(host, text);
      assertEquals(changed, ["s0"]);
      assert(behindHoist(configured("codex", made)[0]?.command ?? []) !== undefined, made);
      assertEquals(without(valueOf("codex", made)), without(valueOf("codex", text)));
      assertEquals(unwrapped(host, made, text).text, text);
    }),
    { numRuns: 300 },
  );
});

Deno.test("unwrapServers keeps what the user changed in between", () => {
  const host = kind("cursor");
  fc.assert(
    fc.property(file, (text) => {
      const edit = (from: string) => from.replace('"a": 1', '"a": 1, "new": "yes" /* mine */');
      const { text: made } = wrapped(host, text);
      assertEquals(unwrapped(host, edit(made), text).text, edit(text));
    }),
  );
});

Deno.test("unwrapServers keeps an argument that the user added behind hoist-mcp", () => {
  const host = kind("cursor");
  const text = '{"mcpServers":{"a":{"command":"npx","args":["-y", "s"]}}}';
  const made = wrapped(host, text).text.replace('"s"]', '"s", "--more"]');
  assertEquals(
    unwrapped(host, made, text).text,
    '{"mcpServers":{"a":{"command":"npx","args":["-y", "s", "--more"]}}}',
  );
});

Deno.test("wrapServers keeps to the servers it is given", () => {
  const host = kind("codex");
  const text = '[mcp_servers.a]\ncommand = "x"\n\n[mcp_servers.b]\ncommand = "y"\n';
  const { text: made, changed } = wrapped(host, text, ["b"]);
  assertEquals(changed, ["b"]);
  assertStringIncludes(made, '[mcp_servers.a]\ncommand = "x"\n');
});

Deno.test("behindHoist tells what is ours from what only looks like it", () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ["hoist-mcp --record d -- npx s", true],
    ["/opt/hoist/hoist-mcp.exe -- s", true],
    ["deno run -A /x/cmd/hoist_mcp.ts --upstream http://h/mcp", true],
    ["npx -y deno@2.9.6 run -A cmd/hoist_mcp.ts -- s", true],
    ["deno run jsr:@hoist/mcp@0.1.0/hoist-mcp -- s", true],
    ["deno run -A main.ts hoist-mcp -- s", true],
    ["npx -y server-filesystem /home/you/hoist-mcp", false],
    ["hoist-mcp-demo", false],
    ["node hoist_mcp.ts -- s", false],
    ["sh -c x -- hoist-mcp", false],
  ];
  for (const [line, isOurs] of rows) {
    assertEquals(behindHoist(line.split(" ")) !== undefined, isOurs, line);
  }
});

Deno.test("wrapServers gives an entry the variables that its host does not pass", () => {
  const host = kind("codex");
  const rows = [
    [
      '[mcp_servers.a]\ncommand = "x"\n',
      '\nenv_vars = ["HOIST_SESSION"]\nenv.DENO_DIR = "/deno"\nenv.SSL_CERT_FILE = "/ca"\n',
    ],
    [
      '[mcp_servers.a]\ncommand = "x"\nenv_vars = ["A"]\n[mcp_servers.a.env]\nDENO_DIR = "/mine"\n',
      'env_vars = ["A", "HOIST_SESSION"]\n[mcp_servers.a.env]\nDENO_DIR = "/mine"\nSSL_CERT_FILE = "/ca"\n',
    ],
    [
      'mcp_servers.a = { command = "x", env = { B = "1" } }\n',
      'env_vars = ["HOIST_SESSION"], env = { B = "1", DENO_DIR = "/deno", SSL_CERT_FILE = "/ca" } }',
    ],
    ['[mcp_servers.a]\nurl = "http://h/mcp"\n', '"http://h/mcp"]\nenv_vars = ["HOIST_SESSION"]\n'],
  ] as const;
  for (const [text, expected] of rows) {
    const { text: made } = wrapped(host, text);
    assertStringIncludes(made, expected);
    assertEquals(unwrapped(host, made, text).text, text);
  }
});

Deno.test("unwrapServers keeps variables that the user added", () => {
  const host = kind("codex");
  const text = '[mcp_servers.a]\ncommand = "x"\n';
  const made = wrapped(host, text).text.replace("env.DENO_DIR", 'env.MINE = "1"\nenv.DENO_DIR');
  assertEquals(unwrapped(host, made, text).text, `${text}env.MINE = "1"\n`);
});
