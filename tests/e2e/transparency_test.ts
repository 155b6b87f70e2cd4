/**
 * What crosses the proxy is what was sent, byte for byte, both ways, and the
 * log holds it line for line.
 */

import { assert, assertEquals } from "@std/assert";
import { concat } from "../../lib/bytes/concat.ts";
import { latin1, ManualHost, rssMb } from "../util/manual_host.ts";

const MIB = 1 << 20;

/** Text as the bytes of its UTF-8, one character a byte. */
function utf8(text: string): string {
  return latin1(new TextEncoder().encode(text));
}

function call(id: string | number, args = "{}"): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","arguments":${args}}}\n`;
}

function answer(id: string | number, text = "ok"): string {
  return `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${text}"}]}}\n`;
}

const MODERN =
  '{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{"_meta":' +
  '{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}\n';
const ODD =
  '\t {"id" : 101,"b":1,"a":2,"a":3,"n":12345678901234567890,"m":1e400,"z":-0,"f":1.0}  \n';
const SEPARATORS = utf8('{"s":"\\u00e9\\u2028\\/\\ud800 \u2028\u2029\u0085 \r \\u0000"}\n');
const PROTO = '{"id":1,"params":{"__proto__":{"x":1},"constructor":2,"toString":null}}\n';
const WIDE = utf8('{"s":"é€🚀漢字ñ"}\n');
const BAD_UTF8 = '{"s":"\xff\xfe\xc3\x28\xe2\x82\xf0\x9f"}\n';
const DEEP = `{"d":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`;
const IDS = ['"1"', "1", "1.5", "-1", '""', '"__proto__"', "9007199254740993", '"\\u0031\\n"', "0"];

/** Pieces each go out in a write of their own. */
interface Case {
  readonly what: string;
  readonly up: readonly string[];
  readonly down: readonly string[];
  /** Bytes of one write at a time, with a pause between. */
  readonly dribble?: true;
  readonly stderr?: number;
}

const CASES: readonly Case[] = [
  { what: "calls and answers", up: [call(1), call(2)], down: [answer(1), answer(2)] },
  {
    what: "a modern probe and its refusal",
    up: [MODERN],
    down: [answer('"server-discover-probe-1"')],
  },
  { what: "odd spacing, duplicate keys, huge numbers (R04)", up: [ODD], down: [ODD, PROTO] },
  { what: "line separators of Unicode inside strings (R03)", up: [SEPARATORS], down: [SEPARATORS] },
  {
    what: "unknown fields (R22)",
    up: [PROTO],
    down: ['{"id":1,"result":{"x-new":[],"_meta":{"y":{}}}}\n'],
  },
  { what: "ids of every type (R19)", up: IDS.map((i) => call(i)), down: IDS.map((i) => answer(i)) },
  { what: "CRLF line ends", up: ["{}\r\n", "[]\r\n"], down: ["{}\r\n"] },
  { what: "blank lines", up: ["\n\n  \n", call(1), "\n"], down: ["\n  \n", answer(1), "\n\n"] },
  {
    what: "lines that are no JSON",
    up: ["hello\n", '{"broken":\n'],
    down: ["Listening on stdio\n", "[1,2\n", "null\n42\n"],
  },
  { what: "bytes that are not UTF-8", up: [BAD_UTF8], down: [BAD_UTF8] },
  { what: "NUL bytes", up: ['{"s":"o\0k"}\n'], down: ["\0\n", '{"s":"o\0k"}\n'] },
  { what: "a byte order mark", up: ["\xef\xbb\xbf{}\n"], down: ["\xef\xbb\xbf{}\n"] },
  { what: "batches", up: ['[{"id":1},{"id":2}]\n'], down: ['[{"id":1} , {"id":2}]\n'] },
  {
    what: "a message one byte at a time (R01)",
    up: [WIDE],
    down: [WIDE, answer(1)],
    dribble: true,
  },
  {
    what: "a last line without a newline",
    up: [call(1), call(2).trimEnd()],
    down: [answer(1), '{"n":1}'],
  },
  { what: "100,000 nested arrays", up: [DEEP], down: [DEEP] },
  {
    what: "lines about 64 KiB long (R02)",
    up: [-1, 0, 1].map((d) => call(1, `"${"x".repeat(65_536 + d - 78)}"`)),
    down: [-1, 0, 1].map((d) => "y".repeat(65_535 + d) + "\n"),
  },
  {
    what: "a line of 10 MB (R02)",
    up: [call(1, `"${"x".repeat(10 * MIB)}"`)],
    down: [answer(1, "y".repeat(10 * MIB))],
  },
  {
    what: "3 MB of wide characters in one line",
    up: [utf8(`"${"é€🚀漢".repeat(250_000)}"\n`)],
    down: [utf8(`"${"漢🚀".repeat(400_000)}"\n`)],
  },
  { what: "20,000 lines at once", up: [call(1).repeat(20_000)], down: [answer(1).repeat(20_000)] },
  { what: "16 MB of stderr before the answer (P06)", up: [call(1)], down: [answer(1)], stderr: 16 },
  { what: "nothing at all", up: [], down: [] },
];

