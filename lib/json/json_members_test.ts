import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { jsonMembers } from "./json_members.ts";

function spans(text: string): [string, string][] {
  return jsonMembers(text).map(({ key, start, end }) => [key, text.slice(start, end)]);
}

for (
  const [why, text, expected] of [
    ["an empty object", "{ }", []],
    ["white space around values", '{"a" : 1 , "b":\t[ ]\r}', [["a", " 1 "], ["b", "\t[ ]\r"]]],
    ["duplicate keys", '{"a":1,"a":2}', [["a", "1"], ["a", "2"]]],
    ["keys with escapes", '{"\\u0061\\"":{"b":","}}', [['a"', '{"b":","}']]],
    ["strings that end in backslashes", '{"a":"\\\\","b":"}\\\\\\""}', [
      ["a", '"\\\\"'],
      ["b", '"}\\\\\\""'],
    ]],
    ["braces inside strings", '{"a":"}{][,:","b":{"c":[{"d":"]"}]}}', [
      ["a", '"}{][,:"'],
      ["b", '{"c":[{"d":"]"}]}'],
    ]],
  ] as const
) {
  Deno.test(`jsonMembers() finds ${why}`, () => {
    assertEquals(spans(text), expected.map(([k, v]) => [k, v]));
  });
}

Deno.test("jsonMembers() cuts out exactly the values that were written", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
    for (const indent of [0, 2]) {
      const text = JSON.stringify(object, null, indent);
      const found = jsonMembers(text).map(({ key, start, end }) => [key, text.slice(start, end)]);
      assertEquals(
        found.map(([key, value]) => [key, JSON.stringify(JSON.parse(value ?? ""))]),
        Object.entries(object).map(([key, value]) => [key, JSON.stringify(value)]),
      );
    }
  }));
});
