import { assertEquals, assertRejects } from "@std/assert";
import { LogSyntaxError } from "../log/log_syntax_error.ts";
import { listLogs, readLog, readLogs } from "./read_log.ts";

function log(session: string, start: number, ...lines: string[]): string {
  const header = {
    hoist_mcp_log: 2,
    session,
    started_unix_ms: start,
    server_command: [],
    domain: null,
    agent_model: null,
  };
  return [JSON.stringify(header), ...lines, ""].join("\n");
}

async function inFolder(
  files: Readonly<Record<string, string>>,
  run: (dir: string) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${dir}/sub.jsonl`);
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${dir}/${name}`, text);
    }
    await run(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("readLogs() goes by start, then by session id, and skips what is no session", () =>
  inFolder({
    "a.jsonl": log("late", 30),
    "b.jsonl": log("s-2", 20),
    "c.jsonl": log("s-10", 20),
    "a.flow.jsonl": "{}\n",
    "a.confirm.jsonl": "{}\n",
    "notes.txt": "no log",
    "sub.jsonl/inner.jsonl": log("inner", 1),
  }, async (dir) => {
    const found: string[] = [];
    for await (const session of readLogs(`${dir}/`)) found.push(session.header.session);
    assertEquals(found, ["s-10", "s-2", "late"]);
  }));

Deno.test("readLogs() throws at a file that is no log and names it", () =>
  inFolder({ "a.jsonl": log("one", 1), "b.jsonl": "oops\n" }, async (dir) => {
    const found: string[] = [];
    const error = await assertRejects(async () => {
      for await (const session of readLogs(dir)) found.push(session.header.session);
    }, LogSyntaxError);
    assertEquals([found, error.path, error.line], [["one"], `${dir}/b.jsonl`, 1]);
  }));

Deno.test("listLogs() gives logs without a header last", () =>
  inFolder({ "a.jsonl": "", "b.jsonl": log("two", 2), "c.jsonl": log("one", 1) }, async (dir) => {
    const listed = await listLogs(dir);
    assertEquals(listed.map((f) => f.header?.session), ["one", "two", undefined]);
  }));

Deno.test("readLog() reads a log longer than one read, with a line longer than one read", () =>
  inFolder({
    "a.jsonl": log(
      "s",
      1,
      ...Array.from(
        { length: 300 },
        (_, i) => `{"t_ms":${i},"from":"server","message":"${"é".repeat(i === 7 ? 90_000 : 300)}"}`,
      ),
    ),
  }, async (dir) => {
    const { lines, problems } = await readLog(`${dir}/a.jsonl`);
    assertEquals([lines.length, problems], [300, []]);
    assertEquals(lines.map((l) => l.kind === "message" ? l.text.length : 0), [
      ...Array.from({ length: 300 }, (_, i) => i === 7 ? 90_002 : 302),
    ]);
  }));

Deno.test("readLog() rejects with the system's error when there is no file", async () => {
  await assertRejects(() => readLog("no/such/log.jsonl"), Deno.errors.NotFound);
});
