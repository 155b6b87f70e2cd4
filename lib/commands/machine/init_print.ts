/**
 * What `hoist init` prints: a server's configuration or the command that adds it, and advice.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import type { HostKind } from "../../host_config/host_table.ts";
import type { NewServer } from "../../host_config/put_server.ts";
import {
  OWN_VARIABLES,
  type PassedVariables,
  PLACE_VARIABLES,
} from "../../host_config/passed_variables.ts";
import { type OracleNeeds, shellLine } from "../../proxy_options/permissions.ts";
import type { ProxyOptions } from "../../proxy_options/proxy_flags.ts";
import { fleeting, type ProxyLine } from "../../proxy_options/proxy_line.ts";
import type { ProxyProgram, SetupMachine } from "../../ports/machine.ts";

/** Variable that a host takes the token of `--listen-token-file` from. */
export const TOKEN_VARIABLE = "HOIST_PROXY_TOKEN";

/**
 * The configuration of one server, as the host's file would hold it.
 *
 * @param kind The host.
 * @param name The server's name there.
 * @param entry The server's entry.
 * @returns A whole file's text, without a final newline.
 */
async function snippet(
  kind: HostKind,
  name: string,
  entry: Readonly<Record<string, unknown>>,
): Promise<string> {
  const path = [...kind.servers[0] ?? [], name];
  if (kind.format === "json") {
    return JSON.stringify(path.reduceRight<unknown>((v, key) => ({ [key]: v }), entry), null, 2);
  }
  const { readTomlConfig } = await import("../../host_config/toml_config.ts");
  return (readTomlConfig("").add(path, entry)[0]?.text ?? "").trimEnd();
}

/**
 * Claude Code's own command that adds a server.
 *
 * @param name The server's name there.
 * @param server The server.
 * @returns One line for a POSIX shell.
 */
function claudeCommand(name: string, server: NewServer): string {
  const words = server.kind === "command"
    ? ["claude", "mcp", "add", name, "--", ...server.words]
    : ["claude", "mcp", "add", "--transport", "http", name, server.url];
  if (server.kind === "url" && server.bearer !== undefined) {
    words.push("--header", `Authorization: Bearer \${${server.bearer}}`);
  }
  return shellLine(words);
}

/**
 * The configuration of one server, as its host's user adds it.
 *
 * @param server The server.
 * @param place Its name, its host and the system.
 * @returns Where the text belongs, and the text.
 * @throws {Error} When the host cannot have such a server.
 */
export async function configurationOf(
  server: NewServer,
  { name, kind, os }: {
    readonly name: string;
    readonly kind: HostKind;
    readonly os: SetupMachine["os"];
  },
): Promise<{ readonly where: string; readonly text: string }> {
  const { entryOf } = await import("../../host_config/put_server.ts");
  const entry = entryOf(server, kind);
  return kind.id === "claude-code"
    ? { where: `Add it to ${kind.title}`, text: claudeCommand(name, server) }
    : { where: `In ${kind.files[os]}`, text: await snippet(kind, name, entry) };
}

/**
 * The variables that an entry has to bring along, for a host that passes few.
 *
 * @param setup The host, the environment and the oracle.
 * @param options The proxy's options.
 * @returns Names that the host passes on, and values that are no secrets.
 */
export function variablesOf(
  { runtime, kind, oracle }: Pick<Advised, "runtime" | "kind" | "oracle">,
  { upstream }: ProxyOptions,
): PassedVariables {
  const headers = upstream?.headers.map((header) => header.variable) ?? [];
  if (kind.inherits === undefined) return { variables: headers, env: {} };
  const keys = oracle?.kind === "jev" ? OWN_VARIABLES.jev : [];
  const env = PLACE_VARIABLES.flatMap((name) => {
    const value = runtime.env(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    variables: [...OWN_VARIABLES.session, ...headers, ...keys],
    env: Object.fromEntries(env),
  };
}

/** What the advice depends on. */
export interface Advised {
  readonly runtime: Runtime;
  readonly kind: HostKind;
  readonly machine: SetupMachine;
  /** How the proxy is started. */
  readonly form: ProxyProgram["kind"];
  /** The oracle that the options ask; unknown until they are read. */
  readonly oracle?: OracleNeeds | undefined;
}

/**
 * Prints advice on stderr: what the user needs besides the configuration.
 *
 * @param advised What it depends on.
 * @param line The command line in the configuration.
 */
export function advise(
  { runtime, kind, machine, form, oracle }: Advised,
  { words, options }: ProxyLine,
): void {
  const isScoped = words.some((word) => word.startsWith("--allow-run="));
  if (form === "deno" && isScoped && machine.os !== "windows" && options.listen === undefined) {
    runtime.say(
      `if ${kind.title} runs with LD_* or DYLD_* variables set (some AppImages do), Deno does ` +
        "not start the server: then replace --allow-run=NAMES by --allow-run",
    );
  }
  const passing = form === "deno" ? fleeting(machine.self) : undefined;
  if (passing !== undefined) runtime.say(passing);
  if (form !== "deno" && words[0] === "hoist-mcp" && machine.find("hoist-mcp") === undefined) {
    runtime.say("hoist-mcp is not on PATH here: the host has to find it there");
  }
  const variables = options.upstream?.headers.map((header) => header.variable) ?? [];
  if (options.listen?.tokenFile !== undefined) variables.push(TOKEN_VARIABLE);
  if (oracle?.kind === "jev") variables.push("TYPESAFE_API_KEY");
  for (const variable of variables) {
    runtime.say(`${kind.title} needs the variable ${variable} in the environment it starts with`);
  }
}
