import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { spanText, stringAt, valueAt } from "../json/json_spans.ts";
import { readJsonRpc } from "./message.ts";
import { claimedId, isReadable, readLine, withoutMark } from "./reading.ts";

/** Bytes of a text in which `§` is the byte 0x97, alone not UTF-8. */
const bytes = (text: string) =>
  Uint8Array.from([...text], (c) => c === "§" ? 0x97 : c.charCodeAt(0));

const ROWS: readonly (readonly [string, string | undefined])[] = [
  ['{"id":1}', "json"],
  ['{"id":1}\r\n', "json"],
  ['{"a":"x§y"}', "mended"],
  ['\xef\xbb\xbf{"id":1}', "mended"],
  ['\xef\xbb\xbf{"a":"§"}', "mended"],
  ['{"a":NaN,"b":[Infinity,-Infinity]}', "nan"],
  ['{"a":"§","b":NaN}', "nan"],
  ['{"a":"NaN"}', "json"],
  ['{"a":"NaN § \\" Infinity"}', "mended"],
  ['{"a":nan}', undefined],
  ['{"a":NaNa}', undefined],
  ['{"a":§}', undefined],
  ['{"a":"x', undefined],
  ["", undefined],
  ["not json", undefined],
];

for (const [text, expected] of ROWS) {
  Deno.test(`readLine() reads ${JSON.stringify(text)} as ${expected}`, () => {
    assertEquals(readLine(bytes(text)), expected);
    assertEquals(isReadable(bytes(text)), expected !== undefined);
  });
}

Deno.test("readLine() reads any string bytes as a decoder does", () => {
  const inside = fc.uint8Array({ maxLength: 12 }).map((raw) =>
    raw.map((c) => c < 0x20 || c === 0x22 || c === 0x5c ? 0x78 : c)
  );
  fc.assert(fc.property(inside, (raw) => {
    const line = Uint8Array.from([...bytes('{"method":"'), ...raw, ...bytes('"}')]);
    assertEquals(isReadable(line), true);
    const [message] = readJsonRpc(line).messages;
    assertEquals(message?.method, new TextDecoder("utf-8", { ignoreBOM: true }).decode(raw));
  }));
});

Deno.test("a line that is read keeps its bytes: spans are places in it", () => {
  const line = bytes('\xef\xbb\xbf{"id":7,"params":{"a":"x§","n":9007199254740993}}');
  const [message] = readJsonRpc(line).messages;
  const at = valueAt(line, message?.params, "n");
  assertEquals(at && spanText(line, at), "9007199254740993");
  assertEquals(stringAt(line, valueAt(line, message?.params, "a")), "x\ufffd");
});

Deno.test("withoutMark() takes a byte order mark off, and nothing else", () => {
  assertEquals(withoutMark(bytes("\xef\xbb\xbf{}")), bytes("{}"));
  assertEquals(withoutMark(bytes("{}")), bytes("{}"));
});

const IDS: readonly (readonly [string, string | undefined])[] = [
  ['{"jsonrpc":"2.0","id":3,"result":{"con', "3"],
  ['{"id" : "a\\"b" , "x": nope}', '"a\\"b"'],
  ['{"result":{"id":1},"id":2, nope', "2"],
  ['{"result":["id",{"id":1}],"a":"id", nope', undefined],
  ['{"a":"\\"id\\":9,","id":4,', "4"],
  ['[{"id":1}, nope', undefined],
  ['{"id":nope}', undefined],
  ['{"id":01,', undefined],
  ['{"id":12', undefined],
  ["no", undefined],
  ['{"a":"\\q","id":5,', "5"],
  ['{"\\q":1,"i\\u0064":5,', undefined],
];

for (const [text, expected] of IDS) {
  Deno.test(`claimedId() of ${text} is ${expected}`, () => {
    assertEquals(claimedId(bytes(text)), expected);
  });
}
