/**
 * `hoist`: everything that works on recorded sessions.
 *
 * @module
 */

import { withoutCommand } from "../lib/cli/without_command.ts";
import { COMMANDS, HOIST_FLAGS } from "../lib/commands/hoist_commands.ts";
import { denoRuntime } from "../lib/runtime/deno_runtime.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { messageOf } from "../lib/text/reason.ts";

/**
 * Runs `hoist`.
 *
 * @param args The arguments.
 * @param runtime The machine.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  runtime: Runtime = denoRuntime("hoist"),
): Promise<number> {
  const [name, ...rest] = args;
  if (name !== undefined && Object.hasOwn(COMMANDS, name)) {
    const command = COMMANDS[name];
    if (command !== undefined) {
      runtime.keepOnly?.(["read", "write", "env", ...command.keeps ?? []]);
      return await orFail(command.run(rest, runtime, import.meta.url), runtime);
    }
  }
  return withoutCommand(HOIST_FLAGS, args, { runtime, names: Object.keys(COMMANDS) });
}

/** A report that could not be written (a full disk) has failed, whatever it says. */
async function orFail(status: Promise<number>, runtime: Runtime): Promise<number> {
  try {
    return await status;
  } catch (error) {
    runtime.say(messageOf(error));
    return 1;
  }
}

if ("WorkerGlobalScope" in globalThis) {
  // This module is also what the console's worker is made of. Nothing is awaited here: a worker gets
  // its first message when its module has been run.
  import("../lib/console/shell/console_worker.ts").then(({ serveConsole }) => serveConsole());
} else if (import.meta.main) Deno.exit(await main(Deno.args));
