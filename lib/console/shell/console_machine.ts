/**
 * The machine, as `hoist console` needs it: folders, a screen, the worker.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import { type HaiConfig, readHaiConfig } from "../../hai/state/config.ts";
import type { ConsoleOptions } from "../record/console_options.ts";
import { browserOpener, hasScreen, runConsoleWorker } from "./run_console.ts";

/**
 * Makes the machine of a command.
 *
 * @param runtime The machine.
 * @param self URL of the program's module.
 * @returns What the command works with.
 */
export function consoleMachine(runtime: Runtime, self: string) {
  return {
    folder(path: string, makes: boolean): string {
      if (makes) Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
      const real = Deno.realPathSync(path);
      if (!Deno.statSync(real).isDirectory) throw new Error(`"${path}" is not a folder`);
      return real;
    },
    haiConfig(runtime: Runtime): HaiConfig | undefined {
      const home = runtime.env("HOME") ?? runtime.env("USERPROFILE") ?? "/";
      const config = readHaiConfig((name) => runtime.env(name), home);
      // Nothing is made: whoever has no control plane is not given one by looking.
      return [config.home, config.ownerHome].every(isFolder) ? config : undefined;
    },
    hasScreen,
    opener: browserOpener(),
    source: Deno.build.standalone ? undefined : sourceFolder(self),
    run: (options: ConsoleOptions, onProgress: (text: string) => void) =>
      runConsoleWorker(options, runtime, self, onProgress),
  };
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** The package that a program's module is in, or the one file it was bundled into. */
function sourceFolder(self: string): string | undefined {
  if (!self.startsWith("file:")) return undefined;
  const path = decodeURIComponent(new URL(self).pathname);
  return path.replace(/\/cmd\/[\w.]+$/, "");
}
