/**
 * Every command of README.md and docs/ runs as it stands, in a home of its own; those
 * that cannot say why, and are listed here. Links lead to pages and headings.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { blocksOf, checkout, type DocBlock, runBlock } from "./util/doc_blocks.ts";
import { ROOT } from "./util/executables.ts";
import { ScratchHome } from "./util/scratch_home.ts";

/** The blocks that are not run, and why: a new one is a decision. */
const NOT_RUN: readonly (readonly [page: string, why: string])[] = [
  ["README.md", "it is the run of the tests itself"],
  ["README.md", "it needs the package on npm"],
  ["README.md", "it needs Claude Code"],
  ["docs/approvals.md", "it needs a terminal"],
  ["docs/console.md", "it serves until it is stopped"],
  ["docs/fleet.md", "it needs logs that rest"],
  ["docs/fleet.md", "it needs a collector"],
  ["docs/hai.md", "it needs the package on JSR, and serves until it is ended"],
  ["docs/hai.md", "it needs Claude Code"],
  ["docs/hai.md", "it needs Claude Code"],
  ["docs/hai_enforcement.md", "it needs a session of hai-mcp"],
  ["docs/hai_enforcement.md", "it needs a session of hai-mcp"],
  ["docs/hai_enforcement.md", "it needs a session of hai-mcp"],
  ["docs/hai_owner_gate.md", "it needs the owner's terminal"],
  ["docs/results.md", "it needs the benchmark's data, and minutes"],
  ["docs/results_guards.md", "it needs the benchmark's data"],
  ["docs/results_procedures.md", "tests/procedure_shop_test.ts does the same"],
  ["docs/results_procedures.md", "it needs the benchmark's data"],
  ["docs/servers.md", "it needs a server that asks for a sign-in"],
  ["docs/servers.md", "it waits for a host"],
  ["docs/servers.md", "it waits for a host"],
  ["docs/testing_with_recordings.md", "its status is 1, see testdata/cli/diff_shop.case"],
  ["docs/testing_with_recordings.md", "it needs a server and its recordings"],
  ["docs/testing_with_recordings.md", "it waits for a host"],
  ["docs/testing_with_recordings.md", "they start servers, one waits for a host"],
  ["docs/testing_with_recordings.md", "it needs a server and its recordings"],
  ["docs/decisions/0402-oracle.md", "it needs the benchmark's data"],
  ["docs/decisions/0403-constants-forgetting-surprise.md", "it needs the benchmark's data"],
];

/** Pages whose commands a test of their own runs: they have other exit statuses, or stand for any server. */
const OWN_TEST: Readonly<Record<string, string>> = {
  "docs/guards.md": "tests/guards_docs_test.ts",
  "docs/procedures.md": "tests/procedures_docs_test.ts",
};

/** Languages of blocks that hold no commands. */
const NO_COMMANDS = ["json", "jsonc", "toml", "yaml", "ts", "text", "sql"];

const PAGES = ["README.md", ...pagesOf("docs"), ...pagesOf("docs/decisions")];
const CONTENT = new Map(
  await Promise.all(
    PAGES.map(async (page) => [page, await Deno.readTextFile(`${ROOT}/${page}`)] as const),
  ),
);

function pagesOf(folder: string): string[] {
  return [...Deno.readDirSync(`${ROOT}/${folder}`)].map((e) => `${folder}/${e.name}`)
    .filter((path) => path.endsWith(".md")).sort();
}

function commandsOf(page: string): DocBlock[] {
  return blocksOf(CONTENT.get(page) ?? "").filter((b) => /^(?:sh|console)$/.test(b.language));
}

for (const page of PAGES) {
  const blocks = commandsOf(page).filter((block) => block.notRun === undefined);
  if (blocks.length === 0) continue;
  if (OWN_TEST[page] !== undefined) {
    Deno.test(`the commands of ${page} have a test of their own`, () => {
      assertMatch(Deno.readTextFileSync(`${ROOT}/${OWN_TEST[page]}`), new RegExp(page));
    });
    continue;
  }
  Deno.test(`the commands of ${page} do what it says`, async () => {
    await using home = await ScratchHome.make();
    const cwd = await checkout(home);
    for (const block of blocks) {
      const fault = await runBlock(block, home, cwd);
      assertEquals(fault, undefined, `${page}, line ${block.line}`);
    }
  });
}

Deno.test("blocks that are not run are those that are known, each with its reason", () => {
  const found = PAGES.flatMap((page) =>
    commandsOf(page).flatMap(({ notRun }) => notRun === undefined ? [] : [[page, notRun]])
  );
  assertEquals(found, NOT_RUN.map((row) => [...row]));
});

Deno.test("a block says what it holds, and commands stand in none but those that are run", () => {
  const faults = [];
  for (const [page, text] of CONTENT) {
    for (const { language, line, text: body } of blocksOf(text)) {
      const isReference = page === "docs/cli.md" && language === "";
      if (isReference || /^(?:sh|console)$/.test(language)) continue;
      const command = /^(?:\$ )?(?:npx|deno|hoist|hoist-mcp|hai-mcp|claude) /m.exec(body)?.[0];
      if (command !== undefined) faults.push(`${page}:${line} holds "${command}"`);
      if (language !== "" && !NO_COMMANDS.includes(language)) {
        faults.push(`${page}:${line} is ${language}`);
      }
    }
  }
  assertEquals(faults, []);
});

Deno.test("links with an anchor lead to a heading", () => {
  const faults = [];
  for (const [page, text] of CONTENT) {
    for (const [, target = "", anchor = ""] of text.matchAll(/\]\(([^)#\s]*)#([^)\s]*)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const path = target === ""
        ? page
        : new URL(target, `file:///${page}`).pathname.slice("/".length);
      const headings = (CONTENT.get(path) ?? "").matchAll(/^#+ (.*)$/gm);
      const anchors = [...headings].map(([, heading = ""]) => anchorOf(heading));
      if (!anchors.includes(anchor)) faults.push(`${page} -> ${target}#${anchor}`);
    }
  }
  assertEquals(faults, []);
});

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}
