/**
 * The files on this machine's disk, for the commands that learn and measure.
 *
 * @module
 */

import type { FlowLogStore } from "../commands/sessions/recordings.ts";
import { listFlowLogs, listLogs, readLog } from "./read_log.ts";
import { readText } from "./read_text.ts";
import { replaceFile } from "./replace_file.ts";

/** Files on disk. */
export const diskFiles: FlowLogStore = {
  readText,
  replace: replaceFile,
  listLogs,
  listFlowLogs,
  readLog,
};
