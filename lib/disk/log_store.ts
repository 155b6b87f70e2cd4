/**
 * The sessions on this machine's disk, for the commands that read them.
 *
 * @module
 */

import type { LogStore } from "../commands/sessions/episodes_command.ts";
import { listLogs, readLog } from "./read_log.ts";

/** Session logs on disk. */
export const diskLogs: LogStore = {
  isFolder: async (path) => (await Deno.stat(path)).isDirectory,
  list: listLogs,
  read: readLog,
};
