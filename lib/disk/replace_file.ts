/**
 * Replaces a file whole: another reader sees the old content or the new, never
 * a part, also when the machine stops in between.
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";

/**
 * Writes a file under a temporary name in the same folder, then renames it. What is there and
 * no file, a device or a pipe, is written to.
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
  const cut = path.lastIndexOf("/");
  const dir = cut < 0 ? "." : path.slice(0, cut) || "/";
  const temporary = `${path}.${Deno.pid}.tmp`;
  const stop = interruption(temporary);
  try {
    await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
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
    const why = reasonOf(error);
    throw new Error(`Cannot write "${path}": ${why}`, { cause: error });
  } finally {
    stop();
  }
}

/** A device or a pipe, such as /dev/null, is written to: a file in its place is not what is meant. */
async function writeInto(path: string, text: string): Promise<void> {
  try {
    await Deno.writeTextFile(path, text, { create: false, append: true });
  } catch (error) {
    const why = reasonOf(error);
    throw new Error(`Cannot write "${path}": ${why}`, { cause: error });
  }
}

/** Signals that a person stops a command with, and the status of a program they ended. */
const SIGNALS: readonly (readonly [Deno.Signal, number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 130]]
  : [["SIGINT", 130], ["SIGTERM", 143]];

/** Until it is called off, a signal removes the temporary file before it ends the program. */
function interruption(temporary: string): () => void {
  const listeners = SIGNALS.map(([signal, status]) => {
    const end = () => {
      try {
        Deno.removeSync(temporary);
      } catch {
        // It was not made yet, or has its name already.
      }
      Deno.exit(status);
    };
    Deno.addSignalListener(signal, end);
    return () => Deno.removeSignalListener(signal, end);
  });
  return () => listeners.forEach((remove) => remove());
}
