/**
 * Reads a whole text file, plain or gzipped.
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";

/**
 * Reads a text file. A gzipped one is known by its first two bytes, whatever its name.
 *
 * @param path The file.
 * @returns Its text.
 * @throws {Error} When it cannot be read or its gzip stream is cut; the message names the file.
 */
export async function readText(path: string): Promise<string> {
  try {
    const bytes = await Deno.readFile(path);
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new TextDecoder().decode(bytes);
    const { gunzipSync } = await import("node:zlib"); // It reads several streams in one file too.
    return new TextDecoder().decode(gunzipSync(bytes));
  } catch (error) {
    const why = reasonOf(error);
    throw new Error(`Cannot read "${path}": ${why}`, { cause: error });
  }
}
