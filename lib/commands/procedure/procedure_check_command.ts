/**
 * `hoist procedure check`: explains a procedure in words, and checks that it fits a server.
 *
 * @module
 */

import { explain } from "../../procedure/explain.ts";
import { readProcedure } from "../../procedure/read_procedure.ts";
import { toolFaults, unusedInputs } from "../../procedure/run/verify_tools.ts";
import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { CLIENT_FLAGS, parseHttpFlags } from "../../proxy_options/http_flags.ts";
import type { FileStore } from "../../ports/files.ts";
import type { ListTools } from "../../ports/list_tools.ts";

/** The table of `hoist procedure check`. */
export const PROCEDURE_CHECK_FLAGS: FlagTable = {
  program: "hoist procedure check",
  summary: "Explains a procedure in words, and compares its tools with a server's.",
  examples: ["hoist procedure check cancel.json -- hoist-mcp-demo --world retail"],
  usage: ["FILE", "FILE -- SERVER_COMMAND...", "FILE --upstream URL"],
  positionals: ["FILE"],
  flags: CLIENT_FLAGS,
  command: true,
  notes: [
    "With a server, its tools are listed and none is called.\n" +
    "Exit status: 0 the procedure can be used; 1 it cannot be read, or the server lacks a tool or\n" +
    "has another contract; 2 wrong usage.",
  ],
};

/** What the command works with: the procedure's file, and the server's tools. */
interface CheckPorts {
  readonly files: Pick<FileStore, "readText">;
  readonly listTools: ListTools;
}

/** Runs `hoist procedure check`. */
export const procedureCheckCommand = commandOf(PROCEDURE_CHECK_FLAGS, check);

async function check({ values, runtime, files, listTools }: Run<CheckPorts>): Promise<number> {
  const [path] = values.positionals;
  if (path === undefined) throw new UsageError("The procedure's FILE is missing");
  const http = parseHttpFlags(values, undefined);
  if (typeof http === "string") throw new UsageError(http);
  const command = values.command ?? [];
  if (http.upstream !== undefined && values.command !== undefined) {
    throw new UsageError("--upstream and a command after -- exclude each other");
  }
  if (values.command !== undefined && (command[0] ?? "") === "") {
    throw new UsageError("The server's command after -- is empty");
  }
  const procedure = readProcedure(await files.readText(path), path);
  runtime.print(explain(procedure).join("\n"));
  for (const name of unusedInputs(procedure)) runtime.say(`input "${name}" is taken by no action`);
  if (http.upstream === undefined && values.command === undefined) return 0;
  const faults = toolFaults(
    procedure,
    await listTools({ command, upstream: http.upstream }, runtime),
  );
  for (const fault of faults) runtime.say(fault);
  if (faults.length === 0) runtime.say("the server has every tool it calls, with these contracts");
  return faults.length === 0 ? 0 : 1;
}
