/**
 * The order of the folders of lib: imports point one way, nothing imports itself through others,
 * and the core does no I/O. Type imports count.
 */

import { assert, assertEquals } from "@std/assert";
import { ROOT } from "./util/executables.ts";
import { circlesOf, codeOf, folderOf, importsOf, type Source, sources } from "./util/sources.ts";

/**
 * Every folder of lib, from the bottom up. A folder imports from the rows above its own, in this
 * table, and from its own subfolders; never from its own row or a later one. The core decides, the
 * shell does what it says, the face is what a person types and sees.
 */
const ORDER: readonly (readonly [layer: "core" | "shell" | "face", folders: string])[] = [
  ["core", "bytes host_config text"],
  ["core", "flags json"],
  ["core", "approval demo log oracle wire"],
  ["core", "mcp oauth trace"],
  ["core", "tape"],
  ["core", "catalog check flow session tau2 timeline"],
  ["core", "export guard redact replay savings tool_lock"],
  ["core", "procedure"],
  ["core", "ports"],
  ["core", "evaluate hai intercept learn"],
  ["core", "console procedure_learning proxy_options"],
  ["shell", "disk"],
  ["shell", "hai/shell model_client relay"],
  ["shell", "hai/serve http_client raw_client restart"],
  ["shell", "auth runtime sdk"],
  ["shell", "console/index http_server"],
  ["shell", "console/shell proxy"],
  ["face", "cli"],
  ["face", "commands"],
];

/** Stand-ins for packages: code imports them by the package's name, never by a path. */
const STAND_INS = "std";

/** The folders of one interceptor each. They share what lies beside them, never each other. */
const INTERCEPTORS = /^intercept\/(?:approve|commit|context|flow|guard|hai|lock|only)\b/;

/** Imports against the order that are on their way out: entries only leave. */
const KNOWN: readonly string[] = [];

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

const RANKS = new Map(
  ORDER.flatMap(([, folders], rank) => folders.split(" ").map((folder) => [folder, rank] as const)),
);

/** The row of a folder: its own, or that of the folder it lies in. */
function rankOf(folder: string): number {
  return RANKS.get(folder) ?? RANKS.get(folder.split("/")[0] ?? "") ?? -1;
}

/** What a folder is in {@linkcode ORDER}: `hai/shell`, or `hai` for `hai/tools`. */
function roomOf(folder: string): string {
  return RANKS.has(folder) ? folder : folder.split("/")[0] ?? "";
}

const layerOf = (folder: string) => ORDER[rankOf(folder)]?.[0];

/** The imports of lib, one a row. */
async function edges(): Promise<{ from: Source; to: string; text: string }[]> {
  return (await sources()).flatMap((from) =>
    importsOf(from).map((to) => ({ from, to, text: `${from.path} -> ${to}` }))
  );
}

Deno.test("every folder of lib has its row in the order, once", async () => {
  const named = ORDER.flatMap(([, folders]) => folders.split(" "));
  assertEquals(named.length, new Set(named).size);
  const found = new Set((await sources()).map(({ folder }) => roomOf(folder)));
  assertEquals([...found].sort(), [...named, STAND_INS].sort());
});

Deno.test("docs/architecture.md names every folder of the order", async () => {
  const page = await Deno.readTextFile(`${ROOT}/docs/architecture.md`);
  const folders = ORDER.flatMap(([, row]) => row.split(" "));
  assertEquals(folders.filter((folder) => !page.includes(`\`${folder}\``)), []);
});

Deno.test("the core mentions no file, socket, clock, timer, chance or console", async () => {
  const faults = [];
  for (const { path, folder, text } of await sources()) {
    if (layerOf(folder) !== "core") continue;
    for (const [pattern, what] of OUTSIDE) {
      if (pattern.test(codeOf(text))) faults.push(`${path} reaches for ${what}`);
    }
  }
  assertEquals(faults, []);
});

Deno.test("imports follow the order of the folders", async () => {
  const faults = [];
  for (const { from, to, text } of await edges()) {
    const [room, other] = [roomOf(from.folder), roomOf(folderOf(to))];
    const isAgainst = room !== other && rankOf(other) >= rankOf(room);
    if (isAgainst && !KNOWN.includes(text)) faults.push(text);
  }
  assertEquals(faults, []);
});

Deno.test("interceptors never import one another", async () => {
  const faults = [];
  for (const { from, to, text } of await edges()) {
    const [own] = INTERCEPTORS.exec(from.folder) ?? [];
    const [other] = INTERCEPTORS.exec(folderOf(to)) ?? [];
    if (own !== undefined && other !== undefined && own !== other) faults.push(text);
  }
  assertEquals(faults, []);
});

Deno.test("no folders import each other in a circle", async () => {
  const graph = new Map<string, Set<string>>();
  for (const { from, to, text } of await edges()) {
    if (folderOf(to) === from.folder || KNOWN.includes(text)) continue;
    graph.set(from.folder, (graph.get(from.folder) ?? new Set()).add(folderOf(to)));
  }
  assertEquals(circlesOf(graph), []);
});

Deno.test("no files import each other in a circle", async () => {
  const graph = new Map<string, Set<string>>();
  for (const { from, to, text } of await edges()) {
    if (KNOWN.includes(text)) continue;
    graph.set(from.path, (graph.get(from.path) ?? new Set()).add(to));
  }
  assertEquals(circlesOf(graph), []);
});

Deno.test("an import that is known to be against the order is still there", async () => {
  const found = new Set((await edges()).map(({ text }) => text));
  assertEquals(KNOWN.filter((text) => !found.has(text)), [], "take it out of KNOWN");
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
    /^lib\/(?:intercept\/(?!order|asked_for|\w+\/(?:kind|options)\.ts)|mcp|oauth\/(?!sign_in)|auth|http_client|http_server|relay\/line_output|proxy\/(?:.*worker|interceptors|stdio_chain|stdio_restart|run_listen|run_upstream)|restart\/|session\/restart)/;
  assertEquals(names.filter((n) => others.test(n)), []);
});

Deno.test("a relay of the library without interceptors loads nothing of the chain", async () => {
  const names = await loadedAtStart("lib/relay/relay_streams.ts");
  assert(names.includes("lib/relay/pump.ts"), "what it does load");
  assertEquals(names.filter((n) => /^lib\/(?:intercept|json|wire)\//.test(n)), []);
});
