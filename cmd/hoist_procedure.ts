/**
 * `hoist-procedure`: runs a compiled procedure against a server, without a model.
 *
 * @module
 */

import { permissionFlags, shellLine } from "../lib/proxy_options/permissions.ts";
import { parseProcedureFlags, procedureNeeds } from "../lib/commands/procedure/procedure_flags.ts";
import { denoRuntime, exit } from "../lib/runtime/deno_runtime.ts";
import type { Runtime } from "../lib/ports/runtime.ts";

/**
 * Runs the program.
 *
 * @param args The arguments after the program's name.
 * @param runtime The machine.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  runtime: Runtime = denoRuntime("hoist-procedure"),
): Promise<number> {
  const parsed = parseProcedureFlags(args, runtime.env("HOME") ?? runtime.env("USERPROFILE"));
  if (parsed.kind === "text") {
    runtime.print(parsed.text);
    return 0;
  }
  if (parsed.kind === "refused") {
    parsed.message.split("\n").forEach(runtime.say);
    return 2;
  }
  const { options } = parsed;
  if (options.printPermissions) {
    runtime.print(shellLine(permissionFlags(procedureNeeds(options))));
    return 0;
  }
  const { runProcedureProgram } = await import("../lib/commands/procedure/procedure_run.ts");
  return await runProcedureProgram(options, runtime);
}

if (import.meta.main) await exit(await main(Deno.args));
