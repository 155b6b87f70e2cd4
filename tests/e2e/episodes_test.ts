/** Starts `hoist` as a person would. */

import { assertEquals, assertStringIncludes } from "@std/assert";

const HOIST = `"${Deno.execPath()}" run -A cmd/hoist.ts`;

async function shell(script: string): Promise<{ out: string; err: string; code: number }> {
  const { stdout, stderr, code } = await new Deno.Command("sh", {
    args: ["-c", script],
    env: { NO_COLOR: "1" },
  }).output();
  return { out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr), code };
}

Deno.test("hoist episodes is quiet when its reader has gone", async () => {
  const { out, err } = await shell(`${HOIST} episodes testdata/sessions/v2 | head -n 1`);
  assertEquals(err.includes("rror") || err.includes("roken"), false, err);
  assertStringIncludes(out, "START");
});

Deno.test("hoist episodes ends with 0 over a cut log, 1 over a broken one, 2 over a wrong flag", async () => {
  const status = async (args: string) => (await shell(`${HOIST} ${args}`)).code;
  assertEquals(
    [
      await status("episodes testdata/sessions/v2/cut.jsonl"),
      await status("episodes testdata/sessions/broken/middle.jsonl"),
      await status("episodes --frob x"),
    ],
    [0, 1, 2],
  );
});
