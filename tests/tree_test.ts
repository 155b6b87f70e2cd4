/**
 * The tree: what lies at the top level, how large files and folders are, and that each name means
 * one thing and exists.
 */

import { assertEquals } from "@std/assert";
import denoJson from "../deno.json" with { type: "json" };
import { VERSION } from "../lib/flags/version.ts";
import { ROOT } from "./util/executables.ts";
import { commentsOf, exportsOf, filesUnder, sources } from "./util/sources.ts";

const MAX_FILE_LINES = 301;
const MAX_FOLDER_FILES = 16;

const TOP_LEVEL = [
  ".ci",
  ".github",
  ".gitignore",
  "LICENSE",
  "README.md",
  "cmd",
  "deno.json",
  "deno.lock",
  "docs",
  "lib",
  "main.ts",
  "mod.ts",
  "testdata",
  "tests",
];
/** What git ignores, or is git. */
const NOT_OURS = [".git", "coverage", "dist", "node_modules"];

/** Folders that held more sources when the limit was made: entries only leave. */
const LARGE_FOLDERS: readonly string[] = [];

/** Names that two files of lib declared when the gate was made: entries only leave. */
const DECLARED_TWICE: readonly string[] = [];

const PROGRAMS = ["hai-mcp", "hoist", "hoist-mcp", "hoist-mcp-demo", "hoist-procedure"];

Deno.test("the top level holds what was agreed, and nothing else", () => {
  const names = [...Deno.readDirSync(ROOT)].map((e) => e.name).filter((n) => !NOT_OURS.includes(n));
  assertEquals(names.sort(), TOP_LEVEL);
});

Deno.test("each program has a file in cmd, an export, an entry in main.ts, and is under 80 lines", async () => {
  const files = [...Deno.readDirSync(`${ROOT}/cmd`)].map((e) => e.name).sort();
  assertEquals(files, PROGRAMS.map((p) => `${p.replaceAll("-", "_")}.ts`).sort());
  const wanted = Object.fromEntries(
    PROGRAMS.map((p) => [`./${p}`, `./cmd/${p.replaceAll("-", "_")}.ts`]),
  );
  const exports: Record<string, string> = denoJson.exports;
  assertEquals(exports, { ".": "./mod.ts", ...wanted });
  const main = await Deno.readTextFile(`${ROOT}/main.ts`);
  for (const program of PROGRAMS) {
    const file = `cmd/${program.replaceAll("-", "_")}.ts`;
    assertEquals(main.includes(`"${program}": () => import("./${file}")`), true, program);
    const lines = (await Deno.readTextFile(`${ROOT}/${file}`)).split("\n").length;
    assertEquals(lines <= 80, true, `${file} has ${lines} lines`);
  }
});

Deno.test("the version is the same in deno.json and in the programs", () => {
  assertEquals(VERSION, denoJson.version);
});

Deno.test("every source file says what it is for and stays short", async () => {
  const faults = [];
  for (const { path, text } of await sources()) {
    if (!/^\/\*\*[^]*?@module\n \*\//.test(text)) faults.push(`${path} has no module comment`);
    const lines = text.split("\n").length;
    if (lines > MAX_FILE_LINES) faults.push(`${path} has ${lines} lines`);
  }
  assertEquals(faults, []);
});

Deno.test("every folder of lib holds few sources", async () => {
  const counts = new Map<string, number>();
  for (const { folder } of await sources()) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const large = [...counts].filter(([, count]) => count > MAX_FOLDER_FILES).map(([name]) => name);
  assertEquals(large.sort(), [...LARGE_FOLDERS], "folders with more than 16 sources");
});

Deno.test("an exported name is declared in one file of lib", async () => {
  const places = new Map<string, string[]>();
  for (const source of await sources()) {
    if (source.folder.startsWith("std/")) continue;
    // One type may be declared with the value of its name.
    for (const name of new Set(exportsOf(source))) {
      places.set(name, [...places.get(name) ?? [], source.path]);
    }
  }
  const twice = [...places].filter(([, paths]) => paths.length > 1);
  assertEquals(
    twice.filter(([name]) => !DECLARED_TWICE.includes(name)).map((row) => row.flat().join(" ")),
    [],
  );
  const names = twice.map(([name]) => name);
  assertEquals(
    DECLARED_TWICE.filter((name) => !names.includes(name)),
    [],
    "take it out of the list",
  );
});

/** Sources and pages by name, and paths of this repository: `recorder.ts`, `lib/log/`. */
const NAMED =
  /(?<![\w*{}<>$/.:-])(?:\.\.?\/)*((?:[\w-]+\/)*[\w-]+\.(?:ts|md)|(?:lib|cmd|docs|tests|testdata)\/[\w./-]*\w)(?![\w*-])/g;

/** Files that a page invents as an example. */
const INVENTED: readonly string[] = ["notes.md", "plan.md", "tests/run.log"];

Deno.test("a source or page that a comment or page names exists", async () => {
  const folders = ["cmd", "docs", "lib", "testdata", "tests", ".ci"];
  const files = (await Promise.all(folders.map(filesUnder))).flat();
  const known = new Set(["README.md", "main.ts", "mod.ts", ...files].flatMap(endingsOf));
  const faults = [];
  for (const path of [...files, "README.md", "mod.ts", "main.ts"]) {
    if (path === "docs/changelog.md" || !/\.(?:ts|md)$/.test(path)) continue;
    const text = await Deno.readTextFile(`${ROOT}/${path}`);
    const prose = path.endsWith(".ts")
      ? commentsOf(text).join("\n")
      : text.replace(/^```[^]*?^```/gm, "");
    for (const [, name = ""] of prose.matchAll(NAMED)) {
      if (!INVENTED.includes(name) && !known.has(name)) faults.push(`${path}: ${name}`);
    }
  }
  assertEquals(faults, []);
});

/** What a file may be called: by its name, by any part of its path that ends it, or by its folders. */
function endingsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.flatMap((_, i) => [parts.slice(i).join("/"), parts.slice(0, i + 1).join("/")]);
}
