/**
 * The sessions on this machine's disk, for the commands that read them.
 *
 * @module
 */

import { listLogs, readLog, scanLog } from "./read_log.ts";
import type { LogStore } from "../ports/files.ts";

/** Session logs on disk. */
export const diskLogs: LogStore = {
  isFolder: async (path) => (await Deno.stat(path)).isDirectory,
  list: listLogs,
  read: readLog,
  scan: scanLog,
};
