/**
 * The command line of `hoist-procedure`: its flags, and the options they make.
 *
 * @module
 */

import { expandHome } from "../../flags/expand_home.ts";
import { type FlagTable, type FlagValues, parseFlags, refuse } from "../../flags/flags.ts";
import {
  CLIENT_FLAGS,
  netOf,
  parseHttpFlags,
  type UpstreamOptions,
} from "../../proxy_options/http_flags.ts";
import type { PermissionNeeds } from "../../proxy_options/permissions.ts";
import { VERSION } from "../../flags/version.ts";

/** The flags of `hoist-procedure`. */
export const PROCEDURE_RUN_FLAGS: FlagTable = {
  program: "hoist-procedure",
  summary: "Runs a compiled procedure against a server, one call at a time, without a model.",
  examples: [
    "hoist-procedure --procedure cancel.json --input email=c7@example.com " +
    "--input 'reason=ordered by mistake' --ticket 'Please cancel the desk lamp.' " +
    "-- hoist-mcp-demo --world retail",
  ],
  usage: [
    "--procedure FILE [OPTIONS] -- SERVER_COMMAND...",
    "--procedure FILE [OPTIONS] --upstream URL",
  ],
  flags: [
    { name: "procedure", value: "FILE", help: "The procedure. See docs/procedures.md." },
    { name: "ticket", value: "TEXT", help: "What the customer wrote." },
    { name: "ticket-file", value: "FILE", help: "A file with what the customer wrote." },
    {
      name: "input",
      value: "NAME=VALUE",
      repeat: true,
      help: "A value that the procedure asks for by name.",
    },
    ...CLIENT_FLAGS,
    { name: "dry-run", help: "Make reads only, and show the writes it would make." },
    { name: "confirm-writes", help: "Ask at the terminal before each write." },
    {
      name: "guards",
      help: "Check each call with the shipped rules of the procedure's domain: airline or retail.",
    },
    {
      name: "guard-rules",
      value: "FILE",
      help: "Check each call with the rules of this file instead. See docs/guards.md.",
    },
    {
      name: "record",
      value: "DIR",
      help: "Write a log of the session to DIR/<session>.jsonl, as hoist-mcp does.",
    },
    { name: "server-name", value: "NAME", help: "Name of the server, for the log." },
    {
      name: "call-timeout",
      value: "SECONDS",
      help: "Timeout of a call. A call that takes longer ends the run and is never retried. " +
        "Default: 60.",
    },
    { name: "out", value: "FILE", help: "Write the run's JSON there instead of on stdout." },
    {
      name: "print-permissions",
      help: "Print the flags that 'deno run' needs for the other options, and exit.",
    },
  ],
  command: true,
  notes: [
    "Stdout, or --out, gets the run as one JSON object (docs/formats.md); on a terminal stderr shows\n" +
    "each call.\n" +
    "Exit status: 0 resolved, done or transferred; 3 handed back; 1 the server or the protocol\n" +
    "failed, or the server does not fit the procedure; 2 wrong usage, or a procedure that cannot be read.",
  ],
};

/** What `hoist-procedure` is asked to do. */
export interface ProcedureRunOptions {
  readonly procedure: string;
  readonly ticket: string | undefined;
  readonly ticketFile: string | undefined;
  readonly inputs: readonly (readonly [name: string, text: string])[];
  /** The server's program and arguments; empty with `--upstream`. */
  readonly command: readonly string[];
  readonly upstream: UpstreamOptions | undefined;
  readonly isDry: boolean;
  readonly confirmsWrites: boolean;
  readonly guards: boolean;
  readonly guardRules: string | undefined;
  readonly record: string | undefined;
  readonly serverName: string | undefined;
  /** Where the run's JSON goes; stdout without it. */
  readonly out: string | undefined;
  readonly callTimeoutMs: number;
  readonly printPermissions: boolean;
}

