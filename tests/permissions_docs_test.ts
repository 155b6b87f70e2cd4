/**
 * docs/permissions.md is made from what the programs compute and compile with;
 * tests/e2e/permissions_test.ts sees whether running programs hold to it.
 *
 * `deno task golden` rewrites it.
 */

import { assertEquals } from "@std/assert";
import { PROGRAMS } from "../.ci/compile.ts";
import {
  type PermissionNeeds,
  permissionNeeds,
  sessionNeeds,
  shellLine,
} from "../lib/proxy_options/permissions.ts";
import { COMMANDS } from "../lib/commands/hoist_commands.ts";
import { ROOT } from "./util/executables.ts";
import { MODES, optionsOf, oracleOf, WRITTEN } from "./util/permission_modes.ts";

const KINDS = ["run", "read", "write", "net", "env"] as const;

const HEAD = `# Permissions

What each program may do: at its start, and once the first message is relayed. Made from the code by
\`deno task golden\`; \`tests/e2e/permissions_test.ts\` starts every mode and looks.

Nothing but Deno holds a program to this, and it holds the program alone: the server that
\`hoist-mcp\` starts has all rights of its user, as it has without us.

## hoist-mcp

The first line of a mode is what it needs to start: \`hoist-mcp --print-permissions …\` prints it for any options,
and \`hoist init --form deno\` writes it. The second is what is left while the session runs.
On stdio that is mostly nothing. Where something is needed later (HTTP, a conversation, an oracle) the session runs in a worker
with exactly these rights, and the program around it has none. \`HOIST_DEBUG=permissions\` says on stderr what is left.

An empty field grants nothing. Nothing is ever granted of sys, ffi and import. PACKAGE is the folder of the package,
which such a worker is loaded from; a compiled program needs no right for that.
`;

const TAIL = `
Under a list of names Deno refuses to start any command while the environment holds \`LD_*\` or \`DYLD_*\` variables.
\`hoist doctor\` tells. Compiled, stdio modes are not concerned; \`--listen\` is.

## Compiled programs

A compiled program has these from its start, and \`--no-prompt\`: what is not granted is refused, never asked for.

`;

const HOIST = `
## hoist

Before a command runs, \`hoist\` gives up everything but \`read\`, \`write\`, \`env\`, and what the command
needs besides:

`;

const SERVERS = `
## hai-mcp and hoist-mcp-demo

Before it serves, \`hai-mcp\` gives up everything but \`read\`, \`write\`, \`env\`, and \`net\` over HTTP or with the \`ntfy\`
channel, and \`run\` with the \`touchid\` channel. \`hoist-mcp-demo\` gives up everything, over HTTP all but \`net\`.
`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
}

function page(): string {
  const cells = (needs: PermissionNeeds) =>
    KINDS.map((kind) => needs[kind].map((name) => name.replace(/^host:/, "HOST:")).join(", "));
  const modes = MODES.flatMap((mode) => {
    const args = mode(WRITTEN);
    const options = optionsOf(args);
    return [
      [
        `\`hoist-mcp ${shellLine(args)}\``,
        "start",
        ...cells(
          permissionNeeds(options, "PACKAGE/cmd/hoist_mcp.ts", oracleOf(options)),
        ),
      ],
      ["", "session", ...cells(sessionNeeds(options, oracleOf(options)))],
    ];
  });
  const programs = Object.entries(PROGRAMS).map(([name, flags]) => [
    `\`${name}\``,
    flags.map((flag) => flag.replace("--allow-", "")).join(", "),
  ]);
  const commands = Object.entries(COMMANDS)
    .flatMap(([name, { keeps }]) => keeps === undefined ? [] : [[`\`${name}\``, keeps.join(", ")]]);
  return HEAD + "\n" + table(["mode", "when", ...KINDS], modes) + TAIL +
    table(["program", "granted"], programs) + HOIST + table(["command", "keeps"], commands) +
    SERVERS;
}

Deno.test("docs/permissions.md says what the programs ask for, keep and compile with", async () => {
  const path = `${ROOT}/docs/permissions.md`;
  if (Deno.env.get("HOIST_GOLDEN") === "write") await Deno.writeTextFile(path, page());
  assertEquals(await Deno.readTextFile(path), page());
});
