import { assertEquals } from "@std/assert";
import type { JsonObject } from "../json/json.ts";
import { compareAnswers } from "./compare_answers.ts";
import { NO_MASKS, readTestSettings } from "./test_settings.ts";

const result = (value: JsonObject) => ({ result: value, error: undefined });
const error = (code: number, message: string) => ({
  result: undefined,
  error: { code, message },
});
const text = (value: unknown, isError = false) =>
  result({ content: [{ type: "text", text: JSON.stringify(value) }], isError });

Deno.test("compareAnswers() tells each kind from the others", () => {
  const rows = [
    [text({ a: 1 }), text({ a: 1 }), "equal"],
    [text({ a: 1 }), text({ a: 2 }), "changed"],
    [text({ a: 1 }), text({ a: 1 }, true), "error"],
    [text({ a: 1 }, true), text({ a: 1 }), "changed"],
    [text({ a: 1 }), error(-32602, "no"), "error"],
    [text({ a: 1 }), error(-32601, "no such method"), "missing"],
    [error(-32602, "no"), error(-32602, "other words"), "equal"],
    [error(-32602, "no"), error(-32000, "no"), "error"],
    [error(-32602, "no"), text({}), "changed"],
  ] as const;
  for (const [before, now, kind] of rows) {
    assertEquals(compareAnswers("t", before, now, NO_MASKS).kind, kind, JSON.stringify(now));
  }
});

Deno.test("compareAnswers() names what differs, inside JSON in a text too", () => {
  const { differences } = compareAnswers(
    "t",
    text({ a: 1, list: [1, 2], "x/y": true }),
    text({ a: 2, list: [1, 2, 3] }),
    NO_MASKS,
  );
  assertEquals(differences, [
    { at: "/content/0/text#/a", before: "1", now: "2" },
    { at: "/content/0/text#/list/2", before: undefined, now: "3" },
    { at: "/content/0/text#/x~1y", before: "true", now: undefined },
  ]);
});

Deno.test("compareAnswers() takes the entries of a list by their names", () => {
  const tools = (...names: string[]) => result({ tools: names.map((name) => ({ name, d: 1 })) });
  assertEquals(
    compareAnswers("tools/list", tools("a", "b"), tools("b", "a"), NO_MASKS).kind,
    "equal",
  );
  const { kind, differences } = compareAnswers("tools/list", tools("a", "b"), tools("b"), NO_MASKS);
  assertEquals([kind, differences?.map(({ at }) => at)], ["changed", ["/tools/[a]"]]);
});

Deno.test("a masked field may differ, and nothing else", () => {
  const settings = readTestSettings({
    results: { "get_*": ["/content/*/text#/at", "/structuredContent/id"] },
  });
  const [before, now] = [text({ at: 1, b: 1 }), text({ at: 2, b: 1 })];
  assertEquals(compareAnswers("get_order", before, now, settings).kind, "masked");
  assertEquals(compareAnswers("put_order", before, now, settings).kind, "changed");
  const other = compareAnswers("get_order", before, text({ at: 2, b: 2 }), settings);
  assertEquals(other.differences?.map(({ at }) => at), ["/content/0/text#/b"]);
});

Deno.test("readTestSettings() says what is wrong and where", () => {
  const rows = [
    [[], "it holds no object"],
    [{ result: {} }, '"result" is unknown: it takes "results" and "requests"'],
    [{ results: [] }, '"results" is no object'],
    [{ results: { a: "/x" } }, '"results"."a" is no list of JSON pointers'],
    [{ requests: { a: ["x"] } }, '"requests"."a": "x" is no JSON pointer, such as /a/0'],
  ] as const;
  for (const [value, why] of rows) {
    let said = "";
    try {
      readTestSettings(value);
    } catch (fault) {
      if (fault instanceof Error) said = fault.message;
    }
    assertEquals(said, why);
  }
});