/** Options, a text for stdout, or a refusal. */
export type ParsedProcedureRun =
  | { readonly kind: "options"; readonly options: ProcedureRunOptions }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refused"; readonly message: string };

/**
 * Reads the command line.
 *
 * @param args The arguments after the program's name.
 * @param home The home directory, for a leading `~`; undefined when unknown.
 * @returns What to do.
 */
export function parseProcedureFlags(
  args: readonly string[],
  home: string | undefined,
): ParsedProcedureRun {
  const parsed = parseFlags(PROCEDURE_RUN_FLAGS, args, VERSION);
  if (parsed.kind !== "values") return parsed;
  const options = optionsOf(parsed.values, home);
  return typeof options === "string"
    ? refuse(PROCEDURE_RUN_FLAGS, options)
    : { kind: "options", options };
}

function optionsOf(values: FlagValues, home: string | undefined): ProcedureRunOptions | string {
  const http = parseHttpFlags(values, home);
  if (typeof http === "string") return http;
  const { upstream } = http;
  const { command } = values;
  if (upstream !== undefined && command !== undefined) {
    return "--upstream and a command after -- exclude each other";
  }
  if (upstream === undefined && (command?.[0] ?? "") === "") {
    return "The server is missing: a command after --, or --upstream URL";
  }
  for (
    const [one, other] of [
      ["ticket", "ticket-file"],
      ["guards", "guard-rules"],
      ["dry-run", "confirm-writes"],
    ] as const
  ) {
    if (values.has(one) && values.has(other)) return `--${one} and --${other} exclude each other`;
  }
  const inputs: [string, string][] = [];
  for (const given of values.all("input")) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
    if (name === undefined || text === undefined) {
      return `--input takes NAME=VALUE, not "${given}"`;
    }
    inputs.push([name, text]);
  }
  const seconds = values.get("call-timeout") ?? "60";
  if (!/^\d{1,5}(\.\d+)?$/.test(seconds) || Number(seconds) <= 0) {
    return `--call-timeout takes seconds, more than 0, not "${seconds}"`;
  }
  const paths: Record<string, string | undefined> = {};
  for (const name of ["procedure", "ticket-file", "guard-rules", "record", "out"]) {
    const given = values.get(name);
    const path = given === undefined ? undefined : expandHome(given, home);
    if (path === null) return `--${name} "${given}" begins with ~, but HOME is not set`;
    paths[name] = path;
  }
  if (paths.procedure === undefined) return "Missing --procedure";
  return {
    procedure: paths.procedure,
    ticket: values.get("ticket"),
    ticketFile: paths["ticket-file"],
    inputs,
    command: command ?? [],
    upstream,
    isDry: values.has("dry-run"),
    confirmsWrites: values.has("confirm-writes"),
    guards: values.has("guards"),
    guardRules: paths["guard-rules"],
    record: paths.record?.replace(/(?<=.)[/\\]+$/, ""),
    serverName: values.get("server-name"),
    out: paths.out,
    callTimeoutMs: Number(seconds) * 1000,
    printPermissions: values.has("print-permissions"),
  };
}

/**
 * The permissions that the options need at the start. Once the server runs, all but the connection
 * to an upstream are given up.
 *
 * @param options The options.
 * @returns The permissions.
 */
export function procedureNeeds(options: ProcedureRunOptions): PermissionNeeds {
  const { procedure, ticketFile, guardRules, record, out, upstream, command } = options;
  return {
    run: upstream === undefined ? [command[0] ?? "", "sh"] : [],
    read: [procedure, ticketFile, guardRules].filter((path) => path !== undefined),
    write: [record, out].filter((path) => path !== undefined),
    net: upstream === undefined ? [] : [netOf(upstream.url)],
    env: [
      "HOIST_DEBUG",
      "HOIST_SESSION",
      "HOME",
      "USERPROFILE",
      ...upstream?.headers.map((header) => header.variable) ?? [],
    ],
  };
}
