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
    [["--http", "0.0.0.0:80"], '--http takes HOST:PORT of a loopback address, not "0.0.0.0:80"'],
    [["--http", "127.0.0.1:99999"], "--http takes HOST:PORT"],
  ] as const
) {
  Deno.test(`parseDemoFlags() refuses ${args.join(" ")}`, () => {
    const parsed = parseDemoFlags(args);
    assert(parsed.kind === "refused", JSON.stringify(parsed));
    assertStringIncludes(parsed.message, words);
  });
}

Deno.test("parseDemoFlags() reads --http with and without an address", () => {
  const http = (...args: string[]) => {
    const parsed = parseDemoFlags(args);
    return parsed.kind === "tools" ? parsed.http : parsed;
  };
  assertEquals(http(), undefined);
  assertEquals(http("--http"), { hostname: "127.0.0.1", port: 0 });
  assertEquals(http("--http", "--hide", "update"), { hostname: "127.0.0.1", port: 0 });
  assertEquals(http("--http", "localhost:8080"), { hostname: "localhost", port: 8080 });
});
