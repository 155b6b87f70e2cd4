/**
 * `hoist-procedure`: runs a compiled procedure against a server, without a model.
 *
 * @module
 */

import { permissionFlags, shellLine } from "../lib/proxy_options/permissions.ts";
import { parseProcedureFlags, procedureNeeds } from "../lib/commands/procedure/procedure_flags.ts";
import { denoHost, exit } from "../lib/runtime/deno_host.ts";
import type { Host } from "../lib/ports/host.ts";

/**
 * Runs the program.
 *
 * @param args The arguments after the program's name.
 * @param host The machine.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  host: Host = denoHost("hoist-procedure"),
): Promise<number> {
  const parsed = parseProcedureFlags(args, host.env("HOME") ?? host.env("USERPROFILE"));
  if (parsed.kind === "text") {
    host.print(parsed.text);
    return 0;
  }
  if (parsed.kind === "refused") {
    parsed.message.split("\n").forEach(host.say);
    return 2;
  }
  const { options } = parsed;
  if (options.printPermissions) {
    host.print(shellLine(permissionFlags(procedureNeeds(options))));
    return 0;
  }
  const { runProcedureProgram } = await import("../lib/commands/procedure/procedure_run.ts");
  return await runProcedureProgram(options, host);
}

if (import.meta.main) await exit(await main(Deno.args));
