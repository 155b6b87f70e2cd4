/**
 * Command lines of hai-mcp, a table a subcommand.
 *
 * @module
 */

import { VARIABLES } from "../../hai/state/config.ts";
import type { FlagTable } from "../../flags/flags.ts";

const ENVIRONMENT = [
  "Environment:",
  ...Object.entries(VARIABLES).map(([name, meaning]) => `  ${name.padEnd(27)}${meaning}`),
].join("\n");

/** `hai-mcp`: serves. */
export const SERVE_FLAGS: FlagTable = {
  program: "hai-mcp",
  summary: "An MCP server that governs agent work: missions, leases, drift checks, owner gate.",
  examples: ["hai-mcp", "hai-mcp --transport streamable-http --port 8765"],
  usage: [
    "[--transport stdio]",
    "--transport streamable-http [--host HOST] [--port PORT]",
    "owner|doctor|repair|recall|limits|hook|run …",
  ],
  flags: [
    {
      name: "transport",
      value: "NAME",
      help: "stdio or streamable-http; HAI_TRANSPORT, else stdio, by default.",
    },
    {
      name: "host",
      value: "HOST",
      help: "Host to bind; HAI_HTTP_HOST, else 127.0.0.1, by default. Others than loopback need " +
        "HAI_HTTP_TOKEN.",
    },
    {
      name: "port",
      value: "PORT",
      help: "Port to bind, 0 for a free one; HAI_HTTP_PORT, else 8765, by default.",
    },
  ],
  notes: [
    "Subcommands are for the owner, not for agents; each has --help. hook and run are for an agent's\n" +
    "host.",
    ENVIRONMENT,
    "Exit status: 0 the client left, 1 a fault, 2 a wrong command line or setting.",
  ],
};

/** `hai-mcp owner`: the owner's desk. */
export const OWNER_FLAGS: FlagTable = {
  program: "hai-mcp owner",
  summary: "Shows what waits for the owner, and approves or denies it. Needs a terminal.",
  examples: ["hai-mcp owner", "hai-mcp owner watch --notify", "hai-mcp owner approve ccdd"],
  usage: [
    "",
    "watch [--notify]",
    "show|approve|deny|later|undo [CHALLENGE …]",
    "pin",
    "leases",
    "revoke SESSION",
    "stop-all",
    "resume",
  ],
  flags: [
    {
      name: "notify",
      help: "With watch: a desktop notice for each request, by notify-send or osascript. The " +
        "program must be allowed to be run: --allow-run=notify-send.",
    },
  ],
  positionals: ["ACTION", "CHALLENGE…"],
  notes: [
    "CHALLENGE is an id or its last four letters, and may be left out when only one waits. An " +
    "approval counts as the code, once, for exactly the change and reason shown.",
    "watch waits, rings, shows each request whole and takes 'approve TAG' and the like; Ctrl-D " +
    "ends it. later lets a request wait as long again; undo takes back an approval that the agent " +
    "has not used.",
    "leases lists the running sessions, revoke ends one, stop-all ends all and grants no new one until " +
    "resume.",
    "pin makes the present gate, policy and key those that every server of this state must have.",
    "Exit status: 0 done, 1 nothing was decided, 2 a wrong command line.",
  ],
};

/** `hai-mcp doctor`: looks for faults. */
export const HAI_DOCTOR_FLAGS: FlagTable = {
  program: "hai-mcp doctor",
  summary: "Looks through the whole state and lists what is wrong. Changes nothing.",
  examples: ["hai-mcp doctor"],
  usage: ["[--full] [--json]"],
  flags: [
    {
      name: "full",
      help: "Verify the whole audit chain, not only what came after the last checkpoint.",
    },
    { name: "json", help: "Print the findings as JSON." },
  ],
  notes: ["Exit status: 0 nothing wrong, 1 something is, 2 a wrong command line."],
};

/** `hai-mcp repair`: mends faults. */
export const REPAIR_FLAGS: FlagTable = {
  program: "hai-mcp repair",
  summary: "Mends what the doctor finds, after a backup of the whole state.",
  examples: ["hai-mcp repair"],
  usage: ["[--yes]"],
  flags: [{ name: "yes", help: "Do not ask first; needed where there is no terminal." }],
  notes: ["Exit status: 0 nothing is wrong any more, 1 something is, 2 a wrong command line."],
};

