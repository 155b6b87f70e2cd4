/** Ctrl-C while a command reads, and while it writes: what was there stays, and nothing is half there. */

import { assert, assertEquals } from "@std/assert";
import { executable, util } from "../util/executables.ts";

const isUnix = Deno.build.os !== "windows";

async function inFolder(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function namesIn(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
}

Deno.test({
  name: "hoist learn, interrupted while it reads, leaves the old flow and nothing else",
  ignore: !isUnix,
  fn: () =>
    inFolder(async (dir) => {
      const results = `${dir}/results.json`;
      assert((await new Deno.Command("mkfifo", { args: [results] }).output()).success);
      await Deno.writeTextFile(`${dir}/flow.json`, "the old flow");
      const manifest = "testdata/results/manifest.json";
      const [command = "", ...first] = executable("hoist");
      const child = new Deno.Command(command, {
        args: [
          ...first,
          ...["learn", "--results", results, "--manifest", manifest],
          ...["--out", `${dir}/flow.json`],
        ],
        stdout: "null",
        stderr: "null",
      }).spawn();
      // Opening a pipe for writing waits for its reader: the command is reading now.
      const pipe = await Deno.open(results, { write: true });
      await pipe.write(new TextEncoder().encode('{"simulations":['));
      child.kill("SIGINT");
      const status = await child.status;
      pipe.close();
      assertEquals([status.success, status.code], [false, 130]);
      assertEquals(namesIn(dir), ["flow.json", "results.json"]);
      assertEquals(await Deno.readTextFile(`${dir}/flow.json`), "the old flow");
    }),
});

Deno.test({
  name: "a write that is interrupted leaves the old file whole or the new one, and no other",
  ignore: !isUnix,
  fn: () =>
    inFolder(async (dir) => {
      await Deno.writeTextFile(`${dir}/out`, "old");
      const [command = "", ...args] = util("write_big_file");
      const child = new Deno.Command(command, { args: [...args, `${dir}/out`], stderr: "null" })
        .spawn();
      const isDone = () => Deno.statSync(`${dir}/out`).size > 3;
      while (!namesIn(dir).some((name) => name.endsWith(".tmp")) && !isDone()) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      try {
        child.kill("SIGINT");
      } catch {
        // It has ended already.
      }
      await child.status;
      assertEquals(namesIn(dir), ["out"]);
      assert([3, 64_000_000].includes(Deno.statSync(`${dir}/out`).size));
    }),
});
