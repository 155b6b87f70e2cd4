/** A host that keeps the proxy's stderr and never reads it must not stop anything. */

import { assertEquals } from "@std/assert";
import { executable, util } from "../util/executables.ts";
import { gone } from "../util/manual_host.ts";

const ANSWER = '{"id":1,"result":{}}\n';

/** Starts the proxy with a stderr that is full and that nobody reads. */
async function start(plan: readonly unknown[], flags: readonly string[]) {
  const dir = await Deno.makeTempDir({ prefix: "hoist-test-" });
  await Deno.writeTextFile(`${dir}/plan.json`, JSON.stringify(plan));
  const [program = "", ...args] = [
    ...executable("hoist-mcp"),
    ...flags,
    "--",
    ...util("scripted_server"),
    dir,
  ];
  const child = new Deno.Command(program, {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return { dir, child };
}

for (const how of ["the host's end", "SIGTERM"]) {
  Deno.test(`hoist-mcp ends a stubborn server at ${how} although its own words find no room`, async () => {
    const plan = [
      { ignore: ["SIGTERM"] },
      // Exactly what a pipe holds: the next word would wait for ever.
      { err: "e".repeat(65_536) },
      { say: ANSWER },
      { sleepMs: 60_000 },
    ];
    const { dir, child } = await start(plan, ["--exit-grace", "0.3"]);
    const reader = child.stdout.getReader();
    await reader.read();
    const pid = Number(await Deno.readTextFile(`${dir}/pid`));
    if (how === "SIGTERM") child.kill("SIGTERM");
    else await child.stdin.close();
    assertEquals((await child.status).code, 137);
    await gone(pid);
    await reader.cancel();
    await child.stderr.cancel();
    if (how === "SIGTERM") await child.stdin.close().catch(() => {});
    await Deno.remove(dir, { recursive: true });
  });
}
