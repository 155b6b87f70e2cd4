/**
 * The real {@linkcode SetupMachine}: this machine's files, PATH and own program.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import type { ProxyProgram, SetupMachine } from "../ports/machine.ts";
import { VERSION } from "../flags/version.ts";
import { readConfigFile, removeConfigFile, writeConfigFile } from "../disk/config_file.ts";
import type { Runtime } from "../ports/runtime.ts";

/**
 * Makes the machine.
 *
 * @param runtime Where the environment comes from.
 * @returns The machine.
 */
export function setupMachine(runtime: Runtime): SetupMachine {
  return {
    os: Deno.build.os === "darwin" ? "macos" : Deno.build.os === "windows" ? "windows" : "linux",
    cwd: Deno.cwd(),
    self: ownProgram(runtime),
    find: (program) => findProgram(program, runtime.env("PATH") ?? ""),
    read: readConfigFile,
    write: writeConfigFile,
    remove: removeConfigFile,
  };
}

/** How `hoist-mcp` of this installation is started. */
function ownProgram(runtime: Runtime): ProxyProgram {
  const spec = runtime.env("HOIST_NPM"); // The launcher of the npm package sets it.
  if (spec !== undefined) return { kind: "npm", spec };
  const exe = Deno.build.os === "windows" ? ".exe" : "";
  const deno = Deno.execPath();
  if (Deno.build.standalone) {
    return { kind: "compiled", path: deno.replace(/[^/\\]*$/, `hoist-mcp${exe}`) };
  }
  const module = import.meta.url;
  const entry = module.startsWith("file:")
    ? fileURLToPath(new URL("../../cmd/hoist_mcp.ts", module))
    : `jsr:@hoist/mcp@${VERSION}/hoist-mcp`;
  return { kind: "deno", deno, entry };
}

/**
 * Finds the file of a command.
 *
 * @param program A name or a path.
 * @param path The folders to look in, as PATH has them.
 * @returns Its path; undefined where there is no executable.
 */
function findProgram(program: string, path: string): string | undefined {
  const isWindows = Deno.build.os === "windows";
  if (/[/\\]/.test(program)) return canRun(program) ? program : undefined;
  const endings = isWindows ? ["", ".exe", ".cmd", ".bat"] : [""];
  for (const folder of path.split(isWindows ? ";" : ":")) {
    for (const ending of endings) {
      const file = `${folder === "" ? "." : folder}/${program}${ending}`;
      if (canRun(file)) return file;
    }
  }
  return undefined;
}

function canRun(file: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(file);
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
