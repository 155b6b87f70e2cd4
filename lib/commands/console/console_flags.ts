/**
 * The command line of `hoist console`.
 *
 * @module
 */

import type { FlagTable } from "../../flags/flags.ts";

/** The table of `hoist console`. */
export const CONSOLE_FLAGS: FlagTable = {
  program: "hoist console",
  summary: "Shows recorded sessions in a browser, and follows those that are running.",
  examples: [
    "hoist console ~/.hoist/logs",
    "hoist console --export pages logs",
    "hoist console --no-open --listen 127.0.0.1:0 logs",
  ],
  usage: ["[OPTIONS] [DIR…]"],
  flags: [
    {
      name: "listen",
      value: "ADDR",
      help: "Loopback address and port. Default: 127.0.0.1:7878. Port 0 takes any free port.",
    },
    {
      name: "index",
      value: "DIR",
      help: "Keep the index there instead of in the first DIR, which may not be writable.",
    },
    {
      name: "answer",
      help:
        "Also show what waits for you, held calls and requests of hai-mcp, and take answers.\n" +
        "Each approval asks for a code that this terminal shows.",
    },
    {
      name: "approve-dir",
      value: "DIR",
      help: "The folder of held calls, with --answer. Default: ~/.hoist/approvals.",
    },
    {
      name: "export",
      value: "DIR",
      help: "Write the pages there as files that need no server, and exit.",
    },
    { name: "no-open", help: "Open no browser; the link is printed anyway." },
    {
      name: "print-permissions",
      help: "Print the flags of deno run that these options need, and exit.",
    },
  ],
  positionals: ["DIR…"],
  notes: [
    "DIR is what hoist-mcp --record was given, or the folder above; folders directly in it are read\n" +
    "too. Default: ~/.hoist/logs.",
    "The link holds a token that opens the console once, in one browser; the next one is printed\n" +
    "when it was used. See docs/console.md.",
    "Exit status: 0 ended by Ctrl+C or a signal; 1 the index or the address cannot be used;\n" +
    "2 wrong usage.",
  ],
};
