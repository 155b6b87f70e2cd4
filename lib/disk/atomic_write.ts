/**
 * Writes a whole file or leaves the old one: temporary file beside it, flushed
 * to the disk, renamed over the target, folder flushed.
 *
 * A symlink at the target is replaced, never followed. The temporary file is
 * removed when something fails.
 *
 * @module
 */

/** Options of {@linkcode writeFileAtomically}. */
export interface AtomicWriteOptions {
  /**
   * Permission bits of the file.
   *
   * @default {0o600}
   */
  readonly mode?: number;
  /**
   * Whether the folder is flushed too, so that the rename survives a power cut.
   *
   * @default {true}
   */
  readonly flushFolder?: boolean;
}

/**
 * Writes a text file atomically.
 *
 * @param path The file; its folder exists.
 * @param text The whole content.
 * @param options Mode and flushing.
 */
export function writeFileAtomically(
  path: string,
  text: string,
  options: AtomicWriteOptions = {},
): void {
  const { mode = 0o600, flushFolder: isFolderFlushed = true } = options;
  const temporary = writeBeside(path, text, mode);
  try {
    Deno.renameSync(temporary, path);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
  if (isFolderFlushed) flushFolder(path.slice(0, path.lastIndexOf("/")));
}

/**
 * The first half of an atomic write: the whole content in a file of its own.
 *
 * @param path The file that is meant; its folder exists.
 * @param text The whole content.
 * @param mode Permission bits of the file.
 * @returns The temporary file, flushed, to be renamed over the one that is meant.
 */
export function writeBeside(path: string, text: string, mode: number): string {
  const cut = path.lastIndexOf("/");
  // By chance, not by pid: in a container every process has the same one.
  const chance = crypto.randomUUID().slice(0, 8);
  const temporary = `${path.slice(0, cut)}/.${path.slice(cut + 1)}.${chance}.tmp`;
  try {
    writeAndFlush(temporary, new TextEncoder().encode(text), mode);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
  return temporary;
}

/**
 * Flushes a folder, so that names made or removed in it last.
 *
 * @param folder The folder.
 */
export function flushFolder(folder: string): void {
  if (Deno.build.os === "windows") return; // Folders cannot be opened there.
  const file = Deno.openSync(folder);
  try {
    file.syncSync();
  } finally {
    file.close();
  }
}

/**
 * Removes a file that may be missing.
 *
 * @param path The file.
 */
export function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function writeAndFlush(path: string, bytes: Uint8Array, mode: number): void {
  const file = Deno.openSync(path, { write: true, createNew: true, mode });
  try {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
    file.syncSync();
  } finally {
    file.close();
  }
}
