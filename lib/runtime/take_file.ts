/**
 * Takes a secret from a file: reads it, and removes the file, so that nobody reads it after us.
 *
 * @module
 */

/** More is no secret. */
const MAX_BYTES = 65_536;

/**
 * Takes a file.
 *
 * @param path A plain file that nobody else can read.
 * @returns Its text.
 * @throws {Error} When it is missing, a link, or readable by others; then it stays.
 */
export function takeFile(path: string): string {
  const { isFile, mode, size } = Deno.lstatSync(path);
  if (!isFile) throw new Error("it is no plain file");
  if (((mode ?? 0) & 0o077) !== 0) throw new Error("others may read it; chmod 600");
  if (size > MAX_BYTES) throw new Error("it is too large");
  const text = Deno.readTextFileSync(path);
  Deno.removeSync(path);
  return text;
}