/** `hai-mcp recall`: what never came to an end. */
export const RECALL_FLAGS: FlagTable = {
  program: "hai-mcp recall",
  summary: "Shows what was captured and is still open, and records how an item ended.",
  examples: ["hai-mcp recall --limit 5"],
  usage: [
    "[show] [--limit N] [--json]",
    "resolve ITEM --as OUTCOME --why TEXT [--mission MISSION]",
  ],
  flags: [
    { name: "limit", value: "N", help: "Items shown per backlog; 3 by default." },
    { name: "json", help: "Print JSON." },
    { name: "as", value: "OUTCOME", help: "resolved, dropped or promoted." },
    { name: "why", value: "TEXT", help: "Why." },
    { name: "mission", value: "MISSION", help: "The mission a promoted item became." },
  ],
  positionals: ["ACTION", "ITEM"],
  notes: ["Exit status: 0 done, 1 refused, 2 a wrong command line."],
};

/** `hai-mcp limits`: capacity and suspension. */
export const LIMITS_FLAGS: FlagTable = {
  program: "hai-mcp limits",
  summary: "Shows worker capacity, credits, and whether the owner suspended the limits.",
  examples: ["hai-mcp limits"],
  usage: ["[--json]"],
  flags: [{ name: "json", help: "Print JSON." }],
};

/** `hai-mcp hook`: asks the gate about the host's own tools. */
export const HOOK_FLAGS: FlagTable = {
  program: "hai-mcp hook",
  summary: "A PreToolUse hook for Claude Code: holds its own tools to the contract of a session.",
  examples: [
    "hai-mcp hook --session ~/.hai-session.json --settings",
    "hai-mcp hook --session ~/.hai-session.json",
  ],
  usage: ["--session FILE", "--session FILE --settings"],
  flags: [
    {
      name: "session",
      value: "FILE",
      help:
        "JSON with session_id and session_token of hai_authorize_session, for you alone (0600). " +
        "HAI_SESSION_FILE by default.",
    },
    { name: "settings", help: "Print what to put into a settings file of Claude Code." },
  ],
  notes: [
    "Files are judged by their paths. A shell command needs the capability shell, the network\n" +
    "network; what a command touches is not judged. Tools of MCP servers are left to hoist-mcp --hai.",
    "Exit status: 0 the host has its answer: a reason to deny, or none; 2 the call cannot be judged,\n" +
    "which denies it too, or a wrong command line.",
  ],
};

/** `hai-mcp run`: a host with a session of its own. */
export const RUN_FLAGS: FlagTable = {
  program: "hai-mcp run",
  summary:
    "Authorizes a session, starts a host with it, and releases the session when the host ends.",
  examples: ["hai-mcp run --lease ~/.hai-lease-files.json -- claude"],
  usage: ["[OPTIONS] -- HOST_COMMAND..."],
  flags: [
    {
      name: "lease",
      value: "FILE",
      repeat: true,
      help:
        "Write the session to this new file, which hoist-mcp --hai-lease takes and removes: one " +
        "for each proxy.",
    },
    {
      name: "session",
      value: "FILE",
      help:
        "Write it to this new file as well, for hai-mcp hook; it stays until the host ends. The " +
        "host finds its name in HAI_SESSION_FILE.",
    },
    { name: "mission", value: "MISSION", help: "The mission. Default: the active one." },
    {
      name: "criterion",
      value: "ID",
      repeat: true,
      help: "A criterion to work on. Default: all of the mission's.",
    },
    {
      name: "capability",
      value: "NAME",
      repeat: true,
      help: "What the host may do. Default: all that the contract grants.",
    },
    { name: "minutes", value: "N", help: "How long the session lasts, at most. Default: 60." },
    { name: "device", value: "DEVICE", help: "The device, for missions with a project." },
  ],
  command: true,
  notes: [
    "TERM, INT and HUP go on to the host. If this program is killed, the session ends by its time.",
    "Exit status: the host's; 1 no session was granted; 2 a wrong command line; 125 the host could\n" +
    "not be started.",
  ],
};
