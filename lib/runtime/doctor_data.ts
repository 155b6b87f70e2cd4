/**
 * Opens what a user's sessions have left and what their configurations name, for `hoist doctor --data`.
 *
 * @module
 */

import { scanLog } from "../disk/read_log.ts";
import { readFlow } from "../flow/file/read_flow.ts";
import type { DataFile } from "../ports/machine.ts";
import { reasonOf } from "../text/reason.ts";
import { readLock } from "../tool_lock/tools_lock.ts";

/**
 * Opens a file and reads it to its end.
 *
 * @param file The file, and what it should be.
 * @returns What is wrong with it, or worth knowing; undefined when nothing is.
 */
export async function dataFault(
  { kind, path }: DataFile,
): Promise<{ readonly isBroken: boolean; readonly says: string } | undefined> {
  try {
    if (kind === "log") {
      const { problems } = await scanLog(path, () => {});
      const [cut] = problems;
      return cut && { isBroken: false, says: `line ${cut.line}: ${cut.message}` };
    }
    if (kind === "index") await checkIndex(path);
    else {
      const text = await Deno.readTextFile(path);
      if (kind === "flow") readFlow(text, path);
      else readLock(text, path);
    }
    return undefined;
  } catch (error) {
    return { isBroken: true, says: reasonOf(error) };
  }
}

/** Reads the whole database. It can be made again from the logs. */
async function checkIndex(path: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const found = database.prepare("pragma quick_check").get()?.["quick_check"];
    if (found !== "ok") throw new Error(`${found}; delete it, hoist console makes it again`);
  } finally {
    database.close();
  }
}
