import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { answer, call } from "../../../tests/util/script_log.ts";
import { sessionQuery } from "../record/session_query.ts";
import { INDEX_FILE, IndexDatabase } from "./index_database.ts";
import { IndexQueries } from "./index_queries.ts";
import { LogScanner } from "./log_scanner.ts";

const FIXTURES = new URL("../../../testdata/sessions/v2", import.meta.url).pathname;

class Folder implements AsyncDisposable {
  readonly dir = Deno.realPathSync(Deno.makeTempDirSync());
  readonly index = new IndexDatabase(this.dir);
  readonly changed: number[] = [];
  readonly scanner = new LogScanner([this.dir], this.index, {
    onChange: (ids) => this.changed.push(...ids),
  });
  readonly queries = new IndexQueries(this.index, () => this.scanner.folders);

  write(name: string, lines: readonly object[], options: Deno.WriteFileOptions = {}): void {
    const text = lines.map((line) => JSON.stringify(line) + "\n").join("");
    Deno.writeTextFileSync(`${this.dir}/${name}.jsonl`, text, options);
  }

  keys(query = ""): string[] {
    const found = this.queries.sessions(sessionQuery(new URLSearchParams(query)), 0);
    return found.entries.map(({ key }) => key).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.index[Symbol.dispose]();
    await Deno.remove(this.dir, { recursive: true });
  }
}

const header = (session: string) => ({
  hoist_mcp_log: 2,
  session,
  started_unix_ms: 1_794_471_303_077,
  server_command: ["server"],
  domain: null,
  agent_model: null,
});
const line = (t_ms: number, from: string, message: object) => ({ t_ms, from, message });

Deno.test("LogScanner indexes every log of a folder and of those in it, and drops those that go", async () => {
  await using folder = new Folder();
  await Deno.mkdir(`${folder.dir}/inner/deeper`, { recursive: true });
  for (const name of ["parcels", "shop"]) {
    await Deno.copyFile(`${FIXTURES}/${name}.jsonl`, `${folder.dir}/${name}.jsonl`);
  }
  await Deno.copyFile(`${FIXTURES}/active.jsonl`, `${folder.dir}/inner/shop.jsonl`);
  await Deno.copyFile(`${FIXTURES}/active.jsonl`, `${folder.dir}/inner/deeper/no.jsonl`);
  await Deno.writeTextFile(`${folder.dir}/shop.flow.jsonl`, "{}\n");
  await folder.scanner.scan();
  const keys = folder.keys();
  assertEquals(keys.length, 3);
  assertEquals(keys.filter((key) => /^shop~[0-9a-f]{8}$/.test(key)).length, 1, "two of one name");

  await Deno.remove(`${folder.dir}/shop.jsonl`);
  await folder.scanner.scan();
  assertEquals(folder.keys().length, 2);
  assertEquals(folder.keys("q=cancel_order"), []);
});

Deno.test("LogScanner reads a log on from where it stopped, and anew when it was replaced", async () => {
  await using folder = new Folder();
  folder.write("a", [header("a"), line(0, "client", call(1, "first"))]);
  await folder.scanner.scan();
  assertEquals(folder.queries.session("a")?.calls, 1);

  folder.write("a", [line(3, "server", answer(1, "x")), line(4, "client", call(2, "second"))], {
    append: true,
  });
  await folder.scanner.look(`${folder.dir}/a.jsonl`);
  const grown = folder.queries.session("a");
  assertEquals([grown?.calls, grown?.durationMs, grown?.lines], [2, 4, 3]);
  const rows = folder.queries.rows(grown?.id ?? 0, 0, 10);
  assertEquals(rows.map(({ name, outcome }) => [name, outcome]), [
    ["first", "ok"],
    ["second", "open"],
  ]);
  assertEquals(folder.keys("tool=second"), ["a"]);

  folder.write("a", [header("a"), line(0, "client", call(1, "other"))]);
  await folder.scanner.look(`${folder.dir}/a.jsonl`);
  assertEquals(folder.keys("tool=second"), []);
  assertEquals(folder.keys("q=other"), ["a"]);
});

Deno.test("LogScanner lists a file that is no log, with what is wrong", async () => {
  await using folder = new Folder();
  await Deno.writeTextFile(`${folder.dir}/bad.jsonl`, "not a log\n<script>\n");
  await folder.scanner.scan();
  const bad = folder.queries.session("bad");
  assertEquals(bad?.session, undefined);
  assertStringIncludes(bad?.faults ?? "", "line 1 is not JSON");
  assertEquals(folder.keys("only=faults"), ["bad"]);
});

Deno.test("IndexQueries finds words in tools, arguments, errors and names, and takes none as SQL", async () => {
  await using folder = new Folder();
  folder.write("one", [
    header("one"),
    line(0, "client", call(1, "find_sender", { email: "lea@post.example" })),
    line(1, "server", answer(1, "no such sender", true)),
  ]);
  folder.write("two", [header("two"), line(0, "client", call(1, "other", { q: "Grüße" }))]);
  await folder.scanner.scan();
  for (
    const [words, keys] of [
      ["find_sender", ["one"]],
      ["lea@post", ["one"]],
      ["sender such", ["one"]],
      ["gruss", []],
      ["grüß", ["two"]],
      ["GRUß", ["two"]],
      ["server", ["one", "two"]],
      ['"', []],
      ["'; drop table logs; --", []],
      ["a OR b*", []],
      ["%", []],
    ] as const
  ) {
    assertEquals(folder.keys(`q=${encodeURIComponent(words)}`), [...keys], words);
  }
});

Deno.test("IndexDatabase makes its file readable by the owner alone", async () => {
  await using folder = new Folder();
  await folder.scanner.scan();
  for (const { name } of Deno.readDirSync(folder.dir)) {
    assertEquals((Deno.statSync(`${folder.dir}/${name}`).mode ?? 0) & 0o777, 0o600, name);
  }
});

Deno.test("IndexDatabase names a file that is none, and what to do", () => {
  const dir = Deno.makeTempDirSync();
  Deno.writeTextFileSync(
    `${dir}/${INDEX_FILE}`,
    "this is no database, and longer than a header ".repeat(90),
  );
  assertThrows(() => new IndexDatabase(dir), Error, "it can be removed");
  Deno.removeSync(dir, { recursive: true });
});
