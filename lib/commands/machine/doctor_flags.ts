/**
 * The command line of `hoist doctor`.
 *
 * @module
 */

import type { FlagTable } from "../../flags/flags.ts";

/** The flags of `hoist doctor`. */
export const DOCTOR_FLAGS: FlagTable = {
  program: "hoist doctor",
  summary: "Checks this machine, and the hosts' configurations it finds.",
  examples: ["hoist doctor", "hoist doctor -- npx -y some-mcp-server"],
  usage: ["[OPTIONS] [-- SERVER_COMMAND...]"],
  flags: [
    {
      name: "record",
      value: "DIR",
      help: "Folder of logs to look at. Default: ~/.hoist/logs and those that configurations name.",
    },
    {
      name: "config",
      value: "FILE",
      repeat: true,
      help: "Look at this configuration instead of the hosts' own files; needs --host.",
    },
    { name: "host", value: "HOST", help: "Whose --config is, as hoist init names hosts." },
    {
      name: "start",
      help: "Start each server that hoist-mcp stands before in a configuration, as the host " +
        "would, and ask it to initialize.",
    },
    {
      name: "timeout",
      value: "SECONDS",
      help: "How long a server may take to answer. Default: 30.",
    },
    { name: "json", help: "Print JSON." },
  ],
  command: true,
  notes: [
    "A command after -- is started without hoist-mcp and asked to initialize. Of variables only\n" +
    "names are printed. Nothing is changed; no server is started without --start or --.",
    "Exit status: 0; 1 when something needs fixing; 2 when the command line is wrong.",
  ],
};
