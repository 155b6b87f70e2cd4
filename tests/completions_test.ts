/** Completions: what a real bash makes of them, and what shells that are here say of the syntax. */

import { assert, assertEquals } from "@std/assert";
import { completions, type Shell } from "../lib/cli/completions.ts";
import { flagTables } from "../lib/commands/hoist_commands.ts";

const FLAG_TABLES = await flagTables();

async function inShell(shell: string, args: readonly string[], cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(shell, {
    args: [...args],
    ...(cwd === undefined ? {} : { cwd }),
  }).output();
  const text = new TextDecoder();
  assertEquals([code, text.decode(stderr)], [0, ""]);
  return text.decode(stdout);
}

async function isHere(shell: string): Promise<boolean> {
  try {
    return (await new Deno.Command(shell, { args: ["-c", ""] }).output()).success;
  } catch {
    return false;
  }
}

/** What bash completes the last word to. */
async function completed(dir: string, words: readonly string[]): Promise<string[]> {
  const list = words.map((word) => `'${word}'`).join(" ");
  const call = `source ./script; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; ` +
    `_hoist_programs; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = await inShell("bash", ["--norc", "-c", call], dir);
  return out.split("\n").filter((line) => line !== "");
}

Deno.test("bash completes commands, flags, paths, and the server's own command", async () => {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/script`, completions("bash", FLAG_TABLES));
  await Deno.writeTextFile(`${dir}/a log.jsonl`, "");
  await inShell("bash", ["-n", `${dir}/script`]);
  const rows: readonly (readonly [string[], string[]])[] = [
    [["hoist", "flow-s"], ["flow-show"]],
    [["hoist", "learn", "--sess"], ["--sessions"]],
    [["hoist-mcp", "--lis"], ["--listen", "--listen-token-file", "--listen-idle"]],
    [["/opt/hoist-mcp", "--retain"], ["--retain-days"]],
    [["hoist-mcp", "--record", "a"], ["a log.jsonl"]],
    [["hoist-mcp", "--domain", "a"], []],
    [["hoist", "episodes", "a"], ["a log.jsonl"]],
    [["hai-mcp", "own"], ["owner"]],
    [["hai-mcp", "recall", "--w"], ["--why"]],
    [["hoist-mcp", "--", "compge"], ["compgen"]],
  ];
  for (const [words, wanted] of rows) {
    assertEquals(await completed(dir, words), wanted, words.join(" "));
  }
  await Deno.remove(dir, { recursive: true });
});

Deno.test("every program, command and flag is in each shell's completions", () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const script = completions(shell, FLAG_TABLES);
    for (const table of FLAG_TABLES) {
      for (const word of table.program.split(" ")) assert(script.includes(word), word);
      for (const { name } of table.flags) {
        assert(script.includes(shell === "fish" ? `-l ${name}` : `--${name}`), `${shell} ${name}`);
      }
    }
  }
});

for (const shell of ["zsh", "fish"] as const satisfies readonly Shell[]) {
  Deno.test({
    name: `${shell} reads its completions (skipped where there is no ${shell})`,
    ignore: !await isHere(shell),
    async fn() {
      const file = await Deno.makeTempFile();
      await Deno.writeTextFile(file, completions(shell, FLAG_TABLES));
      await inShell(shell, ["-n", file]);
      await Deno.remove(file);
    },
  });
}
