import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { LogSyntaxError } from "./log_syntax_error.ts";
import type { LogLine } from "./log.ts";
import { LogParser, LogReader, parseLog } from "./parse_log.ts";

const HEADER =
  '{"hoist_mcp_log":2,"session":"20261112T081503.077Z-911","started_unix_ms":1794471303077,' +
  '"server_command":["x"],"domain":null,"agent_model":null}\n';

function line(message: string, from = "client", t = 1): string {
  return `{"t_ms":${t},"from":"${from}","message":${message}}\n`;
}

function texts(lines: readonly LogLine[]): string[] {
  return lines.map((l) => l.kind === "raw" ? l.raw : l.text);
}

Deno.test("parseLog() reads header and lines", () => {
  const log = parseLog(HEADER + line('{"id":1}') + '{"t_ms":2,"from":"server","raw":"a\\nb"}\n');
  assertEquals(log, {
    header: {
      hoist_mcp_log: 2,
      session: "20261112T081503.077Z-911",
      started_unix_ms: 1794471303077,
      server_command: ["x"],
      domain: null,
      agent_model: null,
    },
    lines: [
      { kind: "message", line: 2, t_ms: 1, from: "client", text: '{"id":1}', message: { id: 1 } },
      { kind: "raw", line: 3, t_ms: 2, from: "server", raw: "a\nb" },
    ],
    problems: [],
  });
});

for (
  const [why, text] of [
    ["digits past 2^53", '{"id":9007199254740993,"n":1.10e2}'],
    ["duplicate keys", '{"a":1,"a":2}'],
    ["a carriage return and spaces at the end", '{"a":1} \t\r'],
    ["space at the start", "  [1, 2]"],
    ["a lone carriage return inside", '{"a":\r1}'],
    ["U+2028, U+2029 and U+0085", '"\u2028\u2029\u0085"'],
    ["a value that holds the key itself", '{"message":"}","from":",\\"message\\":"}'],
    ["a batch", '[{"id":1},{"id":"1"}]'],
    ["null", "null"],
  ] as const
) {
  Deno.test(`parseLog() keeps ${why} as it was sent`, () => {
    const log = parseLog(HEADER + line(text));
    assertEquals(texts(log.lines), [text]);
  });
}

Deno.test("parseLog() finds the message among keys it does not know, in any order", () => {
  const log = parseLog(
    HEADER + '{"x":{"message":0},"message": 1.0 ,"t_ms":1,"from":"proxy","y":[]}',
  );
  assertEquals(texts(log.lines), [" 1.0 "]);
});

Deno.test("parseLog() takes a last line that only lacks its newline", () => {
  assertEquals(parseLog(HEADER.trimEnd()).problems, []);
  const log = parseLog(HEADER + line("1").trimEnd());
  assertEquals([texts(log.lines), log.problems], [["1"], []]);
});

Deno.test("parseLog() leaves out a cut last line and says so, wherever it was cut", () => {
  const bytes = new TextEncoder().encode(line('{"word":"é 😀"}'));
  const start = new TextEncoder().encode(HEADER + line("1"));
  for (let length = 1; length < bytes.length - 1; length++) {
    const log = parseLog(new Uint8Array([...start, ...bytes.subarray(0, length)]));
    assertEquals(texts(log.lines), ["1"], `cut after ${length} bytes`);
    assertEquals(log.problems.map(({ kind, line }) => [kind, line]), [["cut", 3]]);
  }
});

const BROKEN = '{"t_ms":1,"from":"client","mess' + "x".repeat(100);

for (
  const [why, source, number, words] of [
    ["an empty file", "", 1, "line 1 is missing, the file is empty"],
    ["a first line that is not JSON", "hello\n", 1, "line 1 is not JSON: hello"],
    ["a first line that is no header", '{"t_ms":1}\n', 1, 'no "hoist_mcp_log"'],
    ["a cut header", HEADER.slice(0, 40), 1, "line 1 is cut: {"],
    ["version 1", '{"hoist_mcp_log":1}\n', 1, "log version 1, and this program reads version 2"],
    ["version 3, cut", '{"hoist_mcp_log":3}', 1, "log version 3, and this program reads version 2"],
    ["a version in words", '{"hoist_mcp_log":"2"}\n', 1, 'log version "2", and'],
    ["a header without its start", '{"hoist_mcp_log":2,"session":"s"}\n', 1, '"started_unix_ms"'],
    ["a line cut in the middle", HEADER + BROKEN + "\n" + line("1"), 2, "line 2 is not JSON: {"],
    ["a line that is no object", HEADER + "[]\n", 2, "line 2 is not a JSON object: []"],
    ["a blank line", HEADER + "\n" + line("1"), 2, "line 2 is not JSON"],
    ["a foreign source", HEADER + line("1", "judge"), 2, '"from"'],
    ["a time that is no number", HEADER + '{"t_ms":"1","from":"client","raw":""}\n', 2, '"t_ms"'],
    ["neither message nor raw", HEADER + '{"t_ms":1,"from":"client"}\n', 2, 'neither "message"'],
    ["control characters", HEADER + "\u001b[2J\n", 2, "\\e[2J"],
  ] as const
) {
  Deno.test(`parseLog() refuses ${why}`, () => {
    const error = assertThrows(() => parseLog(source, { path: "a.jsonl" }), LogSyntaxError, words);
    assertEquals([error.line, error.path], [number, "a.jsonl"]);
    assertEquals(error.message.startsWith('Cannot read "a.jsonl": line '), true, error.message);
  });
}

