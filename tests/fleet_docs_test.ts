/**
 * The queries of docs/fleet.md, run by DuckDB over an export of the recorded test sessions.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { COMMANDS } from "../lib/commands/hoist_commands.ts";
import { columnsOf, type TableName, TABLES } from "../lib/export/tables.ts";
import { denoRuntime } from "../lib/runtime/deno_runtime.ts";

const PAGE = await Deno.readTextFile("docs/fleet.md");
const QUERIES = [...PAGE.matchAll(/\n(\S[^\n]*\?)\n\n```sql\n(.*?)```/gs)];

Deno.test("docs/fleet.md asks ten questions, and DuckDB answers each", async () => {
  const dir = await Deno.makeTempDir();
  const runtime = { ...denoRuntime("hoist"), say: () => {} };
  const status = await COMMANDS.export?.run(
    ["--parquet", `${dir}/tables`, "testdata/sessions/v2"],
    runtime,
    "hoist",
  );
  assertEquals(status, 0);
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  assertEquals(QUERIES.length, 10);
  for (const [, question, query = ""] of QUERIES) {
    const result = await connection.runAndReadAll(query.replaceAll("'tables/", `'${dir}/tables/`));
    const isRare = /one item after the other|made twice/.test(question ?? "");
    assert(isRare || result.getRowObjects().length > 0, question);
  }
  connection.closeSync();
  await Deno.remove(dir, { recursive: true });
});

Deno.test("docs/fleet.md names every column of every table", () => {
  for (const table of Object.keys(TABLES) as TableName[]) {
    const line = PAGE.split("\n").find((text) => text.startsWith(`| \`${table}\` |`)) ?? "";
    const common = ["session", "day", "domain"];
    const missing = columnsOf(table).map(([name]) => name)
      .filter((name) => !common.includes(name) && !line.includes(`\`${name}\``));
    assertEquals(missing, [], table);
  }
});
