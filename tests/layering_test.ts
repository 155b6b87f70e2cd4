/**
 * The repository's structure, read from its sources: the core does no I/O, and
 * imports point one way.
 */

import { assert, assertEquals } from "@std/assert";
import { ROOT } from "./util/executables.ts";

/** Folders that do what the core asks, and folders of what a person types and sees; all others are core. */
const SHELL = [
  "disk",
  "hai/shell",
  "http_client",
  "http_server",
  "model_client",
  "proxy",
  "relay",
  "runtime",
  "sdk",
  "std/assert",
  "std/cli",
];
const FACE = [
  "cli",
  "commands",
  "commands/demo",
  "commands/flow",
  "commands/guard",
  "commands/hai",
  "commands/machine",
  "commands/procedure",
  "commands/sessions",
];

/** Imports against the order that are known and on their way out. */
const KNOWN: readonly string[] = [
  "lib/http_server/host_session.ts -> lib/proxy/active_mode.ts",
  "lib/http_server/http_backend.ts -> lib/proxy/http_acting.ts",
  "lib/http_server/http_backend.ts -> lib/proxy/worker_job.ts",
  "lib/http_server/http_logs.ts -> lib/proxy/worker_job.ts",
  "lib/http_server/http_logs.ts -> lib/proxy/session_log.ts",
  "lib/http_server/modern_member.ts -> lib/proxy/active_mode.ts",
  "lib/http_server/modern_member.ts -> lib/proxy/conversations.ts",
  "lib/http_server/stdio_backend.ts -> lib/proxy/active_mode.ts",
  "lib/http_server/stdio_backend.ts -> lib/proxy/session_log.ts",
  "lib/http_server/stdio_backend.ts -> lib/proxy/worker_job.ts",
  "lib/commands/hoist_commands.ts -> lib/commands/flag_tables.ts",
  "lib/proxy/acting_sessions.ts -> lib/proxy/http_acting.ts",
  "lib/proxy/active_writes.ts -> lib/proxy/active_mode.ts",
  "lib/proxy/run_listen.ts -> lib/proxy/mode_worker.ts",
  "lib/proxy/run_upstream.ts -> lib/proxy/mode_worker.ts",
];

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

interface Source {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
}

async function sources(): Promise<Source[]> {
  const found: Source[] = [];
  const visit = async (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(`${ROOT}/lib/${folder}`)) {
      const inner = folder === "" ? name : `${folder}/${name}`;
      if (isDirectory) await visit(inner);
      else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) {
        const path = `lib/${inner}`;
        found.push({ path, folder, text: await Deno.readTextFile(`${ROOT}/${path}`) });
      }
    }
  };
  await visit("");
  assert(found.length > 400);
  return found;
}

/** The files of lib that a file imports, types included. */
function imported({ path, text }: Source): string[] {
  return [...code(text).matchAll(/(?:\bfrom |\bimport\(\s*|^import )"(\.[^"]+)"/gm)]
    .map(([, to = ""]) => new URL(to, `file:///${path}`).pathname.slice(1))
    .filter((to) => to.startsWith("lib/") && to.endsWith(".ts"));
}

const layerOf = (folder: string) => FACE.includes(folder) ? 2 : SHELL.includes(folder) ? 1 : 0;
const folderOf = (path: string) => path.slice("lib/".length, path.lastIndexOf("/"));

/** The nodes of a directed graph that stand on a cycle, grouped. */
function cycles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reach = new Map<string, Set<string>>();
  for (const start of edges.keys()) {
    const seen = new Set<string>();
    const next = [start];
    for (let at = next.pop(); at !== undefined; at = next.pop()) {
      for (const to of edges.get(at) ?? []) {
        if (!seen.has(to)) {
          seen.add(to);
          next.push(to);
        }
      }
    }
    reach.set(start, seen);
  }
  const groups = new Set<string>();
  for (const [node, seen] of reach) {
    if (!seen.has(node)) continue;
    groups.add([...seen].filter((to) => reach.get(to)?.has(node)).sort().join(" "));
  }
  return [...groups].sort().map((group) => group.split(" "));
}

/** The code without its comments and strings' contents of more than one line. */
function code(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}

Deno.test("the core mentions no file, socket, clock, timer, chance or console", async () => {
  const faults = [];
  for (const { path, folder, text } of await sources()) {
    if (layerOf(folder) > 0) continue;
    for (const [pattern, what] of OUTSIDE) {
      if (pattern.test(code(text))) faults.push(`${path} reaches for ${what}`);
    }
  }
  assertEquals(faults, []);
});

Deno.test("imports point one way: cmd, face, shell, core", async () => {
  const faults = [];
  for (const source of await sources()) {
    for (const to of imported(source)) {
      const fault = `${source.path} -> ${to}`;
      const isUp = layerOf(folderOf(to)) > layerOf(source.folder);
      if (isUp && !KNOWN.includes(fault)) faults.push(fault);
    }
  }
  assertEquals(faults, []);
});

Deno.test("no folders import each other in a circle, type imports counted", async () => {
  const edges = new Map<string, Set<string>>();
  for (const source of await sources()) {
    for (const to of imported(source)) {
      const fault = `${source.path} -> ${to}`;
      if (folderOf(to) === source.folder || KNOWN.includes(fault)) continue;
      edges.set(source.folder, (edges.get(source.folder) ?? new Set()).add(folderOf(to)));
    }
  }
  assertEquals(cycles(edges), []);
});

Deno.test("no files import each other in a circle, type imports counted", async () => {
  const edges = new Map<string, Set<string>>();
  for (const source of await sources()) {
    edges.set(
      source.path,
      new Set(imported(source).filter((to) => !KNOWN.includes(`${source.path} -> ${to}`))),
    );
  }
  assertEquals(cycles(edges), []);
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
  assert(names.includes("lib/relay/relay.ts"), "what it does load");
  const others =
    /^lib\/(?:intercept|mcp|http_client|http_server|relay\/line_output|proxy\/(?:.*worker|active|run_listen|run_upstream))/;
  assertEquals(names.filter((n) => others.test(n)), []);
});

Deno.test("every source file says what it is for and stays short", async () => {
  const faults = [];
  for (const { path, text } of await sources()) {
    if (!/^\/\*\*[^]*?@module\n \*\//.test(text)) faults.push(`${path} has no module comment`);
    const lines = text.split("\n").length;
    if (lines > 330) faults.push(`${path} has ${lines} lines`);
  }
  assertEquals(faults, []);
});
