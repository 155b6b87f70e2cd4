/**
 * The files on this machine's disk, for the commands that learn and measure.
 *
 * @module
 */

import { listFlowLogs, listLogs, readLog } from "./read_log.ts";
import { readText } from "./read_text.ts";
import { replaceFile } from "./atomic_write.ts";
import type { FlowLogStore } from "../ports/files.ts";

/** Files on disk. */
export const diskFiles: FlowLogStore = {
  readText,
  replace: replaceFile,
  listLogs,
  listFlowLogs,
  readLog,
};
