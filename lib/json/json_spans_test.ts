import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { elements, isJson, members, rootSpan, spanText, stringAt, valueAt } from "./json_spans.ts";
import { idKey, oneLine, readJsonRpc, readMessage, writtenId } from "../wire/message.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("members() finds what JSON.parse finds, in any spelling of any object", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, pad) => {
      const text = bytes(JSON.stringify(object, null, pad ? "\t" : undefined));
      assert(isJson(text));
      const found = members(text, rootSpan(text)).map(({ key, value }) => [
        JSON.parse(spanText(text, key)),
        JSON.parse(spanText(text, value)),
      ]);
      assertEquals(found, Object.entries(JSON.parse(JSON.stringify(object))));
    }),
    { numRuns: 300 },
  );
});

Deno.test("elements() finds what JSON.parse finds", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.boolean(), (array, pad) => {
      const text = bytes(JSON.stringify(array, null, pad ? 2 : undefined));
      const found = elements(text, rootSpan(text)).map((e) => JSON.parse(spanText(text, e)));
      assertEquals(found, JSON.parse(JSON.stringify(array)));
    }),
    { numRuns: 300 },
  );
});

Deno.test("valueAt() follows a path, takes the last of duplicates, and resolves escaped keys", () => {
  const text = bytes(' {"a":{"b":1,"\\u0062": 12345678901234567890 },"c":[{"a":2}]} ');
  const found = valueAt(text, rootSpan(text), "a", "b");
  assertEquals(found && spanText(text, found), "12345678901234567890");
  assertEquals(valueAt(text, rootSpan(text), "c", "a"), undefined);
  assertEquals(valueAt(text, rootSpan(text), "__proto__"), undefined);
  assertEquals(stringAt(text, found), undefined);
});

Deno.test("valueAt() finds a name beyond ASCII, however it is spelled", () => {
  for (const key of ["größe", "gr\\u00f6\\u00dfe"]) {
    const text = bytes(`{"gr":0,"${key}":1,"größer":2,"backslash\\\\":3}`);
    const found = valueAt(text, rootSpan(text), "größe");
    assertEquals(found && spanText(text, found), "1", key);
  }
});

Deno.test("readMessage() tells kinds apart, and keeps ids as written", () => {
  const rows: readonly (readonly [string, string, string | undefined])[] = [
    ['{"jsonrpc":"2.0","id":0,"method":"m"}', "request", "0"],
    ['{"id":"","method":"m"}', "request", '""'],
    ['{"id":9007199254740993,"method":"m"}', "request", "9007199254740993"],
    ['{"id":1.50,"method":"m"}', "request", "1.50"],
    ['{"method":"m","params":{"id":7}}', "notification", undefined],
    ['{"id":1,"result":{"id":2}}', "response", "1"],
    ['{"id":null,"error":{"code":1}}', "response", "null"],
    ['{"a":1}', "other", undefined],
    ['"id"', "other", undefined],
    ["[]", "other", undefined],
  ];
  for (const [text, kind, id] of rows) {
    const message = readMessage(bytes(text));
    assertEquals([message.kind, writtenId(message)], [kind, id], text);
  }
});

Deno.test("readJsonRpc() reads a batch", () => {
  const { isBatch, messages } = readJsonRpc(bytes('[ {"id":1,"method":"a"} , {"method":"b"} ]'));
  assertEquals(isBatch, true);
  assertEquals(messages.map((m) => [m.kind, m.method]), [["request", "a"], ["notification", "b"]]);
});

Deno.test("idKey() is equal for equal ids, and for no others", () => {
  assertEquals(idKey("1"), idKey("1.0"));
  assertEquals(idKey('"a"'), idKey('"\\u0061"'));
  const ids = ["0", '"0"', "1", '"1"', '""', "-1", "9007199254740993", "9007199254740992", "1.5"];
  assertEquals(new Set(ids.map(idKey)).size, ids.length);
});

Deno.test("oneLine() puts spaces for line ends between values, and copies nothing else", () => {
  assertEquals(new TextDecoder().decode(oneLine(bytes('{\r\n"a":\n"x\\n"}'))), '{  "a": "x\\n"}');
  const line = bytes('{"a":"\u2028"}');
  assert(oneLine(line) === line);
});
