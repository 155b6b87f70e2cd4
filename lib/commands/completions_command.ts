/**
 * `hoist completions`: a script that teaches a shell our programs.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import { runCommand, UsageError } from "../cli/command.ts";
import { completions, SHELLS } from "../cli/completions.ts";
import type { FlagTable } from "../flags/flags.ts";

/** The command line of `hoist completions`. */
export const COMPLETIONS_FLAGS: FlagTable = {
  program: "hoist completions",
  summary: "Prints completions of every program for a shell.",
  usage: [SHELLS.join("|")],
  examples: ["hoist completions bash"],
  flags: [],
  positionals: ["SHELL"],
  notes: ["The first lines of what it prints say where it belongs."],
};

/**
 * Runs `hoist completions`.
 *
 * @param args The arguments after `completions`.
 * @param runtime Where to print.
 * @param tables The table of each program and each command.
 * @returns The exit status.
 */
export function completionsCommand(
  args: readonly string[],
  runtime: Runtime,
  tables: readonly FlagTable[],
): Promise<number> {
  return runCommand(COMPLETIONS_FLAGS, args, runtime, ({ positionals: [given] }) => {
    const shell = SHELLS.find((name) => name === given);
    if (shell === undefined) {
      throw new UsageError(
        given === undefined ? "Missing SHELL" : `SHELL is ${SHELLS.join(", ")}, not "${given}"`,
      );
    }
    runtime.print(completions(shell, tables).trimEnd());
    return Promise.resolve(0);
  });
}
