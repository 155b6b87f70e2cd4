import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { concat } from "../bytes/concat.ts";
import { Recorder } from "./recorder.ts";

const encoder = new TextEncoder();

/** A sink that keeps every write. */
function memory() {
  const writes: Uint8Array[] = [];
  return {
    writes,
    write: (bytes: Uint8Array) => void writes.push(bytes.slice()),
    text: () =>
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
        concat(writes),
      ),
  };
}

Deno.test("Recorder embeds a JSON line as its own text and keeps any other as raw", () => {
  const sink = memory();
  const recorder = new Recorder(sink);
  const odd = ' {"id" : 1, "n":12345678901234567890,"a":1,"a":2,"z":-0 }\r';
  recorder.chunk("client", encoder.encode(odd + "\n"), 12.9);
  recorder.chunk("server", encoder.encode('Listening "x"\n\n[1, 2]\n42\n'), 15);
  assertEquals(
    sink.text(),
    `{"t_ms":12,"from":"client","message":${odd}}\n` +
      '{"t_ms":15,"from":"server","raw":"Listening \\"x\\""}\n' +
      '{"t_ms":15,"from":"server","raw":""}\n' +
      '{"t_ms":15,"from":"server","message":[1, 2]}\n' +
      '{"t_ms":15,"from":"server","message":42}\n',
  );
  assertEquals(sink.writes.length, 2, "one write a chunk");
});

Deno.test("Recorder keeps a byte order mark as text and replaces bytes that are not UTF-8", () => {
  const sink = memory();
  new Recorder(sink).chunk("server", new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 10]), 0);
  new Recorder(sink).chunk("client", new Uint8Array([0x7b, 0xff, 0x7d, 10]), 0);
  assertEquals(
    sink.text(),
    '{"t_ms":0,"from":"server","raw":"\ufeff{}"}\n{"t_ms":0,"from":"client","raw":"{\ufffd}"}\n',
  );
});

Deno.test("Recorder joins a line from its chunks, apart for each sender, and stamps its last", () => {
  const sink = memory();
  const recorder = new Recorder(sink);
  recorder.chunk("client", encoder.encode('{"a":"'), 1);
  recorder.chunk("server", encoder.encode('{"b":'), 2);
  recorder.chunk("client", encoder.encode('é"}\n{"c"'), 3);
  recorder.chunk("server", encoder.encode("1}\n"), 4);
  recorder.end("client", 5);
  recorder.end("server", 6);
  assertEquals(
    sink.text(),
    '{"t_ms":3,"from":"client","message":{"a":"é"}}\n' +
      '{"t_ms":4,"from":"server","message":{"b":1}}\n' +
      '{"t_ms":5,"from":"client","raw":"{\\"c\\""}\n',
  );
});

Deno.test("Recorder never lets times go back", () => {
  const sink = memory();
  const recorder = new Recorder(sink);
  recorder.chunk("client", encoder.encode("1\n"), 9);
  recorder.chunk("server", encoder.encode("2\n"), 7);
  assertEquals(sink.text().match(/"t_ms":\d+/g), ['"t_ms":9', '"t_ms":9']);
});

Deno.test("Recorder writes a line of 5 MB in pieces, byte for byte", () => {
  const sink = memory();
  const recorder = new Recorder(sink);
  const line = `{"s":"${"é漢x".repeat(800_000)}"}`;
  const bytes = encoder.encode(line + "\n");
  for (let i = 0; i < bytes.length; i += 65_536) {
    recorder.chunk("server", bytes.subarray(i, i + 65_536), 0);
  }
  const head = '{"t_ms":0,"from":"server","message":';
  const total = sink.writes.reduce((n, w) => n + w.length, 0);
  assertEquals(total, head.length + bytes.length - 1 + 2);
  const joined = new TextDecoder().decode(concat(sink.writes));
  assert(joined === `${head}${line}}\n`);
});

