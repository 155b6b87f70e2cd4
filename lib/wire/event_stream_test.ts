import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  eventBytes,
  EventStreamParser,
  isMessageEvent,
  messageEvent,
  primingEvent,
  type StreamEvent,
} from "./event_stream.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Seen = { data: string; id?: string; retry?: number; type?: string };

function parse(bytes: Uint8Array, cuts: readonly number[] = []): Seen[] {
  const parser = new EventStreamParser();
  const seen: Seen[] = [];
  const at = [0, ...cuts.map((c) => c % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < at.length; i++) {
    parser.push(bytes.slice(at[i - 1], at[i]), ({ data, id, retryMs, type }) =>
      seen.push({
        data: decoder.decode(data),
        ...(id === undefined ? {} : { id }),
        ...(retryMs === undefined ? {} : { retry: retryMs }),
        ...(type === undefined ? {} : { type }),
      }));
  }
  return seen;
}

const CASES: readonly (readonly [string, string, readonly Seen[]])[] = [
  ["one event", 'data: {"a":1}\n\n', [{ data: '{"a":1}' }]],
  ["no space after the colon, or two", "data:x\n\ndata:  y\n\n", [{ data: "x" }, { data: " y" }]],
  ["lines joined", "data: a\ndata: b\ndata\n\n", [{ data: "a\nb\n" }]],
  ["CRLF", "data: a\r\ndata: b\r\n\r\n", [{ data: "a\nb" }]],
  ["CR", "data: a\rdata: b\r\rdata: c\r\r", [{ data: "a\nb" }, { data: "c" }]],
  ["a byte order mark", "\ufeffdata: a\n\n", [{ data: "a" }]],
  ["comments and unknown fields", ": hi\n\nfoo: 1\ndata: a\n\n", [{ data: "a" }]],
  ["priming", "id: 7\nretry: 500\ndata: \n\n", [{ data: "", id: "7", retry: 500 }]],
  ["an id alone", "id: 7\n\n", [{ data: "", id: "7" }]],
  ["a bad retry, an id with NUL", "retry: 5s\nid: a\0\ndata: x\n\n", [{ data: "x" }]],
  ["an event type", "event: message\ndata: x\n\n", [{ data: "x", type: "message" }]],
  ["an event that does not end", "data: a\n\ndata: b\n", [{ data: "a" }]],
  ["text beyond ASCII", "data: é€🚀漢\u2028\n\n", [{ data: "é€🚀漢\u2028" }]],
];

for (const [name, text, expected] of CASES) {
  Deno.test(`EventStreamParser reads ${name}, whole and byte by byte`, () => {
    const bytes = encoder.encode(text);
    assertEquals(parse(bytes), expected);
    assertEquals(parse(bytes, [...bytes.keys()]), expected);
  });
}

Deno.test("EventStreamParser gives data as the bytes that came, UTF-8 or not", () => {
  const parser = new EventStreamParser();
  const seen: number[][] = [];
  parser.push(new Uint8Array([...encoder.encode("data: "), 0xff, 0xc3, 10, 10]), ({ data }) => {
    seen.push([...data]);
  });
  assertEquals(seen, [[0xff, 0xc3]]);
});

Deno.test("messageEvent() is read back as it was, however it is cut", () => {
  fc.assert(fc.property(
    fc.array(fc.jsonValue(), { minLength: 1, maxLength: 4 }),
    fc.array(fc.nat(), { maxLength: 8 }),
    (values, cuts) => {
      const lines = values.map((value) => JSON.stringify(value));
      const stream = lines.flatMap((line, i) => [
        ...primingEvent(`0-${i}`, 10),
        ...messageEvent(encoder.encode(line), `1-${i}`),
      ]);
      const read = parse(new Uint8Array(stream), cuts).filter(({ data }) => data !== "");
      assertEquals(read, lines.map((data, i) => ({ data, id: `1-${i}`, type: "message" })));
    },
  ));
});

Deno.test("isMessageEvent() takes data of no type, or of the type message", () => {
  const seen: boolean[] = [];
  const text = "data: 1\n\nevent: message\ndata: 1\n\nevent:\ndata: 1\n\n" +
    "event: ping\ndata: 1\n\nevent: message\nid: 7\n\nid: 7\ndata:\n\n";
  new EventStreamParser().push(encoder.encode(text), (e) => seen.push(isMessageEvent(e)));
  assertEquals(seen, [true, true, true, false, false, false]);
});

Deno.test("eventBytes() writes what EventStreamParser reads", () => {
  const name = fc.stringMatching(/^[!-~é漢]{1,8}$/);
  const event = fc.record({
    data: fc.string({ unit: fc.constantFrom("a", "é", "🚀", "\n", " ", ":") }),
    id: fc.option(name, { nil: undefined }),
    retryMs: fc.option(fc.nat(99_999), { nil: undefined }),
    type: fc.option(name, { nil: undefined }),
  }).filter(({ data, id, retryMs }) => data !== "" || id !== undefined || retryMs !== undefined);
  fc.assert(fc.property(event, ({ data, ...fields }) => {
    const wanted: StreamEvent = { ...fields, data: encoder.encode(data) };
    const seen: StreamEvent[] = [];
    new EventStreamParser().push(eventBytes(wanted), (e) => seen.push(e));
    assertEquals(seen.map((e) => ({ ...e, data: decoder.decode(e.data) })), [{ ...fields, data }]);
  }));
});
