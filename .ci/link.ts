/**
 * `deno task link`: every program as a small script in dist/ that runs this checkout,
 * for machines where `deno task compile` has nothing to compile with.
 *
 * Usage: `deno run -A .ci/link.ts [FOLDER]`
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { PROGRAMS } from "./compile.ts";

const folder = Deno.args[0] ?? "dist";
await Deno.mkdir(folder, { recursive: true });
for (const program of Object.keys(PROGRAMS)) {
  const url = new URL(`../cmd/${program.replaceAll("-", "_")}.ts`, import.meta.url);
  const words = [Deno.execPath(), "run", "-q", "-A", fileURLToPath(url)];
  // What `deno task compile` has put there is not written into: it may be running.
  await Deno.remove(`${folder}/${program}`).catch(() => {});
  if (Deno.build.os === "windows") {
    const line = words.map((word) => `"${word}"`).join(" ");
    await Deno.writeTextFile(`${folder}/${program}.cmd`, `@${line} %*\r\n`);
  } else {
    const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const script = `#!/bin/sh\nexec ${line} "$@"\n`;
    await Deno.writeTextFile(`${folder}/${program}`, script, { mode: 0o755 });
  }
}
console.log(`${Object.keys(PROGRAMS).join(", ")}: in ${await Deno.realPath(folder)}`);
