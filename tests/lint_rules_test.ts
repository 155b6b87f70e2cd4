/** The repository's own lint rules: what each refuses, and that their lists of known files shrink. */

import { assertEquals } from "@std/assert";
import { ROOT } from "./util/executables.ts";
import { KNOWN, rules } from "./util/lint_rules.ts";

function codesIn(text: string): string[] {
  const found = Deno.lint.runPlugin({ name: "hoist", rules: { ...rules } }, "a.ts", text);
  return found.map(({ id }) => id.replace("hoist/", ""));
}

const LINES = "  f();\n".repeat(59);

Deno.test.each<{ why: string; text: string; codes: string[] }>([
  { why: "61 lines", text: `function g() {\n${LINES}}`, codes: ["function-length"] },
  { why: "60 lines", text: `function g() {\n${LINES.slice(7)}}`, codes: [] },
  { why: "a long callback", text: `f(() => {\n${LINES}});`, codes: ["function-length"] },
  {
    why: "the reason of an error, spelled out",
    text: "const a = e instanceof Error ? e.message : String(e);",
    codes: ["message-of"],
  },
  {
    why: "the same in a template",
    text: "const a = `no: ${x.y instanceof Error ? x.y.message : x.y}`;",
    codes: ["message-of"],
  },
  { why: "another choice", text: 'const a = e instanceof Error ? e.name : "Error";', codes: [] },
  { why: "a default export", text: "export default 1;", codes: ["named-exports"] },
  { why: "all of a file", text: 'export * from "./a.ts";', codes: ["named-exports"] },
  { why: "names", text: 'export { a } from "./a.ts";', codes: [] },
])("the lint rules judge $why", ({ text, codes }) => assertEquals(codesIn(text), codes));

Deno.test("a file that the lint rules let pass still needs it", async () => {
  const faults = [];
  for (const [rule, paths] of Object.entries(KNOWN)) {
    for (const path of paths) {
      const text = await Deno.readTextFile(`${ROOT}/${path}`).catch(() => "");
      if (!codesIn(text).includes(rule)) faults.push(`take ${path} out of "${rule}"`);
    }
  }
  assertEquals(faults, []);
});
