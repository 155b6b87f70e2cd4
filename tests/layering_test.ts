/**
 * The repository's structure, read from its sources: the core does no I/O, and
 * imports point one way.
 */

import { assert, assertEquals } from "@std/assert";
import { ROOT } from "./util/executables.ts";

/** Folders that do what the core asks; all other folders of lib are core. */
const SHELL = ["disk", "host", "transport", "std"];

/** What a core file may not mention, and why its failure names it. */
const OUTSIDE: readonly (readonly [RegExp, string])[] = [
  [/\bDeno\./, "Deno"],
  [/\bfetch\(/, "fetch"],
  [/\bset(?:Timeout|Interval)\(/, "a timer"],
  [/\bDate\.now\(|\bnew Date\(\)|\bperformance\./, "the clock"],
  [/\bMath\.random\(|\bcrypto\./, "chance"],
  [/\bconsole\./, "the console"],
  [/from "node:(?!crypto")/, "a Node module"], // Hashes compute, and reach for nothing.
];

/** What each folder of the core may import from besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  mcp: ["wire"],
  relay: ["mcp", "wire"],
  log: ["wire"],
  trace: ["log", "wire"],
  oracle: ["trace"],
  flow: ["trace"],
  context: ["trace", "wire"],
  guard: ["oracle", "trace"],
  tau2: ["trace"],
  replay: ["flow", "tau2", "trace"],
  learn: ["flow", "oracle", "replay", "trace"],
  procedure: ["flow", "guard", "trace"],
  distill: ["flow", "learn", "procedure", "trace"],
  redact: ["flow", "trace"],
  active: ["flow", "guard", "mcp", "oracle", "relay", "trace", "wire"],
  demo: ["cli"],
  hosts: [],
  cli: [
    "context",
    "distill",
    "flow",
    "guard",
    "hai",
    "hosts",
    "learn",
    "log",
    "oracle",
    "procedure",
    "redact",
    "replay",
    "tau2",
    "trace",
  ],
  hai: [],
};

interface Source {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
}

async function sources(): Promise<Source[]> {
  const found: Source[] = [];
  for (const { name: folder, isDirectory } of Deno.readDirSync(`${ROOT}/lib`)) {
    if (!isDirectory) continue;
    for (const { name } of Deno.readDirSync(`${ROOT}/lib/${folder}`)) {
      if (!name.endsWith(".ts") || name.endsWith("_test.ts")) continue;
      const path = `lib/${folder}/${name}`;
      found.push({ path, folder, text: await Deno.readTextFile(`${ROOT}/${path}`) });
    }
  }
  assert(found.length > 30);
  return found;
}

/** The code without its comments and strings' contents of more than one line. */
function code(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}

Deno.test("the core mentions no file, socket, clock, timer, chance or console", async () => {
  const faults = [];
  for (const { path, folder, text } of await sources()) {
    if (SHELL.includes(folder)) continue;
    for (const [pattern, what] of OUTSIDE) {
      if (pattern.test(code(text))) faults.push(`${path} reaches for ${what}`);
    }
  }
  assertEquals(faults, []);
});

Deno.test("imports point one way: cmd, shell, core, and down the core", async () => {
  const faults = [];
  for (const { path, folder, text } of await sources()) {
    // Types cross freely: a port is a type of the shell's that the core speaks to.
    for (
      const [, from = ""] of code(text).matchAll(
        /^(?:import|export) (?!type)[^;]*? from "\.\.\/([^"]+)"/gm,
      )
    ) {
      const target = from.split("/")[0] ?? "";
      const allowed = SHELL.includes(folder) || (MAY_IMPORT[folder] ?? []).includes(target);
      if (!allowed || target === "..") faults.push(`${path} imports ${from}`);
    }
  }
  assertEquals(faults, []);
});

Deno.test("every folder of the core has its place in the order", async () => {
  const core = [...new Set((await sources()).map((s) => s.folder))].filter((f) =>
    !SHELL.includes(f)
  );
  assertEquals(core.filter((folder) => MAY_IMPORT[folder] === undefined), []);
});

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
    readonly isDynamic?: boolean;
  }[];
}

/** The modules that a program loads before it knows what it is asked for. */
async function loadedAtStart(program: string): Promise<string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", `${ROOT}/${program}`],
    stderr: "null",
  }).output();
  const graph: { modules: Module[] } = JSON.parse(new TextDecoder().decode(stdout));
  const byName = new Map(graph.modules.map((m) => [m.specifier, m]));
  const seen = new Set([`file://${ROOT}/${program}`]);
  for (const name of seen) {
    for (const { code, isDynamic } of byName.get(name)?.dependencies ?? []) {
      if (code !== undefined && isDynamic !== true) seen.add(code.specifier);
    }
  }
  return [...seen].map((name) => name.replace(`file://${ROOT}/`, ""));
}

Deno.test("the pass-through path imports no SDK, no schema library and no Node module", async () => {
  const names = await loadedAtStart("cmd/hoist_mcp.ts");
  assert(names.length > 20, "a graph");
  assertEquals(names.filter((n) => /^[a-z]+:/.test(n)), []);
});

Deno.test("the pass-through path loads nothing of the HTTP modes, nor of what acts on sessions", async () => {
  const names = await loadedAtStart("cmd/hoist_mcp.ts");
  assert(names.includes("lib/relay/stdio_session.ts"), "what it does load");
  const others =
    /^lib\/(?:active|mcp|transport\/(?:.*http|.*upstream|listen|line_output|.*worker|active))/;
  assertEquals(names.filter((n) => others.test(n)), []);
});

Deno.test("every source file says what it is for and stays short", async () => {
  const faults = [];
  for (const { path, text } of await sources()) {
    if (!/^\/\*\*[^]*?@module\n \*\//.test(text)) faults.push(`${path} has no module comment`);
    const lines = text.split("\n").length;
    if (lines > 300) faults.push(`${path} has ${lines} lines`);
  }
  assertEquals(faults, []);
});
