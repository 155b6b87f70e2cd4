/**
 * The command line of `hoist-mcp`: its flags, and the options they make.
 *
 * @module
 */

import {
  asksOracle,
  INTERCEPTOR_FLAGS,
  parseInterceptors,
  sessionFiles,
} from "../intercept/asked_for.ts";
import type { InterceptorOptions } from "../intercept/order.ts";
import { sessionFileFault } from "../log/session_name.ts";
import { expandHome } from "../flags/expand_home.ts";
import { type FlagTable, type FlagValues, parseFlags, refuse } from "../flags/flags.ts";
import { FlagFault, FlagReader } from "../flags/flag_reader.ts";
import { HTTP_FLAGS, type HttpOptions, parseHttpFlags } from "./http_flags.ts";
import { ORACLE_FLAGS, type OracleOptions, parseOracle } from "./oracle_flags.ts";
import { parseRestart, RESTART_FLAGS, type RestartOptions } from "./restart_flags.ts";
import { VERSION } from "../flags/version.ts";

/** The flags of `hoist-mcp`. */
export const PROXY_FLAGS: FlagTable = {
  program: "hoist-mcp",
  summary: "Forwards an MCP session between a host and a server, byte for byte, and records it.",
  examples: ["hoist-mcp --record ~/.hoist/logs -- npx -y some-mcp-server"],
  usage: [
    "[OPTIONS] -- SERVER_COMMAND...",
    "[OPTIONS] --upstream URL",
    "[OPTIONS] --listen ADDR (-- SERVER_COMMAND... | --upstream URL)",
  ],
  flags: [
    {
      name: "record",
      value: "DIR",
      help: "Write a log of each session to DIR/<session>.jsonl. DIR is made if it is missing; " +
        "a leading ~ is the home directory.",
    },
    { name: "domain", value: "NAME", help: "Name of what the server is about, for the log." },
    { name: "agent-model", value: "MODEL", help: "Model that drives the agent, for the log." },
    {
      name: "server-name",
      value: "NAME",
      help: "Name of the server, for the log; tells servers apart that one host session uses.",
    },
    {
      name: "retain-days",
      value: "N",
      help: "At start, delete logs in the --record folder that are older than N days, and with " +
        "--oracle jev the oracle's kept answers.",
    },
    {
      name: "exit-grace",
      value: "SECONDS",
      help: "How long a silent server may run after the host has closed, before it " +
        "is sent SIGTERM. Default: 30.",
    },
    ...RESTART_FLAGS,
    ...INTERCEPTOR_FLAGS,
    ...ORACLE_FLAGS,
    ...HTTP_FLAGS,
    {
      name: "print-permissions",
      help: "Print the flags that 'deno run' needs for the other options, and exit.",
    },
  ],
  command: true,
  notes: [
    "The server inherits environment, folder and stderr. On stdio without --record nothing is looked at.\n" +
    "Exit status: the server's, 128+n when signal n ended it; 0 at the end of a session with an\n" +
    "--upstream, or when --listen was asked to end; 125 when the log cannot be created, the\n" +
    "server cannot start, or hoist-mcp itself fails; 2 when the command line is wrong, or another file\n" +
    "in it cannot be used: that is found before anything starts.",
    "Environment:\n" +
    "  HOIST_SESSION            name of the host session, for the log (default host-<parent pid>)\n" +
    "  HOIST_DEBUG=permissions  say on stderr which permissions are left after start",
    "In a host's configuration:\n" +
    '  "command": "hoist-mcp",\n' +
    '  "args": ["--record", "~/.hoist/logs", "--", "npx", "-y", "some-mcp-server"]',
  ],
};

/** What `hoist-mcp` is asked to do. */
export interface ProxyOptions extends HttpOptions {
  /** The server's program and arguments; empty with `--upstream`. */
  readonly command: readonly string[];
  /** Recording, or undefined to forward only. */
  readonly record: RecordOptions | undefined;
  /** The interceptors that are asked for. */
  readonly interceptors: InterceptorOptions;
  /** The oracle they may ask. */
  readonly oracle: OracleOptions | undefined;
  /** Quiet time after the host closed, in milliseconds. */
  readonly exitGraceMs: number;
  /** How the session survives its server; undefined when it ends with it. */
  readonly restart: RestartOptions | undefined;
  /** Whether to print the permissions these options need instead of running. */
  readonly printPermissions: boolean;
}

/** How to record. */
export interface RecordOptions {
  /** Folder of the logs. */
  readonly dir: string;
  /** `--domain`. */
  readonly domain: string | undefined;
  /** `--agent-model`. */
  readonly agentModel: string | undefined;
  /** `--server-name`. */
  readonly serverName: string | undefined;
  /** `--retain-days`. */
  readonly retainDays: number | undefined;
}

