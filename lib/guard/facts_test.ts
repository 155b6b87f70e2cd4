import { assertEquals } from "@std/assert";
import { APPENDIX_LINE, splitAppendix } from "./appendix.ts";
import { Facts } from "./facts.ts";
import { openGuardRules } from "./rules/open_rules.ts";
import { insideFolder, plainPath } from "./rules/plain_path.ts";

const RULES = await openGuardRules(
  `
hoist_guards: 1
tables:
  seen: {fill: [{tools: [get], key: result.id}]}
  first: {keep: first, fill: [{tools: [get], key: '"it"', value: result.id}]}
  each: {fill: [{tools: [list], each: result, key: it.id, value: it.n}]}
  fresh: {fill: [{tools: [get], key: result.id}], clear: [put]}
rules: [{id: a, for: [t], mode: log, refuse: "shown(tool)", because: no}]
`,
  "r.yaml",
);

function facts(...calls: readonly (readonly [string, string, boolean?])[]) {
  const shown = new Facts(RULES);
  for (const [tool, content, error = false] of calls) {
    shown.answered({ tool, arguments: {}, error, content });
  }
  return shown;
}

function rows(shown: Facts, table: string): unknown {
  return Object.fromEntries(shown.tables.get(table) ?? []);
}

Deno.test("Facts keeps the latest record of an id", () => {
  const shown = facts(["get", '{"id":"a","n":1}'], ["get", '{"id":"a","n":2}'], [
    "get",
    '{"id":"b"}',
  ]);
  assertEquals(rows(shown, "seen"), { a: { id: "a", n: 2 }, b: { id: "b" } });
  assertEquals(rows(shown, "first"), { it: "a" });
});

Deno.test("Facts learns nothing from a call that failed or is not as expected", () => {
  const shown = facts(["get", '{"id":"a"}', true], ["get", "not JSON"], ["get", '{"id":7}'], [
    "list",
    "{}",
  ]);
  assertEquals([rows(shown, "seen"), rows(shown, "each")], [{}, {}]);
});

Deno.test("Facts fills a table from each item of a list, and empties one after a write", () => {
  const shown = facts(["list", '[{"id":"a","n":1},{"id":"b","n":2},{"n":3}]'], [
    "get",
    '{"id":"a"}',
  ], ["put", "{}"]);
  assertEquals([rows(shown, "each"), rows(shown, "fresh"), rows(shown, "seen")], [
    { a: 1, b: 2 },
    {},
    { a: { id: "a" } },
  ]);
});

Deno.test("Facts knows what was shown and what was said", () => {
  const shown = facts(["get", '{"id":"Ab-1","deep":[{"key_9":5}]}']);
  shown.heard("My order is #W7, thanks");
  assertEquals(["ab-1", "KEY_9", "5", "#w7", "other"].map((v) => shown.shown(v)), [
    true,
    true,
    true,
    true,
    false,
  ]);
  assertEquals(["#W7", "Ab-1"].map((v) => shown.said(v)), [true, false]);
});

Deno.test("Facts knows the lines and words of a plain text", () => {
  const shown = facts(["get", "[FILE] my notes.md\nOrder #W7, sent."]);
  assertEquals(["notes.md", "[file] my notes.md", "#W7", "W7"].map((v) => shown.shown(v)), [
    true,
    true,
    true,
    false,
  ]);
});

Deno.test("Facts takes the words before the customer's last message for the proposal", () => {
  const shown = facts();
  shown.spoke("First?");
  shown.heard("Hm.");
  shown.spoke("Second?");
  assertEquals(shown.conversation(), { heard: true, reply: "hm.", proposal: "First?" });
});

Deno.test("Facts takes appended lookups for facts", () => {
  const shown = facts([
    "list",
    `[]\n${APPENDIX_LINE}\n\nget {"id":"a"}:\n{"id":"a",\n"n":1}\n\nget {}:\n{"id":"b"}`,
  ]);
  assertEquals(rows(shown, "seen"), { a: { id: "a", n: 1 }, b: { id: "b" } });
});

Deno.test("splitAppendix() leaves a result alone that only speaks of an appendix", () => {
  for (
    const text of [
      "",
      "x",
      `see ${APPENDIX_LINE}`,
      JSON.stringify(`\n${APPENDIX_LINE}\nget {}:\n{}`),
    ]
  ) {
    assertEquals(splitAppendix(text), { own: text, appended: [] });
  }
});

Deno.test.each<{ path: string; plain: string }>([
  { path: "/a/./b//c/", plain: "/a/b/c" },
  { path: "/a/../../b", plain: "/b" },
  { path: "a/../../b", plain: "../b" },
  { path: "..\\..\\a", plain: "../../a" },
  { path: "/", plain: "/" },
  { path: "", plain: "." },
])("plainPath() makes $plain of $path", ({ path, plain }) => {
  assertEquals([plainPath(path), plainPath(plain)], [plain, plain]);
});

Deno.test("insideFolder() is not led outside", () => {
  const inside = (path: string) => insideFolder(path, "/home/me/scratch/");
  assertEquals(["/home/me/scratch/a", "/home/me/scratch/x/../b"].map(inside), [true, true]);
  assertEquals(
    [
      "/home/me/scratch",
      "/home/me/scratchy/a",
      "/home/me/scratch/../a",
      "scratch/a",
      "/home/me/scratch\\..\\a",
    ].map(inside),
    [false, false, false, false, false],
  );
  assertEquals(insideFolder("/a", "/"), true);
});

Deno.test("Facts keeps no values for rules that never ask what was shown", async () => {
  const rules = await openGuardRules(
    "hoist_guards: 1\nrules: [{id: a, for: [t], mode: log, refuse: 'said(tool)', because: no}]",
    "r.yaml",
  );
  const shown = new Facts(rules);
  shown.answered({ tool: "get", arguments: {}, error: false, content: '{"id":"a"}' });
  assertEquals(shown.shown("a"), false);
});

Deno.test("Facts keeps every value of results that together exceed what stays unparsed", () => {
  const page = (n: number) => JSON.stringify([`id-${n}`, "x".repeat(200_000)]);
  const shown = facts(...Array.from({ length: 8 }, (_, n) => ["get", page(n)] as const));
  assertEquals(["id-0", "id-4", "id-7", "id-8"].map((v) => shown.shown(v)), [
    true,
    true,
    true,
    false,
  ]);
});

Deno.test("Facts keeps so many values; beyond them it cannot say that a text was not shown", () => {
  const many = (from: number) =>
    JSON.stringify(Array.from({ length: 250_001 }, (_, i) => `v${from + i}`));
  const shown = facts(["get", many(0)]);
  assertEquals([shown.shown("v7"), shown.shown("w")], [true, false]);
  shown.answered({ tool: "get", arguments: {}, error: false, content: many(300_000) });
  assertEquals(shown.shown("w"), true);
});
