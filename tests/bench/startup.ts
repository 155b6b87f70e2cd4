/**
 * What starting a compiled `hoist-mcp` costs, beside an empty compiled program and each
 * other program, and how large they are.
 *
 * Usage: `deno run -A tests/bench/startup.ts [--rounds N] [--bin DIR]`, with the Deno that
 * can compile here. `--bin` measures programs that `deno task compile` has built already.
 *
 * @module
 */

import { PROGRAMS } from "../../.ci/compile.ts";
import { type FlagTable, parseFlags } from "../../lib/flags/flags.ts";
import { VERSION } from "../../lib/flags/version.ts";

const FLAGS: FlagTable = {
  program: "startup",
  summary: "Measures how long compiled programs take to start.",
  usage: ["[OPTIONS]"],
  flags: [
    { name: "rounds", value: "N", help: "How often each is started. Default: 31." },
    { name: "bin", value: "DIR", help: "Compiled programs; built when it is not given." },
  ],
};

const parsed = parseFlags(FLAGS, Deno.args, VERSION);
if (parsed.kind !== "values") {
  console.error(parsed.kind === "text" ? parsed.text : parsed.message);
  Deno.exit(parsed.kind === "text" ? 0 : 2);
}
const rounds = Number(parsed.values.get("rounds") ?? 31);
const work = await Deno.makeTempDir({ prefix: "hoist-startup-" });
const bin = parsed.values.get("bin") ?? work;
if (parsed.values.get("bin") === undefined) await deno("run", "-A", ".ci/compile.ts", "--out", bin);
await Deno.writeTextFile(`${work}/empty.js`, "export {};\n");
await deno("compile", "--quiet", "--no-config", `--output=${work}/empty`, `${work}/empty.js`);

/** What is started: a name, and a command line that ends by itself. */
const ROWS: readonly (readonly [string, readonly string[]])[] = [
  ["an empty program", [`${work}/empty`]],
  ...Object.keys(PROGRAMS).map((name) =>
    [`\`${name} --version\``, [`${bin}/${name}`, "--version"]] as const
  ),
  ["a session: `hoist-mcp -- true`", [`${bin}/hoist-mcp`, "--", "true"]],
  ["the same, recording", [`${bin}/hoist-mcp`, "--record", `${work}/log`, "--", "true"]],
];

const times = ROWS.map((): number[] => []);
for (let round = 0; round <= rounds; round++) {
  for (const [i, [, [program = "", ...args]]] of ROWS.entries()) {
    const start = performance.now();
    await new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" })
      .output();
    if (round > 0) times[i]?.push(performance.now() - start); // The first round warms the disk.
  }
}

const medians = times.map((list) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? NaN);
console.log(`| | start to exit, ms | × an empty program | MB |\n|---|---|---|---|`);
for (const [i, [name, [program = ""]]] of ROWS.entries()) {
  // Each ratio is taken within a round, since the machine's speed changes between rounds.
  const ratios = (times[i] ?? []).map((ms, r) => ms / (times[0]?.[r] ?? NaN));
  const ratio = ratios.toSorted((a, b) => a - b)[ratios.length >> 1] ?? NaN;
  const size = (await Deno.stat(program)).size / 1e6;
  console.log(`| ${name} | ${medians[i]?.toFixed(0)} | ${ratio.toFixed(2)} | ${size.toFixed(1)} |`);
}
await Deno.remove(work, { recursive: true });

async function deno(...args: string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), { args }).spawn().status;
  if (!success) Deno.exit(1);
}
