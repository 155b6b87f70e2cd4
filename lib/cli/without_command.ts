/**
 * Answers a command line that names no known command.
 *
 * @module
 */

import { type FlagTable, parseFlags, refuse } from "../flags/flags.ts";
import { VERSION } from "../flags/version.ts";
import type { Runtime } from "../ports/runtime.ts";
import { unknownCommand } from "../text/nearest.ts";

/**
 * Prints the help text or the version, or refuses.
 *
 * @param table The program's own command line.
 * @param args The arguments.
 * @param options Where to print, and the names of its commands.
 * @returns The exit status: 0 for `--help` and `--version`, else 2.
 */
export function withoutCommand(
  table: FlagTable,
  args: readonly string[],
  { runtime, names }: { readonly runtime: Runtime; readonly names: readonly string[] },
): number {
  const [name] = args;
  const fault = name === undefined ? "Missing command" : unknownCommand(name, names);
  const parsed = name?.startsWith("-") ? parseFlags(table, args, VERSION) : refuse(table, fault);
  if (parsed.kind === "text") {
    runtime.print(parsed.text);
    return 0;
  }
  const message = parsed.kind === "refused" ? parsed.message : "Missing command";
  message.split("\n").forEach(runtime.say);
  return 2;
}
