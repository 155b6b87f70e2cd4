/**
 * Writes a whole file or leaves the old one: another reader sees the old content or the new,
 * never a part, also after a power cut.
 *
 * The content goes to a temporary file in the same folder, which is flushed and renamed over the
 * target. A symlink at the target is replaced, never followed. The temporary file is removed when
 * something fails.
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";

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
  if (isFolderFlushed) flushFolder(folderOf(path));
}

/**
 * Writes the whole content to a temporary file: the first half of an atomic write.
 *
 * @param path The target; its folder exists.
 * @param text The whole content.
 * @param mode Permission bits of the file.
 * @returns The temporary file, flushed, to be renamed over the target.
 */
export function writeBeside(path: string, text: string, mode: number): string {
  const temporary = temporaryFor(path);
  try {
    writeAndFlush(temporary, new TextEncoder().encode(text), mode);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
  return temporary;
}

/**
 * Writes a text file atomically for a command: makes its folder, and removes the temporary file
 * when a signal ends the program. A device or a pipe at the path is written to, not replaced.
 *
 * @param path The file; made with mode 0600, its folder with 0700.
 * @param text Its new content.
 * @throws {Error} When it cannot be written; the message names the path, and no part is left.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const there = await Deno.stat(path).catch(() => undefined);
  if (there !== undefined && !there.isFile && !there.isDirectory) {
    return await writeInto(path, text);
  }
  const temporary = temporaryFor(path);
  const stop = interruption(temporary);
  try {
    await Deno.mkdir(folderOf(path), { recursive: true, mode: 0o700 });
    const file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
    try {
      const bytes = new TextEncoder().encode(text);
      for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await file.write(rest));
      await file.sync();
    } finally {
      file.close();
    }
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    // The system names a missing file here; the folder exists, and takes no new files.
    const why = error instanceof Deno.errors.NotFound
      ? `no file can be made in the folder "${folderOf(path)}"`
      : reasonOf(error);
    throw new Error(`Cannot write "${path}": ${why}`, { cause: error });
  } finally {
    stop();
  }
}

/**
 * Flushes a folder, so that created and removed names survive a power cut.
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

function folderOf(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? "." : path.slice(0, cut) || "/";
}

/** A name by chance, not by pid: in a container every process has the same one. */
function temporaryFor(path: string): string {
  const chance = crypto.randomUUID().slice(0, 8);
  return `${folderOf(path)}/.${path.slice(path.lastIndexOf("/") + 1)}.${chance}.tmp`;
}

async function writeInto(path: string, text: string): Promise<void> {
  try {
    await Deno.writeTextFile(path, text, { create: false, append: true });
  } catch (error) {
    throw new Error(`Cannot write "${path}": ${reasonOf(error)}`, { cause: error });
  }
}

/** Signals that stop a command, each with the exit status of a program it ended. */
const SIGNALS: readonly (readonly [Deno.Signal, number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 130]]
  : [["SIGINT", 130], ["SIGTERM", 143]];

/** Removes the temporary file when a signal ends the program; returns how to stop that. */
function interruption(temporary: string): () => void {
  const listeners = SIGNALS.map(([signal, status]) => {
    const end = () => {
      try {
        Deno.removeSync(temporary);
      } catch {
        // It does not exist yet, or is renamed already.
      }
      Deno.exit(status);
    };
    Deno.addSignalListener(signal, end);
    return () => Deno.removeSignalListener(signal, end);
  });
  return () => listeners.forEach((remove) => remove());
}
