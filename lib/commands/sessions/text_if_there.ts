/**
 * Reads a text file that may be missing.
 *
 * @module
 */

import { at } from "../../json/json.ts";
import type { FileStore } from "../../ports/files.ts";

/**
 * Reads a file. An unreadable file is not treated as missing, since a missing one would be
 * overwritten.
 *
 * @param files Where it is.
 * @param path Its name.
 * @returns Its text; undefined when there is no such file.
 * @throws {Error} When it exists and cannot be read.
 */
export async function textIfThere(
  files: Pick<FileStore, "readText">,
  path: string,
): Promise<string | undefined> {
  try {
    return await files.readText(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether an error means that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && at(error.cause, "code") === "ENOENT";
}
