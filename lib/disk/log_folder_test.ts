import { assert, assertEquals, assertThrows } from "@std/assert";
import { createLog, discardLog, pruneLogs } from "./log_folder.ts";

const FACTS = { startedUnixMs: 1790198400123, pid: 7, serverCommand: ["x"] };

async function inFolder(test: (dir: string) => void | Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await test(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("createLog() takes the next millisecond when another process has the name", () =>
  inFolder((dir) => {
    const first = createLog(dir, FACTS);
    const second = createLog(dir, FACTS);
    first.file.close();
    second.file.close();
    assertEquals(first.path, `${dir}/20260923T212000.123Z-7.jsonl`);
    assertEquals(second.path, `${dir}/20260923T212000.124Z-7.jsonl`);
    assert(Deno.readTextFileSync(second.path).includes('"started_unix_ms":1790198400124'));
  }));

Deno.test("createLog() names the path it cannot make", () =>
  inFolder((dir) => {
    Deno.writeTextFileSync(`${dir}/file`, "");
    assertThrows(() => createLog(`${dir}/file/logs`, FACTS), Error, `${dir}/file/logs/2026`);
  }));

Deno.test("discardLog() leaves no log behind", () =>
  inFolder((dir) => {
    discardLog(createLog(dir, FACTS));
    assertEquals([...Deno.readDirSync(dir)], []);
  }));

Deno.test("pruneLogs() deletes what it can and then says what stays", () =>
  inFolder(async (dir) => {
    const names = [1, 2, 3].map((n) => `20260101T000000.000Z-${n}.jsonl`);
    for (const name of names) {
      await Deno.writeTextFile(`${dir}/${name}`, "");
      await Deno.utime(`${dir}/${name}`, 0, 0);
    }
    const options = { days: 1, nowUnixMs: Date.now(), keep: `${dir}/${names[1]}` };
    assertEquals(pruneLogs(dir, options), 2);
    assertEquals([...Deno.readDirSync(dir)].map((e) => e.name), [names[1]]);
  }));
