/**
 * hai-mcp: the control plane. Agents ask it before they act; it judges and
 * records, and does no work itself.
 *
 * @module
 */

import { denoRuntime } from "../lib/runtime/deno_runtime.ts";
import { runHai } from "../lib/commands/hai/hai_commands.ts";
import type { Runtime } from "../lib/ports/runtime.ts";

/**
 * Runs hai-mcp.
 *
 * @param args The command line after the program's name.
 * @param runtime The machine; this one by default.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  runtime: Runtime = denoRuntime("hai-mcp"),
): Promise<number> {
  try {
    return await runHai(args, runtime);
  } catch (error) {
    runtime.say(error instanceof Error ? error.message : "a fault");
    return 1;
  }
}

/** The machine a program runs on. */
export type { Runtime };

if (import.meta.main) Deno.exit(await main(Deno.args));
