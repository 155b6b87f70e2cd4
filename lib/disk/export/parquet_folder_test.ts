import { assertEquals, assertThrows } from "@std/assert";
import { parquetReadObjects } from "hyparquet";
import { columnsOf, type TableRow } from "../../export/tables.ts";
import { ParquetFolder } from "./parquet_folder.ts";

const row = (session: string, domain: string, over: TableRow = {}): TableRow => ({
  ...Object.fromEntries(columnsOf("calls").map(([name]) => [name, null])),
  session,
  day: "2026-11-12",
  domain,
  ...over,
});

async function read(path: string): Promise<Record<string, unknown>[]> {
  const { buffer } = await Deno.readFile(path);
  return await parquetReadObjects({ file: buffer });
}

Deno.test("ParquetFolder writes each day and domain to a file of its own", async () => {
  const dir = await Deno.makeTempDir();
  const out = `${dir}/tables`;
  const folder = new ParquetFolder(out);
  folder.add("calls", row("a", "orders", { tool: "t", number: 3, sent: 1_794_471_303_077 }));
  folder.add("calls", row("b", "../x", { outcome: "done" }));
  folder.add("calls", row("c", "orders"));
  folder.add("calls", row("d", ""));
  assertEquals(folder.finish(), 3);
  const at = (domain: string) => `${out}/calls/day=2026-11-12/domain=${domain}`;
  const [first, second] = await read(`${at("orders")}/part-0.parquet`);
  assertEquals([first?.session, first?.number, first?.tool], ["a", 3n, "t"]);
  assertEquals(first?.sent, new Date(1_794_471_303_077));
  assertEquals([second?.session, second?.tool], ["c", null]);
  assertEquals((await read(`${at("%2E%2E%2Fx")}/part-0.parquet`))[0]?.domain, "../x");
  assertEquals(
    [...Deno.readDirSync(at("__HIVE_DEFAULT_PARTITION__"))].map(({ name }) => name),
    ["part-0.parquet"],
  );
  assertEquals((Deno.statSync(`${at("orders")}/part-0.parquet`).mode ?? 0) & 0o777, 0o600);
  assertThrows(() => new ParquetFolder(out), Error, "is not empty");
  await Deno.remove(dir, { recursive: true });
});

Deno.test("ParquetFolder holds few rows, and loses none", async () => {
  const dir = await Deno.makeTempDir();
  const folder = new ParquetFolder(`${dir}/t`);
  const long = "x".repeat(1_000_000);
  for (let n = 0; n < 20; n++) folder.add("calls", row(String(n), "d", { result: long + n }));
  const partial = Deno.statSync(`${dir}/t/calls/day=2026-11-12/domain=d/part-0.parquet.tmp`);
  assertEquals(partial.size > 0, true);
  folder.finish();
  const rows = await read(`${dir}/t/calls/day=2026-11-12/domain=d/part-0.parquet`);
  assertEquals(rows.map(({ session }) => session), Array.from({ length: 20 }, (_, n) => `${n}`));
  assertEquals(rows[19]?.result, `${long}19`);
  await Deno.remove(dir, { recursive: true });
});
