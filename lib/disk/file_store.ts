/**
 * The files on this machine's disk, for the commands that learn and measure.
 *
 * @module
 */

import type { FileStore } from "../cli/recordings.ts";
import { listLogs, readLog } from "./read_log.ts";
import { readText } from "./read_text.ts";
import { replaceFile } from "./replace_file.ts";

/** Files on disk. */
export const diskFiles: FileStore = { readText, replace: replaceFile, listLogs, readLog };
