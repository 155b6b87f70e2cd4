/**
 * Runs the cases of testdata/cli: a command line, and what it must print.
 *
 * `deno task golden` rewrites the expected side. Read the diff before you commit it.
 */

import { assert, assertEquals } from "@std/assert";
import { main } from "../cmd/hoist.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { isExpected, parseCase, printCase } from "./util/case_file.ts";

const DIR = "testdata/cli";
const isRewriting = Deno.env.get("HOIST_GOLDEN") === "write";

/** Runs `hoist` with a host that keeps what it prints. */
async function run(args: readonly string[]): Promise<{ out: string; err: string; status: number }> {
  let out = "";
  let err = "";
  const runtime: Runtime = {
    say: (line) => err += `hoist: ${line}\n`,
    print: (text) => out += `${text}\n`,
    env: () => undefined,
    unixMs: () => 0,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
  };
  const status = await main(args, runtime);
  return { out, err, status };
}

for (const { name } of [...Deno.readDirSync(DIR)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  Deno.test(`hoist prints what ${name} says`, async () => {
    assert(name.endsWith(".case"), `no test reads ${DIR}/${name}`);
    const path = `${DIR}/${name}`;
    const wanted = parseCase(await Deno.readTextFile(path));
    const { out, err, status } = await run((wanted.get("args") ?? "").trim().split("\n"));
    const made = new Map(wanted).set("status", `${status}\n`).set("stderr", err).set("stdout", out);
    if (isRewriting) return await Deno.writeTextFile(path, printCase(made));
    for (const [section, text] of made) {
      const expected = wanted.get(section) ?? "";
      if (!isExpected(text, expected)) assertEquals(text, expected, section);
    }
  });
}
