import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { gzipSync } from "node:zlib";
import { LogTail } from "./export/log_tail.ts";
import { listFlowLogs, listLogs, readLog, readLogs, scanLog } from "./read_log.ts";
import { openTape } from "./tape/tape_files.ts";

const SESSIONS = "testdata/sessions/v2";

/** A folder with the sessions' logs, as `put` writes each. */
function folderWith(put: (path: string, bytes: Uint8Array) => void): string {
  const dir = Deno.makeTempDirSync();
  for (const { name } of Deno.readDirSync(SESSIONS)) {
    if (name.endsWith(".jsonl")) put(`${dir}/${name}`, Deno.readFileSync(`${SESSIONS}/${name}`));
  }
  return dir;
}

function writePacked(path: string, bytes: Uint8Array): void {
  Deno.writeFileSync(`${path}.gz`, gzipSync(bytes));
}

/** The first message of a log, off a tape. */
function firstMessage(file: string, text: string): string {
  using tape = openTape([file]);
  const [header = "", line = ""] = text.split("\n").map((part) => new TextEncoder().encode(part));
  const place = { file: 0, at: header.length + 1, length: line.length, index: 0, tMs: 0 };
  return new TextDecoder().decode(tape.read(place));
}

Deno.test("a folder of packed logs reads as the folder it was", async () => {
  const dir = folderWith(writePacked);
  try {
    const packed = await Array.fromAsync(readLogs(dir));
    assertEquals(packed, await Array.fromAsync(readLogs(SESSIONS)));
    const name = ({ path }: { path: string }) => path.slice(path.lastIndexOf("/") + 1);
    assertEquals(
      (await listLogs(dir)).map(({ path, header }) => ({ name: name({ path }), header })),
      (await listLogs(SESSIONS)).map((log) => ({ name: `${name(log)}.gz`, header: log.header })),
    );
    assertEquals(
      (await listFlowLogs(dir)).map((path) => name({ path })),
      (await listFlowLogs(SESSIONS)).map((path) => `${name({ path })}.gz`),
    );
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("scan, tail and tape give the same lines of a packed log", async () => {
  const dir = folderWith((path, bytes) => {
    Deno.writeFileSync(path, bytes);
    Deno.mkdirSync(`${path}.d`);
    writePacked(`${path}.d/log.jsonl`, bytes);
  });
  try {
    for (const { path } of await listLogs(dir)) {
      const [plain, packed] = [[], []] as [unknown[], unknown[]];
      const paths = [path, `${path}.d/log.jsonl.gz`];
      for (const [at, lines] of [plain, packed].entries()) {
        const file = paths[at] ?? "";
        await scanLog(file, (line) => lines.push(line));
        const tail = new LogTail(file, (line) => lines.push(line));
        assertEquals([tail.hasMore(), tail.read(), tail.read(), tail.hasMore()], [
          true,
          true,
          false,
          false,
        ]);
        tail.end();
        lines.push(firstMessage(file, await Deno.readTextFile(path)));
      }
      assertEquals(packed, plain);
    }
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("several gzip streams in one file are one log, and the original goes before it", async () => {
  const dir = folderWith((path, bytes) => {
    const half = bytes.length >> 1;
    const halves = [gzipSync(bytes.subarray(0, half)), gzipSync(bytes.subarray(half))];
    Deno.writeFileSync(`${path}.gz`, new Uint8Array(halves.flatMap((part) => [...part])));
  });
  try {
    const expected = await Array.fromAsync(readLogs(SESSIONS));
    assertEquals(await Array.fromAsync(readLogs(dir)), expected);
    const [first] = await listLogs(SESSIONS);
    const name = first?.path.slice(SESSIONS.length + 1) ?? "";
    Deno.copyFileSync(`${SESSIONS}/${name}`, `${dir}/${name}`);
    assertEquals(await Array.fromAsync(readLogs(dir)), expected);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("a packed log that was cut, or is none, is an error that names it", async () => {
  const dir = Deno.makeTempDirSync();
  const path = `${dir}/a.jsonl.gz`;
  try {
    const bytes = gzipSync(Deno.readFileSync(`${SESSIONS}/parcels.jsonl`));
    for (const wrong of [bytes.subarray(0, -5), new TextEncoder().encode("{}\n")]) {
      Deno.writeFileSync(path, wrong);
      await assertRejects(() => readLog(path), Error, `Cannot unpack "${path}"`);
      await assertRejects(() => scanLog(path, () => {}), Error, `Cannot unpack "${path}"`);
      assertThrows(() => openTape([path]), Error, `Cannot unpack "${path}"`);
    }
    await assertRejects(() => readLog(`${dir}/none.jsonl.gz`), Error, "none.jsonl.gz");
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