Deno.test("Recorder keeps the first MiB of a line past the limit, says its length, and goes on", () => {
  const sink = memory();
  const told: number[] = [];
  const recorder = new Recorder(sink, { maxLineBytes: 2_000_000, onLongLine: (n) => told.push(n) });
  const flood = new Uint8Array(100_000).fill(0x78);
  for (let i = 0; i < 30; i++) recorder.chunk("server", flood, i);
  recorder.chunk("server", encoder.encode("end\n{}\n"), 30);
  const lines = new TextDecoder().decode(
    concat(sink.writes),
  ).split("\n");
  const first = JSON.parse(lines[0] ?? "");
  assertEquals(first.raw, "x".repeat(1_048_576));
  assertEquals(first.line_bytes, 3_000_003);
  assertStringIncludes(lines[1] ?? "", '"message":{}');
  assertEquals(told, [3_000_003]);
});

Deno.test("Recorder keeps a line that is not JSON whole up to a quarter of the limit", () => {
  const sink = memory();
  const recorder = new Recorder(sink, { maxLineBytes: 8_000_000 });
  recorder.chunk("server", encoder.encode("x".repeat(2_000_000) + "\n"), 0);
  recorder.chunk("server", encoder.encode("y".repeat(2_000_001) + "\n"), 0);
  recorder.chunk("server", encoder.encode(`"${"z".repeat(7_999_997)}"\n`), 0);
  const [whole = "", start = "", json = ""] = sink.text().split("\n");
  assertEquals(JSON.parse(whole).raw.length, 2_000_000);
  assertEquals([JSON.parse(start).raw.length, JSON.parse(start).line_bytes], [
    1_048_576,
    2_000_001,
  ]);
  assertEquals(JSON.parse(json).message.length, 7_999_997);
});

Deno.test("Recorder rebuilds the input lines, whatever the bytes and however they are cut", () => {
  const line = fc.oneof(
    fc.jsonValue().map((v) => encoder.encode(JSON.stringify(v))),
    fc.string({ unit: "binary" }).map((s) => encoder.encode(s)),
    fc.uint8Array({ maxLength: 30 }),
  ).map((bytes) => bytes.filter((b) => b !== 10));
  const direction = fc.array(line, { maxLength: 8 });
  fc.assert(
    fc.property(direction, direction, fc.array(fc.nat(40), { minLength: 1 }), (up, down, cuts) => {
      const sink = memory();
      const recorder = new Recorder(sink);
      const sides: { from: "client" | "server"; rest: Uint8Array }[] = [
        { from: "client", rest: wire(up) },
        { from: "server", rest: wire(down) },
      ];
      let t = 0;
      for (let i = 0; sides.some((s) => s.rest.length > 0); i++) {
        const s = sides[i % 2];
        const size = (cuts[i % cuts.length] ?? 0) + 1;
        if (s === undefined || s.rest.length === 0) continue;
        recorder.chunk(s.from, s.rest.subarray(0, size), t++);
        s.rest = s.rest.subarray(size);
      }
      const logged = sink.text().split("\n").slice(0, -1);
      const rebuilt = { client: [] as string[], server: [] as string[] };
      let last = 0;
      for (const text of logged) {
        const entry = JSON.parse(text);
        assert(entry.t_ms >= last);
        last = entry.t_ms;
        const from: "client" | "server" = entry.from;
        rebuilt[from].push(
          "raw" in entry ? entry.raw : text.slice(text.indexOf('"message":') + 10, -1),
        );
      }
      const decode = (b: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(b);
      assertEquals(rebuilt, { client: up.map(decode), server: down.map(decode) });
    }),
    { numRuns: 1000 },
  );
});

function wire(lines: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(lines.flatMap((l) => [...l, 10]));
}

Deno.test("Recorder writes a message of the conversation as from context", () => {
  const sink = memory();
  new Recorder(sink).chunk("context", encoder.encode('{"role":"user","content":"Yes"}\n'), 41);
  assertEquals(
    sink.text(),
    '{"t_ms":41,"from":"context","message":{"role":"user","content":"Yes"}}\n',
  );
});
