import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseDemoFlags } from "./demo_flags.ts";

function tools(...args: string[]): string[] {
  const parsed = parseDemoFlags(args);
  assert(parsed.kind === "tools", JSON.stringify(parsed));
  return parsed.tools.map(({ name, readOnlyHint }) => `${name} ${readOnlyHint}`);
}

Deno.test("parseDemoFlags() knows two worlds", () => {
  const echo = ["lookup true", "update false"];
  assertEquals(tools(), echo);
  assertEquals(tools("--world", "echo"), echo);
  assertEquals(tools("--world=retail"), [
    "find_user_id_by_email true",
    "get_user_details true",
    "get_order_details true",
    "cancel_pending_order false",
  ]);
});

Deno.test("parseDemoFlags() hides tools and changes hints", () => {
  assertEquals(tools("--hide", "update", "--hint", "lookup=none"), ["lookup undefined"]);
  assertEquals(tools("--hint", "lookup=false", "--hint", "update=none"), [
    "lookup false",
    "update undefined",
  ]);
});

for (
  const [args, words] of [
    [["--world", "shop"], '--world needs echo or retail, not "shop"'],
    [["--world", "toString"], '--world needs echo or retail, not "toString"'],
    [["--hide", "find"], '--hide names no tool of this world: "find" (lookup, update)'],
    [["--hint", "lookup=true"], '--hint needs TOOL=false or TOOL=none, not "lookup=true"'],
    [["--hint", "other=none"], "--hint needs TOOL=false or TOOL=none"],
    [["--http"], "Unknown flag --http"],
  ] as const
) {
  Deno.test(`parseDemoFlags() refuses ${args.join(" ")}`, () => {
    const parsed = parseDemoFlags(args);
    assert(parsed.kind === "refused", JSON.stringify(parsed));
    assertStringIncludes(parsed.message, words);
  });
}