/** Options, a text for stdout, or a refusal. */
export type ParsedProxy =
  | { readonly kind: "options"; readonly options: ProxyOptions }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refused"; readonly message: string };

const MAX_GRACE_SECONDS = 86_400;

/**
 * Reads the command line of `hoist-mcp`.
 *
 * @param args The arguments after the program's name.
 * @param home The home directory, for a leading `~`; undefined when unknown.
 * @returns What to do.
 */
export function parseProxyFlags(args: readonly string[], home: string | undefined): ParsedProxy {
  const parsed = parseFlags(PROXY_FLAGS, args, VERSION);
  if (parsed.kind !== "values") return parsed;
  const { values } = parsed;
  const http = parseHttpFlags(values, home);
  if (typeof http === "string") return refuse(PROXY_FLAGS, http);
  const intercepting = parseIntercepting(values, home);
  if (typeof intercepting === "string") return refuse(PROXY_FLAGS, intercepting);
  const { interceptors, restart } = intercepting;
  if (restart !== undefined && (http.upstream ?? http.listen) !== undefined) {
    const flag = values.has("restart") ? "restart" : "watch";
    const other = http.upstream === undefined ? "listen" : "upstream";
    return refuse(PROXY_FLAGS, `--${flag} is for a server on stdio: it excludes --${other}`);
  }
  const fileFault = sessionFilesFault(interceptors, http.listen !== undefined);
  if (fileFault !== undefined) return refuse(PROXY_FLAGS, fileFault);
  if (http.upstream !== undefined && values.command !== undefined) {
    return refuse(PROXY_FLAGS, "--upstream and a command after -- exclude each other");
  }
  const command = values.command ?? [];
  if (http.upstream === undefined && values.command === undefined) {
    return refuse(PROXY_FLAGS, "The server's command is missing after --");
  }
  if (http.upstream === undefined && (command[0] ?? "") === "") {
    return refuse(PROXY_FLAGS, "The server's command after -- is empty");
  }
  const retainDays = number(values, "retain-days", /^[1-9]\d{0,5}$/);
  if (Number.isNaN(retainDays)) {
    return refuse(PROXY_FLAGS, bad(values, "retain-days", "a whole number of days, 1 or more"));
  }
  const grace = number(values, "exit-grace", /^\d{1,5}(\.\d+)?$/) ?? 30;
  if (!(grace <= MAX_GRACE_SECONDS)) {
    return refuse(PROXY_FLAGS, bad(values, "exit-grace", `seconds, ${MAX_GRACE_SECONDS} at most`));
  }
  const dir = values.get("record");
  if (dir === undefined && retainDays !== undefined) {
    return refuse(PROXY_FLAGS, "--retain-days needs --record: there is no folder to look after");
  }
  const path = dir === undefined ? undefined : expandHome(dir, home);
  if (path === null) {
    return refuse(PROXY_FLAGS, `--record "${dir}" begins with ~, but HOME is not set`);
  }
  return {
    kind: "options",
    options: {
      command,
      record: path === undefined ? undefined : {
        dir: path.replace(/(?<=.)[/\\]+$/, ""),
        domain: values.get("domain"),
        agentModel: values.get("agent-model"),
        serverName: values.get("server-name"),
        retainDays,
      },
      ...intercepting,
      exitGraceMs: grace * 1000,
      ...http,
      printPermissions: values.has("print-permissions"),
    },
  };
}

/** The interceptors, their oracle and restarts, or what is wrong with their flags. */
function parseIntercepting(
  values: FlagValues,
  home: string | undefined,
): Pick<ProxyOptions, "interceptors" | "oracle" | "restart"> | string {
  try {
    const read = new FlagReader(values, home);
    const interceptors = parseInterceptors(read, values);
    const oracle = parseOracle(values, read, { isAsked: asksOracle(interceptors), home });
    return { interceptors, oracle, restart: parseRestart(values, read) };
  } catch (error) {
    if (error instanceof FlagFault) return error.message;
    throw error;
  }
}

/** What is wrong with the files that sessions have of their own. */
function sessionFilesFault(
  interceptors: InterceptorOptions,
  hasManySessions: boolean,
): string | undefined {
  for (const { flag, path, use } of sessionFiles(interceptors)) {
    const fault = sessionFileFault(path, { use, hasManySessions });
    if (fault !== undefined) return `--${flag} "${path}" ${fault}`;
  }
  return undefined;
}

/** The flag's number; undefined when not given, NaN when it does not have the form. */
function number(values: FlagValues, name: string, form: RegExp): number | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  return form.test(text) ? Number(text) : NaN;
}

function bad(values: FlagValues, name: string, wanted: string): string {
  return `--${name} takes ${wanted}, not "${values.get(name)}"`;
}
