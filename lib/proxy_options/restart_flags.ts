/**
 * The flags of a session that survives its server, and the options they make.
 *
 * @module
 */

import type { FlagReader } from "../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../flags/flags.ts";

/** The flags. */
export const RESTART_FLAGS: readonly Flag[] = [
  {
    name: "restart",
    help: "Start the server again when it ends; the host keeps its session. Requests that the " +
      "server had are answered with an error, or made again if they only read. Five ends within " +
      "a minute end the session.",
  },
  {
    name: "watch",
    value: "PATH",
    repeat: true,
    help: "Restart the server after a change of this file or folder, once open requests are " +
      "answered. Implies --restart.",
  },
];

/** How a session survives its server. */
export interface RestartOptions {
  /** `--watch`: files and folders. */
  readonly watch: readonly string[];
}

/**
 * Reads the flags.
 *
 * @param values The command line's values.
 * @param read Reads paths.
 * @returns The options; undefined when a server is started once.
 */
export function parseRestart(values: FlagValues, read: FlagReader): RestartOptions | undefined {
  const watch = read.paths("watch");
  return watch.length === 0 && !values.has("restart") ? undefined : { watch };
}
