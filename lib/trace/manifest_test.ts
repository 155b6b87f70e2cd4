import { assertEquals } from "@std/assert";
import { call, type ScriptLine, scriptLog } from "../../tests/util/script_log.ts";
import { manifest } from "./manifest.ts";

function listing(id: number, tools: unknown, params = {}): ScriptLine[] {
  return [[0, "client", { id, method: "tools/list", params }], [0, "server", {
    id,
    result: { tools },
  }]];
}

function tool(name: string, readOnlyHint?: unknown): object {
  return { name, inputSchema: {}, annotations: { readOnlyHint } };
}

Deno.test("manifest() reads kinds off the hints", () => {
  const log = scriptLog(
    listing(1, [
      tool("w", false),
      tool("r", true),
      tool("u"),
      tool("odd", "true"),
      { name: "bare" },
      { name: 7 },
      "no tool",
    ]),
    { domain: "d" },
  );
  assertEquals(manifest(log), {
    domain: "d",
    tools: { bare: "generic", odd: "generic", r: "read", u: "generic", w: "write" },
  });
});

Deno.test("manifest() adds pages up and believes the last listing of a tool", () => {
  const log = scriptLog([
    ...listing(1, [tool("a", true), tool("b", true)]),
    ...listing(2, [tool("c", false)], { cursor: "2" }),
    ...listing(3, [tool("a", false)]),
  ]);
  assertEquals(manifest(log, "x"), { domain: "x", tools: { a: "write", b: "read", c: "write" } });
});

Deno.test("manifest() knows nothing of a tool that was called and never listed", () => {
  const log = scriptLog([[0, "client", call(1, "unlisted")], [
    0,
    "client",
    call(2, "hoist_commit"),
  ]]);
  assertEquals(manifest(log), { domain: "", tools: { unlisted: "generic" } });
});

Deno.test("manifest() takes the server's listing, not the one the proxy added its tool to", () => {
  const log = scriptLog([
    ...listing(1, [tool("a", true)]),
    [1, "proxy", { id: 1, result: { tools: [tool("a", true), tool("hoist_commit", false)] } }],
  ]);
  assertEquals(manifest(log).tools, { a: "read" });
});

Deno.test("manifest() keeps descriptions of tools and arguments", () => {
  const described = {
    name: "get",
    description: "Gets.",
    inputSchema: { properties: { id: { description: "Like P-7." }, other: { type: "string" } } },
  };
  const log = scriptLog(listing(1, [described, tool("__proto__", true)]));
  const made = manifest(log);
  assertEquals(made.docs, { get: { summary: "Gets.", args: { id: "Like P-7." } } });
  assertEquals(JSON.stringify(made.tools), '{"__proto__":"read","get":"generic"}');
});
