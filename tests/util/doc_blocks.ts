/**
 * Command blocks of the documentation: finding them, and running them as a reader would.
 *
 * A block of `sh` is a script that has to succeed. A block of `console` holds commands
 * after `$` and what they print; `…` stands for anything, alone on a line for any lines.
 * A block that cannot be run by a test says why in a comment before it:
 * `<!-- not run: REASON -->`.
 *
 * @module
 */

import { ROOT } from "./executables.ts";
import type { ScratchHome } from "./scratch_home.ts";

/** A fenced block. */
export interface DocBlock {
  /** The line its fence is on, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Why it is not run; undefined when it is. */
  readonly notRun: string | undefined;
}

/** Every fenced block of a page. */
export function blocksOf(page: string): DocBlock[] {
  const lines = page.split("\n");
  const blocks: DocBlock[] = [];
  for (let i = 0; i < lines.length; i++) {
    const language = /^```(\w*)(?: ignore)?$/.exec(lines[i] ?? "")?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf("```", i + 1);
    const before = lines.slice(0, i).findLast((line) => line.trim() !== "") ?? "";
    blocks.push({
      line: i + 1,
      language,
      text: lines.slice(i + 1, end).join("\n"),
      notRun: /^<!-- not run: (.+) -->$/.exec(before)?.[1],
    });
    i = end;
  }
  return blocks;
}

/** Where a page's variables and folder go from one command to the next. */
const STATE = '"$HOME/.state"';

/** What a checkout holds that commands of the documentation use. */
const CHECKOUT = [
  ".ci",
  "cmd",
  "lib",
  "main.ts",
  "mod.ts",
  "deno.json",
  "deno.lock",
  "tests",
  "testdata",
];

/** Makes a copy of the repository, in which commands may leave files. */
export async function checkout(home: ScratchHome): Promise<string> {
  const dir = `${home.dir}/hoist`;
  await Deno.mkdir(dir);
  const from = CHECKOUT.map((name) => `${ROOT}/${name}`);
  const { code, err } = await home.run(["cp", "-r", ...from, dir]);
  if (code !== 0) throw new Error(err);
  return dir;
}

/**
 * Runs a block.
 *
 * @param block The block.
 * @param home Whose programs it runs.
 * @param cwd The folder it runs in.
 * @returns What went wrong; undefined when it did as the page says.
 */
export async function runBlock(
  block: DocBlock,
  home: ScratchHome,
  cwd: string,
): Promise<string | undefined> {
  const steps = block.language === "sh"
    ? [{ command: block.text, wanted: undefined }]
    : stepsOf(block.text);
  for (const { command, wanted } of steps) {
    const script = `set -e\nexec 2>&1\n[ -f ${STATE} ] && . ${STATE}\n${command}\n` +
      `{ export -p; echo "cd '$PWD'"; } > ${STATE}`;
    const { code, out } = await home.run(["sh", "-c", script], { cwd });
    const told = `${command}\n`;
    if (wanted === undefined && code !== 0) return `${told}ended with ${code}:\n${out}`;
    if (wanted !== undefined && !wanted.test(out)) return `${told}printed:\n${out}`;
  }
  return undefined;
}

/** The commands of a console block, and what each has to print. */
function stepsOf(text: string): { readonly command: string; readonly wanted: RegExp }[] {
  const steps = [];
  for (const part of `\n${text}`.split("\n$ ").slice(1)) {
    // A command goes on where its line ends in a backslash.
    const [, command = "", output = ""] = /^((?:[^\n]*\\\n)*[^\n]*)\n?([^]*)$/.exec(part) ?? [];
    const lines = output === ""
      ? []
      : output.split("\n").map((line) =>
        line === "…" ? "(?:.*\n)*?" : line.split("…").map(literally).join(".*") + "\n"
      );
    steps.push({ command, wanted: new RegExp(`^${lines.join("")}$`) });
  }
  return steps;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
