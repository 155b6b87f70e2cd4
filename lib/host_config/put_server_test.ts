import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { configured, valueOf } from "../../tests/util/host_config.ts";
import { HOSTS } from "./host_table.ts";
import { hostOf } from "./host_table.ts";
import { readJsonConfig } from "./json_config.ts";
import { entryOf, type NewServer, putServer } from "./put_server.ts";
import { readTomlConfig } from "./toml_config.ts";

const NEW: NewServer = {
  kind: "command",
  words: ["hoist-mcp", "--record", "d", "--", "npx", "s"],
  variables: [],
};
const BY_URL: NewServer = { kind: "url", url: "http://127.0.0.1:1/mcp", bearer: undefined };

function put(id: string, text: string, server: NewServer = NEW, name = "new"): string {
  const host = hostOf(id);
  assert(host !== undefined);
  const read = host.format === "json" ? readJsonConfig : readTomlConfig;
  return putServer(read(text), host, name, server);
}

const ENTRY =
  '{\n      "command": "hoist-mcp",\n      "args": [\n        "--record",\n        "d",\n' +
  '        "--",\n        "npx",\n        "s"\n      ]\n    }';

Deno.test("putServer adds behind the last server and its comments, in the file's own style", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["", `{\n  "mcpServers": {\n    "new": ${ENTRY}\n  }\n}\n`],
    ["{}", `{\n  "mcpServers": {\n    "new": ${ENTRY}\n  }\n}`],
    [
      '{\n  "mcpServers": {\n    "a": {} // one\n    // end\n  }\n}\n',
      `{\n  "mcpServers": {\n    "a": {}, // one\n    // end\n    "new": ${ENTRY}\n  }\n}\n`,
    ],
    [
      '{\n  "mcpServers": {\n    "a": {}, // one\n  },\n}\n',
      `{\n  "mcpServers": {\n    "a": {}, // one\n    "new": ${ENTRY},\n  },\n}\n`,
    ],
    [
      '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
      `{\n  "mcpServers": {\n    // none yet\n    "new": ${ENTRY}\n  }\n}\n`,
    ],
    [
      '{"x":1,"mcpServers":{"a":{}}}',
      '{"x":1,"mcpServers":{"a":{}, "new": {"command":"hoist-mcp","args":["--record","d","--","npx","s"]}}}',
    ],
    [
      '{\r\n\t"x": 1\r\n}\r\n',
      '{\r\n\t"x": 1,\r\n\t"mcpServers": {\r\n\t\t"new": ' +
      ENTRY.replaceAll("  ", "\t").replaceAll("\n", "\r\n") + "\r\n\t}\r\n}\r\n",
    ],
  ];
  for (const [before, after] of rows) assertEquals(put("cursor", before), after);
});

Deno.test("putServer adds a table to TOML", () => {
  const server: NewServer = { ...NEW, variables: ["KEY"] };
  assertEquals(
    put("codex", 'model = "m"', server, "my shop"),
    'model = "m"\n\n[mcp_servers."my shop"]\ncommand = "hoist-mcp"\n' +
      'args = ["--record", "d", "--", "npx", "s"]\nenv_vars = ["KEY"]\n',
  );
});

Deno.test("putServer loses no key and no comment, wherever commas and comments stand", () => {
  const gap = fc.constantFrom("", " ", "\n", "\r\n\t", " // c\n", "/* c */", "\n  // d\n  ");
  const text = fc.tuple(gap, gap, gap, gap, gap, gap, fc.boolean(), fc.boolean(), fc.boolean())
    .map(([a, b, c, d, e, f, isEmpty, inner, outer]) =>
      `${a}{${b}"k"${c}:1,"mcpServers":{${
        isEmpty ? d : `"a"${d}:{"command":"x"}${inner ? "," : ""}`
      }${e}}${outer ? "," : ""}${f}}`
    );
  fc.assert(
    fc.property(text, (before) => {
      const after = put("cursor", before);
      assertEquals(configured("cursor", after).at(-1)?.command, NEW.words);
      const { mcpServers, ...rest } = valueOf("cursor", after);
      const { new: _, ...servers } = mcpServers as Record<string, unknown>;
      assertEquals({ ...rest, mcpServers: servers }, valueOf("cursor", before));
      const comments = (from: string) => from.match(/\/\/ .|\/\* c \*\//g);
      assertEquals(comments(after), comments(before));
    }),
    { numRuns: 500 },
  );
});

Deno.test("putServer brings a server of ours up to date, in place", () => {
  const old =
    '{"mcpServers":{"new":{"command":"hoist-mcp", /* c */ "args":["--","x"], "env":{"A":"b"}}}}';
  assertEquals(
    put("cursor", old),
    '{"mcpServers":{"new":{"command":"hoist-mcp", /* c */ "args":["--record", "d", "--", "npx", "s"], "env":{"A":"b"}}}}',
  );
});

Deno.test("putServer refuses to touch a server that is not ours", () => {
  const texts = [
    '{"mcpServers":{"new":{"command":"npx","args":[]}}}',
    '{"mcpServers":{"new":{"url":"https://a.example/mcp"}}}',
    '{"mcpServers":{"new":7}}',
    '{"mcpServers":[]}',
  ];
  for (const text of texts) assertThrows(() => put("cursor", text), Error);
  assertThrows(() => put("codex", "mcp_servers = 1"), Error);
});

Deno.test("entryOf spells a server as each host reads it", () => {
  for (const host of HOSTS) {
    const path = [...host.servers[0] ?? [], "s"];
    const write = (server: NewServer) =>
      host.format === "json"
        ? JSON.stringify(
          path.reduceRight<unknown>((v, key) => ({ [key]: v }), entryOf(server, host)),
        )
        : readTomlConfig("").add(path, entryOf(server, host))[0]?.text ?? "";
    assertEquals(configured(host.id, write(NEW))[0]?.command, NEW.words, host.id);
    if (host.url === undefined) assertThrows(() => entryOf(BY_URL, host), Error, "takes no URL");
    else assertEquals(configured(host.id, write(BY_URL))[0]?.url, BY_URL.url, host.id);
    const withToken: NewServer = { ...BY_URL, bearer: "TOKEN_VAR" };
    if (host.url?.bearer === undefined) assertThrows(() => entryOf(withToken, host), Error);
    else assert(write(withToken).includes("TOKEN_VAR"), host.id);
  }
});
