/** What stands at the top level is a decision: a new entry is made here first. */

import { assertEquals } from "@std/assert";
import denoJson from "../deno.json" with { type: "json" };
import { VERSION } from "../lib/flags/version.ts";
import { ROOT } from "./util/executables.ts";

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
