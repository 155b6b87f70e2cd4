/**
 * `deno task compile`: every program as one executable, bundled first so that
 * it holds and loads only what it needs.
 *
 * Permissions are the most a program may need in any mode; hoist-mcp gives up
 * what its mode does not need before the first byte (docs/permissions.md).
 *
 * @module
 */

import { type FlagTable, parseFlags } from "../lib/flags/flags.ts";
import { VERSION } from "../lib/flags/version.ts";
import { denoRuntime } from "../lib/runtime/deno_runtime.ts";

const FLAGS: FlagTable = {
  program: "deno task compile",
  summary: "Builds the executables, with a file of their checksums.",
  usage: ["[OPTIONS]"],
  flags: [
    { name: "out", value: "DIR", help: "Where to put them. Default: dist." },
    { name: "target", value: "TRIPLE", help: "Platform, as deno compile names it. Default: this." },
    { name: "only", value: "PROGRAM", repeat: true, help: "Build this program alone." },
  ],
};

/** Programs, and what each may ever be allowed. */
export const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  "hoist": ["--allow-read", "--allow-write", "--allow-env", "--allow-net", "--allow-run"],
  "hoist-mcp": ["--allow-read", "--allow-write", "--allow-env", "--allow-net", "--allow-run"],
  "hoist-mcp-demo": ["--allow-env", "--allow-net"],
  "hoist-procedure": ["--allow-read", "--allow-write", "--allow-env", "--allow-net", "--allow-run"],
  "hai-mcp": ["--allow-read", "--allow-write", "--allow-env", "--allow-net", "--allow-run"],
};

/** What deno.json turns on, which a compiled bundle does not read. */
const UNSTABLE = ["--unstable-worker-options", "--unstable-no-legacy-abort"];

/**
 * Before a bundle: packages in the old module form may `require` a module of Node, which the
 * bundler of Deno 2.6 leaves to a function that nobody defines.
 */
const REQUIRE = "globalThis.require??=(name)=>process.getBuiltinModule(name);\n";

/**
 * What V8 is told. A proxy makes garbage at the pace of its traffic, and keeps almost nothing: a
 * young generation of four megabytes instead of sixteen costs no time (docs/performance_http.md).
 */
const V8: Readonly<Record<string, readonly string[]>> = {
  "hoist-mcp": ["--v8-flags=--max-semi-space-size=4"],
};

const runtime = denoRuntime("compile");
if (import.meta.main) {
  Deno.exit(
    await compile(Deno.args).catch((error) => {
      runtime.say(error.message);
      return 1;
    }),
  );
}

async function compile(args: readonly string[]): Promise<number> {
  const parsed = parseFlags(FLAGS, args, VERSION);
  if (parsed.kind !== "values") {
    runtime.print(parsed.kind === "text" ? parsed.text : parsed.message);
    return parsed.kind === "text" ? 0 : 2;
  }
  const out = parsed.values.get("out") ?? "dist";
  const target = parsed.values.get("target");
  const only = parsed.values.all("only");
  const wrong = only.find((name) => !Object.hasOwn(PROGRAMS, name));
  if (wrong !== undefined) {
    runtime.say(`no program "${wrong}"; there are ${Object.keys(PROGRAMS).join(", ")}`);
    return 2;
  }
  await Deno.mkdir(out, { recursive: true });
  const work = await Deno.makeTempDir({ prefix: "hoist-compile-" });
  try {
    const names = Object.keys(PROGRAMS).filter((name) => only.length === 0 || only.includes(name));
    await compileAll(names, { work, out, target });
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return 0;
}

interface Places {
  /** A folder for what is made on the way. */
  readonly work: string;
  readonly out: string;
  /** Platform; undefined for this one. */
  readonly target: string | undefined;
}

async function compileAll(names: readonly string[], { work, out, target }: Places): Promise<void> {
  const sums = [];
  for (const name of names) {
    const code = `${work}/${name}.js`;
    await bundle(name, code);
    const to = target === undefined ? [] : [`--target=${target}`];
    const settings = ["--quiet", "--no-config", ...settingsOf(name), ...to];
    await deno(["compile", ...settings, `--output=${work}/${name}`, code]);
    const file = `${name}${/windows/.test(target ?? Deno.build.target) ? ".exe" : ""}`;
    await putInPlace(`${work}/${file}`, `${out}/${file}`);
    const bytes = await Deno.readFile(`${out}/${file}`);
    sums.push(`${hex(await crypto.subtle.digest("SHA-256", bytes))}  ${file}\n`);
    const megabytes = (bytes.length / 1e6).toFixed(1);
    const kilobytes = ((await Deno.stat(code)).size / 1000).toFixed(0);
    runtime.print(`${out}/${file}  ${megabytes} MB, of it ${kilobytes} kB code`);
  }
  await Deno.writeTextFile(`${out}/SHA256SUMS`, sums.join(""));
}

/**
 * Bundles a program into one file.
 *
 * @param name The program.
 * @param to The file.
 */
export async function bundle(name: string, to: string): Promise<void> {
  const source = `cmd/${name.replaceAll("-", "_")}.ts`;
  await deno(["bundle", "--quiet", "--minify", "--platform=deno", `--output=${to}`, source]);
  await Deno.writeTextFile(to, REQUIRE + await Deno.readTextFile(to));
}

/**
 * What Deno is told when it compiles or runs a program's bundle.
 *
 * @param name The program.
 * @returns Flags.
 */
export function settingsOf(name: string): string[] {
  return ["--no-prompt", ...UNSTABLE, ...V8[name] ?? [], ...PROGRAMS[name] ?? []];
}

/**
 * Puts a program where another may stand: a script of `deno task link`, or a program that runs.
 *
 * @param from The new program.
 * @param to Its place.
 */
export async function putInPlace(from: string, to: string): Promise<void> {
  await Deno.remove(to).catch(() => {});
  await Deno.copyFile(from, to);
}

async function deno(args: readonly string[]): Promise<void> {
  const { code } = await new Deno.Command(Deno.execPath(), { args: [...args] }).spawn().status;
  if (code !== 0) throw new Error(`deno ${args[0]} ended with ${code}: see the lines above`);
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, "0")).join("");
}
