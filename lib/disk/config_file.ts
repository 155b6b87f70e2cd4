/**
 * Reads and writes configuration files of other programs: byte for byte, with their mode, and
 * through a symlink.
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";
import { removeIfThere, writeFileAtomically } from "./atomic_write.ts";

/**
 * Reads a text file to the byte, byte order mark included.
 *
 * @param path The file.
 * @returns Its text; undefined when there is no such file.
 * @throws {Error} When it cannot be read, or is not UTF-8; the message names the file.
 */
export async function readConfigFile(path: string): Promise<string | undefined> {
  try {
    const bytes = await Deno.readFile(path);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    const why = error instanceof TypeError ? "it is not UTF-8 text" : reasonOf(error);
    throw new Error(`Cannot read "${path}": ${why}`, { cause: error });
  }
}

/**
 * Writes a text file atomically. An existing file keeps its mode, and a symlink to it stays; a new
 * file gets 0600, its folder 0700.
 *
 * @param path The file.
 * @param text Its content.
 * @throws {Error} When it cannot be written; the message names the file.
 */
export async function writeConfigFile(path: string, text: string): Promise<void> {
  try {
    const real = await realPath(path);
    const mode = await Deno.stat(real).then((s) => s.mode, () => null);
    const folder = real.replace(/[/\\][^/\\]*$/, "");
    if (folder !== "") await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    writeFileAtomically(real, text, { mode: 0o600 });
    if (mode !== null && Deno.build.os !== "windows") await Deno.chmod(real, mode & 0o777);
  } catch (error) {
    throw new Error(`Cannot write "${path}": ${reasonOf(error)}`, { cause: error });
  }
}

/** Removes a file that may be missing. */
export function removeConfigFile(path: string): void {
  removeIfThere(path);
}

async function realPath(path: string): Promise<string> {
  return (await Deno.realPath(path).catch(() => path)).replaceAll("\\", "/");
}