for (const record of [false, true]) {
  for (const { what, up, down, dribble, stderr } of CASES) {
    Deno.test(`hoist-mcp${record ? " --record" : ""} forwards ${what}`, async () => {
      const sent = up.map((piece) => Uint8Array.from(piece, (c) => c.charCodeAt(0)));
      const total = sent.reduce((n, p) => n + p.length, 0);
      await using host = await ManualHost.start({
        record,
        plan: [
          { bytes: total },
          ...(stderr === undefined ? [] : [{ err: "e".repeat(MIB), times: stderr }]),
          ...down.map((piece) => dribble ? { dribble: piece } : { say: piece }),
          { eof: true },
        ],
      });
      await host.send(
        ...(dribble ? sent.flatMap((p) => [...p].map((b) => Uint8Array.of(b))) : sent),
      );
      const want = down.join("");
      await host.readUntil((_, bytes) => bytes >= want.length);
      await host.close();
      assertEquals(await host.exit(), 0, await host.stderr());
      assert(latin1(await host.serverRead()) === up.join(""), "the server read what was sent");
      assert(host.text() === want, "the host read what was said");
      if (stderr !== undefined) assert((await host.stderr()).includes("e".repeat(MIB)));
      if (record) {
        const log = await host.log();
        assertEquals(rebuilt(log, "client"), lines(concat(sent)));
        assertEquals(rebuilt(log, "server"), lines(host.received()));
      }
    });
  }
}

/** The lines of a stream, as text, the last one too when it has no newline. */
function lines(bytes: Uint8Array): string[] {
  const all = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\n");
  if (all.at(-1) === "") all.pop();
  return all;
}

/** One sender's lines, rebuilt from the log. */
function rebuilt(log: readonly string[], from: string): string[] {
  return log.slice(1).filter((line) => line.includes(`"from":"${from}"`)).map((line) => {
    const entry = JSON.parse(line);
    return "raw" in entry ? entry.raw : line.slice(line.indexOf('"message":') + 10, -1);
  });
}

Deno.test("hoist-mcp passes arguments, environment and folder on as they are, without a shell (P10)", async () => {
  const args = ["a b", "q'u\"o", "", "--flag", "ünï✓", "*", "$HOME", "--", "100%", "^&|"];
  const script =
    "console.log(JSON.stringify([Deno.args, Deno.env.get('HOIST_TEST'), Deno.cwd()])); Deno.exit(0)";
  const server = [Deno.execPath(), "eval", script, "--", ...args];
  await using host = await ManualHost.start({ server, env: { HOIST_TEST: "täst 1" } });
  await host.close();
  assertEquals(await host.exit(), 0);
  const [gotArgs, env, cwd] = JSON.parse(new TextDecoder().decode(host.received()));
  // `deno eval` keeps the first `--` for the program.
  assertEquals(gotArgs.slice(-args.length), args);
  assertEquals([env, cwd], ["täst 1", Deno.cwd()]);
});

Deno.test("hoist-mcp leaves the standard error it shares with the server as it was", async () => {
  const flags = "grep flags /proc/self/fdinfo/2";
  const launcher = (script: string) => ["sh", "-c", script];
  await using direct = await ManualHost.start({ direct: true, server: launcher(flags) });
  await using proxied = await ManualHost.start({ server: launcher(`sleep 0.3; ${flags}`) });
  await direct.exit();
  await proxied.exit();
  assert(direct.text().startsWith("flags:"));
  assertEquals(proxied.text(), direct.text());
});

Deno.test("hoist-mcp holds no more than a few chunks for a host that reads nothing (R14)", async () => {
  const line = `"${"w".repeat(65_300)}"\n`;
  await using host = await ManualHost.start({
    record: true,
    plan: [{ lines: 1 }, { say: line, times: 600 }, { eof: true }],
  });
  await host.send("{}\n");
  await host.readUntil((_, bytes) => bytes > 100_000); // it runs
  const before = await rssMb(host.pid);
  await new Promise((r) => setTimeout(r, 1_000));
  const grown = await rssMb(host.pid) - before;
  await host.lines(600);
  await host.close();
  assertEquals(await host.exit(), 0);
  assert(grown < 64, `grew by ${grown} MB`);
  assert(host.text() === line.repeat(600));
});

Deno.test("hoist-mcp holds no more than a few chunks for a server that reads nothing (R14)", async () => {
  await using host = await ManualHost.start({
    plan: [{ pauseReadingMs: 1_500 }, { say: "go\n" }, { lines: 602 }, { eof: true }],
  });
  await host.send("{}\n");
  await host.lines(1);
  const before = await rssMb(host.pid);
  const line = `"${"w".repeat(65_300)}"\n`;
  let peak = before;
  for (let i = 0; i < 600; i++) {
    await host.send(line);
    if (i % 100 === 99) peak = Math.max(peak, await rssMb(host.pid));
  }
  await host.send("{}\n");
  await host.close();
  assertEquals(await host.exit(), 0);
  assert(peak - before < 64, `grew by ${peak - before} MB`);
  assert(latin1(await host.serverRead()) === latin1(host.sent()));
});

Deno.test("hoist-mcp lets a host write everything before it reads anything", async () => {
  // A proxy that blocks on its output stops reading, and both would wait for ever.
  const said = "y".repeat(999) + "\n";
  await using host = await ManualHost.start({ plan: [{ say: said, times: 600 }, { eof: true }] });
  await host.file("in.bin");
  const line = `"${"x".repeat(9_997)}"\n`;
  for (let i = 0; i < 100; i++) await host.send(line);
  await host.close();
  assertEquals(await host.exit(), 0);
  assertEquals((await host.serverRead()).length, 1_000_000);
  assert(host.text() === said.repeat(600));
});
