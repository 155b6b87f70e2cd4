/**
 * `hoist completions`: prints a completion script for a shell.
 *
 * @module
 */

import { commandOf, type Run, UsageError } from "../cli/command.ts";
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
  notes: ["The first lines of the script say where to put it."],
};

/** Runs `hoist completions`. */
export const completionsCommand = commandOf(COMPLETIONS_FLAGS, printCompletions);

function printCompletions(
  { values, runtime, tables }: Run<{ readonly tables: readonly FlagTable[] }>,
): Promise<number> {
  const [given] = values.positionals;
  const shell = SHELLS.find((name) => name === given);
  if (shell === undefined) {
    throw new UsageError(
      given === undefined ? "Missing SHELL" : `SHELL is ${SHELLS.join(", ")}, not "${given}"`,
    );
  }
  runtime.print(completions(shell, tables).trimEnd());
  return Promise.resolve(0);
}
