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

The rights of each program: at its start, and after the first message is relayed. \`deno task golden\` makes this page from
the code; \`tests/e2e/permissions_test.ts\` starts every mode and checks it.

Deno enforces these rights for the program itself. The server that \`hoist-mcp\` starts has all rights of its user, as it
has without the proxy.

## hoist-mcp

The first row of a mode lists the rights it starts with: \`hoist-mcp --print-permissions …\` prints them for any options, and
\`hoist init --form deno\` writes them. The second row lists the rights during the session: on stdio mostly none. A mode
that needs rights later (HTTP, a conversation, an oracle, approvals) runs the session in a worker with exactly these rights, and the
main program has none. \`HOIST_DEBUG=permissions\` prints the remaining rights on stderr.

An empty field grants nothing. No mode is granted ffi or import, and sys (networkInterfaces) only at the start of a --listen on 0.0.0.0 or [::], whose URLs name the addresses of the machine. PACKAGE is the package's folder, from which the worker
is loaded; a compiled program needs no right for that.
`;

const TAIL = `
With a list of commands in run, Deno refuses to start any of them while the environment holds \`LD_*\` or \`DYLD_*\`
variables; \`hoist doctor\` reports that. Of the compiled programs it affects \`--listen\` only.

## Compiled programs

A compiled program starts with these rights and \`--no-prompt\`: any other right is refused without a question.

`;

const HOIST = `
## hoist

Before a command runs, \`hoist\` drops all rights but \`read\`, \`write\`, \`env\` and those in this table:

`;

const SERVERS = `
## hai-mcp and hoist-mcp-demo

Before it serves, \`hai-mcp\` drops all rights but \`read\`, \`write\`, \`env\`, and \`net\` over HTTP or with the \`ntfy\`
channel, and \`run\` with the \`touchid\` channel. \`hoist-mcp-demo\` drops all rights, over HTTP all but \`net\`.
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
