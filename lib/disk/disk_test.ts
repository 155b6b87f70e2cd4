/**
 * Atomic writes, confined paths, the lock and the journal, on a real disk.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { writeFileAtomically } from "./atomic_write.ts";
import { isConfined, realPathOf } from "./confined_path.ts";
import {
  carryOut,
  ChangeRefusedError,
  type FileChange,
  finishJournal,
  JOURNAL,
} from "../hai/shell/journal.ts";
import { LockFile, LockTimeoutError } from "./lock_file.ts";

function onDisk(name: string, run: (dir: string) => Promise<void> | void): void {
  Deno.test(name, async () => {
    const dir = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hai-disk-" }));
    try {
      await run(dir);
    } finally {
      Deno.chmodSync(dir, 0o700);
      Deno.removeSync(dir, { recursive: true });
    }
  });
}

function names(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map((entry) => entry.name).sort();
}

onDisk("writeFileAtomically() writes the whole file with its mode, and nothing else", (dir) => {
  writeFileAtomically(`${dir}/a`, "one");
  writeFileAtomically(`${dir}/a`, "two", { mode: 0o600 });
  assertEquals(Deno.readTextFileSync(`${dir}/a`), "two");
  assertEquals((Deno.statSync(`${dir}/a`).mode ?? 0) & 0o777, 0o600);
  assertEquals(names(dir), ["a"]);
});

onDisk("writeFileAtomically() replaces a link and does not follow it", (dir) => {
  Deno.writeTextFileSync(`${dir}/target`, "keep");
  Deno.symlinkSync(`${dir}/target`, `${dir}/link`);
  writeFileAtomically(`${dir}/link`, "new");
  assertEquals(Deno.readTextFileSync(`${dir}/target`), "keep");
  assertEquals(Deno.lstatSync(`${dir}/link`).isFile, true);
});

onDisk("writeFileAtomically() leaves no temporary file when it fails", (dir) => {
  Deno.mkdirSync(`${dir}/a/b`, { recursive: true });
  assertThrows(() => writeFileAtomically(`${dir}/a`, "x"));
  assertEquals(names(dir), ["a"]);
});

onDisk("realPathOf() follows links, takes .. after them, and allows a missing tail", (dir) => {
  Deno.mkdirSync(`${dir}/real/deep`, { recursive: true });
  Deno.symlinkSync(`${dir}/real/deep`, `${dir}/link`);
  Deno.symlinkSync("real", `${dir}/short`);
  Deno.symlinkSync(`${dir}/nowhere`, `${dir}/dangling`);
  Deno.symlinkSync(`${dir}/loop`, `${dir}/loop`);
  Deno.writeTextFileSync(`${dir}/file`, "");
  const rows: [string, string | undefined][] = [
    ["link", "/real/deep"],
    ["link/../x", "/real/x"],
    ["link/new/er", "/real/deep/new/er"],
    ["short/./deep//x", "/real/deep/x"],
    ["missing/../y", "/y"],
    ["dangling/x", "/nowhere/x"],
    ["loop/x", undefined],
    ["file/x", undefined],
    ["a\0b", undefined],
  ];
  for (const [path, real] of rows) {
    assertEquals(realPathOf(`${dir}/${path}`), real === undefined ? real : `${dir}${real}`, path);
  }
  assertEquals(realPathOf("/../.."), "/");
  assertEquals(isConfined(`${dir}/real`, `${dir}/link/x`), true);
  assertEquals(isConfined(`${dir}/real`, `${dir}/realer`), false);
  assertEquals(isConfined(`${dir}/real`, `${dir}/loop`), false);
});

onDisk("realPathOf() agrees with the system's own resolver on random paths", (dir) => {
  Deno.mkdirSync(`${dir}/root/src/deep`, { recursive: true });
  Deno.mkdirSync(`${dir}/out`);
  Deno.symlinkSync(`${dir}/out`, `${dir}/root/src/away`);
  Deno.symlinkSync("../src/deep", `${dir}/root/src/deep/near`);
  Deno.symlinkSync("..", `${dir}/root/src/up`);
  Deno.symlinkSync(`${dir}/nowhere/at/all`, `${dir}/root/gone`);
  const name = fc.constantFrom("src", "deep", "away", "near", "up", "gone", "new", ".", "..", "");
  const paths = fc.sample(fc.array(name, { minLength: 1, maxLength: 7 }), { numRuns: 400, seed: 7 })
    .map((names) => `${dir}/root/${names.join("/")}`);
  const { stdout } = new Deno.Command("realpath", { args: ["-m", "--", ...paths] }).outputSync();
  const expected = new TextDecoder().decode(stdout).trimEnd().split("\n");
  assertEquals(paths.map((path) => realPathOf(path)), expected);
  // Whatever the system says is outside is not confined.
  paths.forEach((path, i) => {
    const isInside = `${expected[i]}/`.startsWith(`${dir}/root/`);
    assertEquals(isConfined(`${dir}/root`, path), isInside, path);
  });
});

onDisk("hold() runs one at a time, in order, also after a failure", async (dir) => {
  const lock = new LockFile(`${dir}/lock`);
  const seen: number[] = [];
  const runs = [1, 2, 3].map((n) =>
    lock.hold(() => {
      seen.push(n);
      if (n === 2) throw new RangeError("two");
      return n;
    })
  );
  assertEquals((await Promise.allSettled(runs)).map((run) => run.status), [
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  assertEquals(seen, [1, 2, 3]);
});

onDisk("hold() fails in time when another holder hangs, and works when it is gone", async (dir) => {
  const other = Deno.openSync(`${dir}/lock`, { create: true, write: true });
  other.lockSync(true);
  const lock = new LockFile(`${dir}/lock`, { waitMs: 30 });
  const error = await assertRejects(() => lock.hold(() => "ran"), LockTimeoutError);
  assertEquals(error.path, `${dir}/lock`);
  other.close();
  const patient = new LockFile(`${dir}/lock`);
  assertEquals(await patient.hold(() => "ran"), "ran");
});

onDisk("hold() does not take a deleted file for the one that is there", async (dir) => {
  const locked = () => {
    const file = Deno.openSync(`${dir}/lock`, { read: true, write: true, create: true });
    file.lockSync(true);
    return file;
  };
  const old = locked();
  const waiting = new LockFile(`${dir}/lock`, { waitMs: 200 }).hold(() => "entered");
  await new Promise((resolve) => setTimeout(resolve, 0)); // By now it waits for the old one.
  Deno.removeSync(`${dir}/lock`);
  const holder = locked();
  old.close();
  await assertRejects(() => waiting, LockTimeoutError);
  holder.close();
  assertEquals(await new LockFile(`${dir}/lock`).hold(() => "entered"), "entered");
});

function roots(dir: string) {
  for (const name of ["home", "owner", "project/Projek-Managment"]) {
    Deno.mkdirSync(`${dir}/${name}`, { recursive: true });
  }
  return { home: `${dir}/home`, owner: `${dir}/owner` };
}

function home(dir: string, name: string, text: string | null): FileChange {
  return { area: "home", path: `${dir}/home/${name}`, text };
}

onDisk("carryOut() does all changes and leaves no journal", (dir) => {
  const at = roots(dir);
  carryOut([home(dir, "a", "1"), home(dir, "deep/b", "2")], at);
  carryOut([home(dir, "a", null), home(dir, "c", "3"), home(dir, "missing", null)], at);
  assertEquals([names(at.home), names(`${at.home}/deep`)], [["c", "deep"], ["b"]]);
});

onDisk("finishJournal() finishes whatever part was done, as often as it is called", (dir) => {
  const at = roots(dir);
  const changes = [home(dir, "a", "1"), home(dir, "b", "2"), home(dir, "old", null)];
  for (let done = 0; done <= changes.length; done++) {
    Deno.removeSync(at.home, { recursive: true });
    Deno.mkdirSync(at.home);
    Deno.writeTextFileSync(`${at.home}/old`, "x");
    Deno.writeTextFileSync(`${at.home}/${JOURNAL}`, JSON.stringify({ changes }));
    for (const { path, text } of changes.slice(0, done)) {
      if (text === null) Deno.removeSync(path);
      else Deno.writeTextFileSync(path, text);
    }
    assertEquals(finishJournal(at), true);
    assertEquals(names(at.home), ["a", "b"]);
    assertEquals(Deno.readTextFileSync(`${at.home}/b`), "2");
    assertEquals(finishJournal(at), false);
  }
});

onDisk("carryOut() does nothing when one change is out of bounds", (dir) => {
  const at = roots(dir);
  Deno.symlinkSync(`${dir}/project`, `${at.home}/out`);
  const bad: FileChange[] = [
    home(dir, "../x", "x"),
    home(dir, "out/x", "x"),
    home(dir, JOURNAL, "x"),
    { area: "home", path: "/etc/x", text: "x" },
    { area: "owner", path: `${dir}/owner/owner.key`, text: "x" },
    { area: "owner", path: `${dir}/owner/C-20260901T080000-0a1b2c3d.txt`, text: "x" },
    { area: "project", path: `${dir}/project/main.ts`, text: "x" },
    { area: "project", path: `${dir}/project/history/../NEXT_STEP.md`, text: "x" },
    { area: "project", path: `${dir}/home/NEXT_STEP.md`, text: "x" },
    { area: "project", path: `${dir}/owner/NEXT_STEP.md`, text: "x" },
  ];
  for (const change of bad) {
    assertThrows(() => carryOut([home(dir, "a", "1"), change], at), ChangeRefusedError);
    assertEquals(names(at.home), ["out"], change.path);
  }
  assertEquals(names(at.owner), []);
});

onDisk("finishJournal() refuses a planted journal", (dir) => {
  const at = roots(dir);
  const planted = [
    "{",
    "{}",
    '{"changes":[{"area":"home","path":"relative","text":"x"}]}',
    JSON.stringify({ changes: [{ area: "owner", path: `${dir}/owner/owner.key`, text: "x" }] }),
  ];
  for (const text of planted) {
    Deno.writeTextFileSync(`${at.home}/${JOURNAL}`, text);
    const error = assertThrows(() => finishJournal(at));
    assert(error instanceof SyntaxError || error instanceof ChangeRefusedError);
  }
  assertEquals(names(at.owner), []);
});
