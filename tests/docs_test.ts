/**
 * docs/ against the code: the command line reference is made from the flag
 * tables, links lead somewhere, and the README's commands are real tasks.
 *
 * `deno task golden` rewrites docs/cli.md.
 */

import { assert, assertEquals } from "@std/assert";
import denoJson from "../deno.json" with { type: "json" };
import { parseFlags, usage } from "../lib/flags/flags.ts";
import { COMMANDS, flagTables } from "../lib/commands/hoist_commands.ts";
import { haiMapJsonSchema } from "../lib/intercept/hai/map.ts";
import { procedureJsonSchema } from "../lib/procedure/procedure_schema.ts";
import { ROOT } from "./util/executables.ts";

const FLAG_TABLES = await flagTables();

const HEAD = `# Command line

Made from the flag tables by \`deno task golden\`; the same texts are what \`--help\` prints.

In every program: stdout carries the product alone, and everything else goes to stderr, each line
after the program's name. A wrong command line gets a message that names the flag, and status 2.
A leading \`~\` in a path is the home directory. \`--help\` and \`--version\` print on stdout.

## Exit status

| program | 0 | 1 | 2 | other |
| --- | --- | --- | --- | --- |
| \`hoist-mcp\` | the server's; the end of a session with \`--upstream\`, or of \`--listen\` | the server's | the command line, or a file that it names; the server's | 125: the log cannot be created, the server cannot start, or \`hoist-mcp\` fails; else the server's, 128+n after signal n |
| \`hoist\` | done | a file cannot be read or written, or the answer is no (\`log-check\`, \`flow-check\`, \`doctor\`, \`procedure check\`) | the command line | |
| \`hoist drift\`, \`hoist flow-diff\` | no | yes: an alarm, a change to review | anything else went wrong | |
| \`hoist context-hook\` | done | anything else | never: Claude Code would refuse the prompt | |
| \`hoist-procedure\` | resolved, done or transferred | the server or the protocol failed | the command line, or a file that it names | 3: handed back |
| \`hoist-mcp-demo\` | stdin ended, or a signal with \`--http\` | it cannot listen | the command line | |
`;

function reference(): string {
  return HEAD +
    FLAG_TABLES.map((t) => `\n## ${t.program}\n\n\`\`\`\n${usage(t)}\n\`\`\`\n`).join("");
}

Deno.test("docs/cli.md says what --help says", async () => {
  const path = `${ROOT}/docs/cli.md`;
  if (Deno.env.get("HOIST_GOLDEN") === "write") await Deno.writeTextFile(path, reference());
  assertEquals(await Deno.readTextFile(path), reference());
});

Deno.test("every program and every command has its table, and an example that it takes", () => {
  const programs = Object.keys(denoJson.exports).filter((name) => name !== ".")
    .map((name) => name.slice("./".length));
  const wanted = [...programs, ...Object.keys(COMMANDS).map((name) => `hoist ${name}`)];
  const names = FLAG_TABLES.map((table) => table.program);
  assertEquals(wanted.filter((name) => !names.includes(name)), []);
  const faults = [];
  for (const table of FLAG_TABLES) {
    const { program, examples = [] } = table;
    if (examples.length === 0) faults.push(`${program} has no example`);
    for (const example of examples) {
      const words = example.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'(.*)'$/, "$1")) ??
        [];
      const own = program.split(" ");
      assertEquals(words.slice(0, own.length), own);
      // Their examples call a command, which has a table.
      if (["hoist", "hoist auth", "hoist procedure"].includes(program)) continue;
      const parsed = parseFlags(table, words.slice(own.length), "0");
      if (parsed.kind === "refused") faults.push(`${example}: ${parsed.message}`);
    }
  }
  assertEquals(faults, []);
});

Deno.test("docs/procedure.schema.json is what procedure files are checked by", async () => {
  const path = `${ROOT}/docs/procedure.schema.json`;
  const text = JSON.stringify(procedureJsonSchema(), null, 2) + "\n";
  if (Deno.env.get("HOIST_GOLDEN") === "write") await Deno.writeTextFile(path, text);
  assertEquals(await Deno.readTextFile(path), text);
});

Deno.test("docs/hai_map.schema.json is what maps are checked by", async () => {
  const path = `${ROOT}/docs/hai_map.schema.json`;
  const text = JSON.stringify(haiMapJsonSchema(), null, 2) + "\n";
  if (Deno.env.get("HOIST_GOLDEN") === "write") await Deno.writeTextFile(path, text);
  assertEquals(await Deno.readTextFile(path), text);
});

async function pages(): Promise<string[]> {
  const found = ["README.md"];
  for (const folder of ["docs", "docs/decisions"]) {
    for (const { name } of Deno.readDirSync(`${ROOT}/${folder}`)) {
      if (name.endsWith(".md")) found.push(`${folder}/${name}`);
    }
  }
  assert(found.length > 5);
  return await Promise.resolve(found);
}

Deno.test("README.md is at most 150 lines", async () => {
  const lines = (await Deno.readTextFile(`${ROOT}/README.md`)).trimEnd().split("\n");
  assert(lines.length <= 150, `${lines.length} lines`);
});

Deno.test("links between the pages lead somewhere", async () => {
  const faults = [];
  for (const page of await pages()) {
    const text = await Deno.readTextFile(`${ROOT}/${page}`);
    for (const [, target = ""] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const path = new URL(target, `file://${ROOT}/${page}`).pathname;
      if (await Deno.stat(path).then(() => false, () => true)) faults.push(`${page} -> ${target}`);
    }
  }
  assertEquals(faults, []);
});

Deno.test("every `deno task` that a page names is in deno.json", async () => {
  const faults = [];
  for (const page of await pages()) {
    const text = await Deno.readTextFile(`${ROOT}/${page}`);
    for (const [, task = ""] of text.matchAll(/(?:deno(?:@[\d.]+)?) task ([a-z:]+)/g)) {
      if (!Object.hasOwn(denoJson.tasks, task)) faults.push(`${page}: ${task}`);
    }
  }
  assertEquals(faults, []);
});

Deno.test("files and folders that a page names in code exist", async () => {
  const faults = [];
  for (const page of await pages()) {
    const text = await Deno.readTextFile(`${ROOT}/${page}`);
    for (const [, path = ""] of text.matchAll(/`((?:lib|cmd|tests|docs|testdata)\/[\w./-]+)`/g)) {
      if (await Deno.stat(`${ROOT}/${path}`).then(() => false, () => true)) {
        faults.push(`${page}: ${path}`);
      }
    }
  }
  assertEquals(faults, []);
});
