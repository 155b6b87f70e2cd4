import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { ambiguousKey } from "./ambiguous_key.ts";

Deno.test.each<{ why: string; text: string; found?: readonly [string, string] }>([
  { why: "no key twice", text: '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}' },
  { why: "values and text that look like keys", text: '{"a":"{\\"a\\":1","b":["a","a","A"]}' },
  { why: "a scalar", text: '"a"' },
  { why: "a key twice", text: '{"a":1,"b":2,"a":3}', found: ["a", "a"] },
  { why: "a key twice, written with an escape", text: '{"a":1,"\\u0061":3}', found: ["a", "a"] },
  { why: "keys that differ in case", text: '{"path":1,"Path":2}', found: ["Path", "path"] },
  { why: "keys that fold to one", text: '{"ſum":1,"SUM":2}', found: ["SUM", "ſum"] },
  { why: "a key twice, deep in a list", text: '{"a":[[{"b":[],"b":{}}]]}', found: ["b", "b"] },
])("ambiguousKey() of $why", ({ text, found }) => {
  assertEquals(ambiguousKey(text), found);
});

Deno.test("ambiguousKey() finds nothing in what JSON.stringify prints, but keys that fold alike", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const found = ambiguousKey(JSON.stringify(value));
    if (found !== undefined) assertEquals(found[0] === found[1], false);
  }));
});