Deno.test("parseLog() names the first 80 characters of a broken line", () => {
  const error = assertThrows(() => parseLog(HEADER + BROKEN + "\n"), LogSyntaxError);
  assertEquals(error.message.endsWith(`: ${BROKEN.slice(0, 80)}…`), true, error.message);
});

Deno.test("parseLog() refuses bytes that are not UTF-8", () => {
  const bytes = new TextEncoder().encode(HEADER + line('"?"'));
  bytes[bytes.indexOf(0x3f)] = 0xff;
  assertThrows(() => parseLog(bytes), LogSyntaxError, "line 2 holds bytes that are not UTF-8");
});

Deno.test("LogSyntaxError carries what could be read around the fault", () => {
  const source = HEADER + line("1") + "{\n" + line("2") + "}\n" + line("3").slice(0, 9);
  const { log, message } = assertThrows(() => parseLog(source), LogSyntaxError);
  assertEquals(log.header?.session, "20261112T081503.077Z-911");
  assertEquals(texts(log.lines), ["1", "2"]);
  assertEquals(log.problems.map((p) => `${p.kind} ${p.line}`), ["broken 3", "broken 5", "cut 6"]);
  assertEquals(message.includes("line 3 ") && message.includes("1 more such line"), true, message);
});

Deno.test("LogSyntaxError carries the lines under a header that cannot be read", () => {
  const { log } = assertThrows(() => parseLog("oops\n" + line("1")), LogSyntaxError);
  assertEquals([log.header, texts(log.lines)], [undefined, ["1"]]);
});

Deno.test("LogSyntaxError carries nothing of another version", () => {
  const { log } = assertThrows(() => parseLog('{"hoist_mcp_log":9}\n' + line("1")), LogSyntaxError);
  assertEquals([log.header, log.lines], [undefined, []]);
});

Deno.test("parseLog() gives back the wire text of any JSON value, however it is spaced", () => {
  const from = fc.constantFrom("client", "server", "proxy", "context");
  const wire = fc.tuple(
    fc.jsonValue(),
    fc.constantFrom("", " ", "\t", "\r"),
    fc.constantFrom("", "\r"),
  )
    .map(([value, before, after]) => before + JSON.stringify(value) + after);
  fc.assert(fc.property(fc.array(fc.tuple(from, wire)), (entries) => {
    const log = parseLog(HEADER + entries.map(([who, text]) => line(text, who)).join(""));
    assertEquals(log.lines.map((l) => l.from), entries.map(([who]) => who));
    assertEquals(texts(log.lines), entries.map(([, text]) => text));
  }));
});

Deno.test("LogParser reads the same log however its bytes are cut", () => {
  const bytes = new TextEncoder().encode(HEADER + line('"é\u2028"') + line("[1]") + line("2"));
  const whole = parseLog(bytes);
  fc.assert(fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
    const parser = new LogParser();
    let from = 0;
    for (const to of [...cuts.sort((a, b) => a - b), bytes.length]) {
      const chunk = bytes.slice(from, to);
      parser.push(chunk);
      chunk.fill(0); // The caller may reuse its buffer.
      from = to;
    }
    assertEquals(parser.end(), whole);
  }));
});

Deno.test("parseLog() throws LogSyntaxError and nothing else, whatever the bytes", () => {
  fc.assert(fc.property(fc.boolean(), fc.uint8Array({ maxLength: 200 }), (hasHeader, noise) => {
    const start = new TextEncoder().encode(hasHeader ? HEADER : "");
    try {
      parseLog(new Uint8Array([...start, ...noise]));
    } catch (error) {
      if (!(error instanceof LogSyntaxError)) throw error;
    }
  }));
});

Deno.test("LogReader drops lines that are too long, however they are cut, and keeps every place", () => {
  const text = [
    '{"hoist_mcp_log":2,"session":"s","started_unix_ms":1,"server_command":[],"domain":null,"agent_model":null}',
    '{"t_ms":1,"from":"client","raw":"a"}',
    `{"t_ms":2,"from":"server","raw":"${"x".repeat(300)}"}`,
    '{"t_ms":3,"from":"server","raw":"b"}',
    "",
  ].join("\n");
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 7, 64, bytes.length]) {
    const seen: unknown[] = [];
    const see = (line: number) => {
      const { at, length } = reader.place;
      seen.push([line, text.slice(at, at + 9), length]);
    };
    const reader: LogReader = new LogReader(({ line }) => see(line), {
      maxLineBytes: 100,
      onLong: (line, start) => {
        assertEquals(start.startsWith('{"t_ms":2,"from":"server"'), true);
        see(line);
      },
    });
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    assertEquals(
      seen,
      [[2, '{"t_ms":1', 36], [3, '{"t_ms":2', 335], [4, '{"t_ms":3', 36]],
      `${size}`,
    );
    assertEquals(reader.end().problems, []);
  }
});
