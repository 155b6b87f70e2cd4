import { assertEquals } from "@std/assert";
import { call, scriptLog } from "../../tests/util/script_log.ts";
import { traceOf } from "../trace/trace.ts";
import { RecordedUse } from "./recorded_use.ts";
import { toolRows, toolsJson, toolsMarkdown } from "./tools_report.ts";

function server() {
  const use = new RecordedUse();
  for (const session of ["a", "b"]) {
    use.add(
      traceOf(scriptLog([
        [0, "client", call(1, "get", { id: "x" })],
        [1, "client", call(2, "get", { id: "y", odd: 1 })],
        [2, "client", call(3, "gone")],
      ])),
      session,
    );
  }
  const properties = { id: {}, "a|b": {} };
  const catalog = new Map([
    ["get", { name: "get", inputSchema: { properties } }],
    ["idle", { name: "idle", description: "x".repeat(100) }],
  ]);
  return { server: "sh\nop", catalog, use };
}

Deno.test("toolRows() counts calls, sessions, tokens and fields, the most used tool first", () => {
  assertEquals(toolRows(server()), [
    {
      tool: "get",
      calls: 4,
      sessions: 2,
      tokens: 16,
      usedFields: ["id", "odd"],
      unusedFields: ["a|b"],
    },
    { tool: "gone", calls: 2, sessions: 2, tokens: 0, usedFields: [], unusedFields: [] },
    { tool: "idle", calls: 0, sessions: 0, tokens: 33, usedFields: [], unusedFields: [] },
  ]);
});

Deno.test("toolsMarkdown() sums the list and prints names safely; toolsJson() has all numbers", () => {
  const text = toolsMarkdown([server()], "logs");
  assertEquals(
    text,
    "# Tools used in logs\n\n## sh\\nop\n\n" +
      "2 sessions, 6 calls. The list has 2 tools, about 49 tokens. Never called: 1, about 33 tokens.\n\n" +
      "| tool | calls | sessions | tokens, about | fields used | fields never used |\n" +
      "|---|---|---|---|---|---|\n" +
      "| get | 4 | 2 | 16 | id, odd | a\\|b |\n" +
      "| gone | 2 | 2 | not listed |  |  |\n" +
      "| idle | 0 | 0 | 33 |  |  |",
  );
  const json = JSON.parse(JSON.stringify(toolsJson([server()])));
  assertEquals([json.hoist_tools_report, json.servers[0].tools[1].is_listed], [1, false]);
});

Deno.test("toolsMarkdown() says where no list was recorded, and leaves servers without anything out", () => {
  const { use } = server();
  const text = toolsMarkdown([
    { server: "a", catalog: new Map(), use },
    { server: "b", catalog: new Map(), use: new RecordedUse() },
  ], "logs");
  assertEquals(text.includes("No session has the list of tools"), true);
  assertEquals(text.includes("not listed"), false);
  assertEquals(text.split("\n").at(-1), "Left out: 1 servers without a list and without calls.");
});
