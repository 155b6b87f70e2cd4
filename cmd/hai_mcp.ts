/**
 * hai-mcp: the control plane. Agents ask it before they act; it judges and
 * records, and does no work itself.
 *
 * @module
 */

import { denoHost } from "../lib/runtime/deno_host.ts";
import { runHai } from "../lib/commands/hai/hai_commands.ts";
import type { Host } from "../lib/ports/host.ts";

/**
 * Runs hai-mcp.
 *
 * @param args The command line after the program's name.
 * @param host The machine; this one by default.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  host: Host = denoHost("hai-mcp"),
): Promise<number> {
  try {
    return await runHai(args, host);
  } catch (error) {
    host.say(error instanceof Error ? error.message : "a fault");
    return 1;
  }
}

/** The machine a program runs on. */
export type { Host };

if (import.meta.main) Deno.exit(await main(Deno.args));
