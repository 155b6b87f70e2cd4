/**
 * `hoist procedure`: the table of its subcommands.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import { type FlagTable, parseFlags, refuse } from "../../flags/flags.ts";
import { unknownCommand } from "../../text/nearest.ts";
import { VERSION } from "../../flags/version.ts";
import type { ListTools } from "../../ports/list_tools.ts";
import type { FileStore } from "../../ports/files.ts";

/** The table of `hoist procedure` itself. */
export const PROCEDURE_FLAGS: FlagTable = {
  program: "hoist procedure",
  summary: "Makes and checks procedures; hoist-procedure runs them.",
  examples: ["hoist procedure check cancel.json"],
  usage: ["compile [OPTIONS]", "check FILE [-- SERVER_COMMAND...]"],
  flags: [],
  notes: [
    "Commands:\n" +
    "  compile  Learn a procedure from recorded sessions.\n" +
    "  check    Explain a procedure in words, and compare its tools with a server's.",
    "'hoist procedure COMMAND --help' tells more.",
  ],
};

/** What the subcommands need of the machine. */
export interface ProcedureMachine {
  readonly files: FileStore;
  readonly listTools: ListTools;
}

/**
 * Runs `hoist procedure`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Where to print.
 * @param machine Files and servers.
 * @returns The exit status.
 */
export async function procedureCommand(
  args: readonly string[],
  runtime: Runtime,
  { files, listTools }: ProcedureMachine,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === "compile") {
    const { procedureCompileCommand } = await import("./procedure_compile_command.ts");
    return await procedureCompileCommand(rest, runtime, files);
  }
  if (name === "check") {
    const { procedureCheckCommand } = await import("./procedure_check_command.ts");
    return await procedureCheckCommand(rest, runtime, files, listTools);
  }
  const parsed = name?.startsWith("-") ? parseFlags(PROCEDURE_FLAGS, args, VERSION) : refuse(
    PROCEDURE_FLAGS,
    name === undefined ? "Missing command" : unknownCommand(name, ["compile", "check"]),
  );
  if (parsed.kind === "text") {
    runtime.print(parsed.text);
    return 0;
  }
  const message = parsed.kind === "refused" ? parsed.message : "Missing command";
  for (const line of message.split("\n")) runtime.say(line);
  return 2;
}
