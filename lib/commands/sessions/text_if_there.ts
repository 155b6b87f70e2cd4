/**
 * A text file that may be missing.
 *
 * @module
 */

import { at } from "../../json/json.ts";
import type { FileStore } from "../../ports/files.ts";

/**
 * Reads a file. One that is there and cannot be read is not taken for a missing one, which
 * would be written over.
 *
 * @param files Where it is.
 * @param path Its name.
 * @returns Its text; undefined when there is no such file.
 * @throws {Error} When it is there and cannot be read.
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

/** Whether something failed since there is no such file or folder. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && at(error.cause, "code") === "ENOENT";
}
