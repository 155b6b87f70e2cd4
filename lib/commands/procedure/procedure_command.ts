/**
 * `hoist procedure`: finds the subcommand, compile or check, and runs it.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import { withoutCommand } from "../../cli/without_command.ts";
import type { FlagTable } from "../../flags/flags.ts";
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
    "'hoist procedure COMMAND --help' describes each.",
  ],
};

/** What the subcommands work with. */
export interface ProcedurePorts {
  readonly files: FileStore;
  readonly listTools: ListTools;
}

/**
 * Runs `hoist procedure`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Where to print.
 * @param ports Files and servers.
 * @returns The exit status.
 */
export async function procedureCommand(
  args: readonly string[],
  runtime: Runtime,
  ports: ProcedurePorts,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === "compile") {
    const { procedureCompileCommand } = await import("./procedure_compile_command.ts");
    return await procedureCompileCommand(rest, runtime, ports);
  }
  if (name === "check") {
    const { procedureCheckCommand } = await import("./procedure_check_command.ts");
    return await procedureCheckCommand(rest, runtime, ports);
  }
  return withoutCommand(PROCEDURE_FLAGS, args, { runtime, names: ["compile", "check"] });
}
