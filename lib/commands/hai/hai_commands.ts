/**
 * The subcommands of hai-mcp: command line in, exit status out. Each
 * command has its own file, loaded on demand: a server starts
 * without the rest.
 *
 * @module
 */

import { type FlagTable, type FlagValues, parseFlags } from "../../flags/flags.ts";
import {
  HAI_DOCTOR_FLAGS,
  HOOK_FLAGS,
  LIMITS_FLAGS,
  OWNER_FLAGS,
  RECALL_FLAGS,
  REPAIR_FLAGS,
  RUN_FLAGS,
  SERVE_FLAGS,
} from "./hai_flags.ts";
import { expandHome } from "../../flags/expand_home.ts";
import { nearest } from "../../text/nearest.ts";
import { VERSION } from "../../flags/version.ts";
import { type HaiConfig, readHaiConfig } from "../../hai/state/config.ts";
import { runServe } from "./hai_serve_command.ts";
import type { HaiShell, ShellOptions } from "../../hai/shell/hai_shell.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { ownTerminal, type Terminal } from "../../runtime/terminal.ts";

/** The context of a command. */
interface Session {
  readonly values: FlagValues;
  readonly config: HaiConfig;
  readonly runtime: Runtime;
  readonly terminal: Terminal;
  readonly options: ShellOptions;
  /** All of standard input. */
  readonly input: () => Promise<string>;
}

interface Command {
  readonly flags: FlagTable;
  /** Exit status, or what is wrong with the command line. */
  readonly run: (session: Session) => Promise<number | string>;
}

const SERVE: Command = {
  flags: SERVE_FLAGS,
  run: ({ values, runtime, config, options }) => runServe(values, runtime, { config, options }),
};

const COMMANDS: Readonly<Record<string, Command>> = {
  owner: {
    flags: OWNER_FLAGS,
    async run(session) {
      const { OWNER_ACTIONS, runOwner } = await import("./hai_owner_command.ts");
      const [action = "list", ...ids] = session.values.positionals;
      if (!OWNER_ACTIONS.includes(action)) {
        const meant = nearest(action, OWNER_ACTIONS);
        const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
        return `Unknown action "${action}"${hint}`;
      }
      const isNotifying = session.values.has("notify");
      if (isNotifying && action !== "watch") return "--notify goes with watch";
      // The owner's desk reaches no network, and runs nothing but the notices.
      session.runtime.keepOnly?.(["read", "write", "env", ...isNotifying ? ["run"] : []]);
      const wish = { action, ids, home: session.config.home, isNotifying };
      return await runOwner(wish, await openShell(session), session);
    },
  },
  doctor: {
    flags: HAI_DOCTOR_FLAGS,
    async run({ values, config, runtime }) {
      const { runDoctor } = await import("./hai_repair_command.ts");
      const isFull = values.has("full");
      return runDoctor(config, runtime, { isJson: values.has("json"), isFull });
    },
  },
  repair: {
    flags: REPAIR_FLAGS,
    async run({ values, config, runtime, terminal }) {
      const { runRepair } = await import("./hai_repair_command.ts");
      return await runRepair(config, { runtime, terminal }, { isSure: values.has("yes") });
    },
  },
  recall: { flags: RECALL_FLAGS, run: runRecall },
  limits: {
    flags: LIMITS_FLAGS,
    async run(session) {
      const { runLimits } = await import("./hai_recall_command.ts");
      const isJson = session.values.has("json");
      return await runLimits(await openShell(session), session.runtime, { isJson });
    },
  },
  run: { flags: RUN_FLAGS, run: runOfHost },
  hook: {
    flags: HOOK_FLAGS,
    async run({ values, config, runtime, input }) {
      const { hookSettings, runHook } = await import("./hai_hook_command.ts");
      const given = values.get("session") ?? runtime.env("HAI_SESSION_FILE");
      if (given === undefined) return "--session is missing, and HAI_SESSION_FILE is not set";
      if (values.has("settings")) {
        runtime.print(hookSettings(given));
        return 0;
      }
      const sessionFile = expandHome(given, runtime.env("HOME"));
      if (sessionFile === null) return "--session begins with ~, but HOME is not set";
      return await runHook(config, runtime, { sessionFile, input, version: VERSION });
    },
  },
};

const readStandardInput = () => new Response(Deno.stdin.readable).text();

/**
 * Runs hai-mcp.
 *
 * @param args The command line.
 * @param runtime The machine.
 * @param terminal Where an owner sits; this process's own by default.
 * @param input Reads all of standard input; this process's own by default.
 * @returns The exit status.
 */
export async function runHai(
  args: readonly string[],
  runtime: Runtime,
  terminal: Terminal = ownTerminal(),
  input: () => Promise<string> = readStandardInput,
): Promise<number> {
  const [first = "", ...rest] = args;
  const named = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  const command = named ?? SERVE;
  const parsed = parseFlags(command.flags, named === undefined ? args : rest, VERSION);
  if (parsed.kind === "text") {
    runtime.print(parsed.text);
    return 0;
  }
  const fault = (message: string) => {
    for (const line of message.split("\n")) runtime.say(line);
    return 2;
  };
  if (parsed.kind === "refused") {
    const meant = named === undefined ? nearest(first, Object.keys(COMMANDS)) : undefined;
    if (meant === undefined || first.startsWith("-")) return fault(parsed.message);
    return fault(`Unknown command "${first}"; did you mean ${meant}?\nSee 'hai-mcp --help'`);
  }
  const userHome = runtime.env("HOME") ?? runtime.env("USERPROFILE");
  const unset = ["HAI_HOME", "HAI_OWNER_HOME"].find((name) => runtime.env(name) === undefined);
  if (userHome === undefined && unset !== undefined) {
    return fault(`Neither ${unset} nor HOME is set: there is no folder to keep anything in`);
  }
  const config = readHaiConfig((name) => runtime.env(name), userHome ?? "/");
  const wrong = relativeHome(config);
  if (wrong !== undefined) return fault(wrong);
  const status = await hinting(command, {
    values: parsed.values,
    config,
    runtime,
    terminal,
    input,
    options: {
      version: VERSION,
      unixMs: () => runtime.unixMs(),
      onFault: (error) => runtime.say(faultLine(error)),
    },
  });
  return typeof status === "number"
    ? status
    : fault(`${status}\nSee '${command.flags.program} --help'`);
}

/** Refuses a folder that would be another one wherever hai-mcp is started. */
function relativeHome({ home, ownerHome }: HaiConfig): string | undefined {
  const homes = [["HAI_HOME", home], ["HAI_OWNER_HOME", ownerHome]] as const;
  const relative = homes.find(([, path]) => !path.startsWith("/"));
  return relative && `${relative[0]} is set to "${relative[1]}", expected an absolute path`;
}

/** Runs a command; a fault that says what can be done is told with that. */
async function hinting(command: Command, session: Session): Promise<number | string> {
  try {
    return await command.run(session);
  } catch (error) {
    const hint = error instanceof Error && "hint" in error ? error.hint : undefined;
    if (!(error instanceof Error) || typeof hint !== "string") throw error;
    for (const line of [error.message, hint]) session.runtime.say(line);
    return 1;
  }
}

async function runRecall(session: Session): Promise<number | string> {
  const { values, runtime } = session;
  const [action = "show", itemId] = values.positionals;
  const limit = values.get("limit") ?? "3";
  if (!/^[1-9]\d{0,3}$/.test(limit)) return `--limit is set to "${limit}", expected 1 to 9999`;
  if (action !== "show" && action !== "resolve") return `Unknown action "${action}"`;
  if (action === "resolve" && itemId === undefined) return "resolve needs the item's id";
  const { runRecallResolve, runRecallShow } = await import("./hai_recall_command.ts");
  const shell = await openShell(session);
  if (itemId === undefined) {
    return await runRecallShow(shell, runtime, {
      limit: Number(limit),
      isJson: values.has("json"),
    });
  }
  if (action === "show") return `Unexpected argument "${itemId}"`;
  return await runRecallResolve(shell, runtime, {
    itemId,
    outcome: values.get("as") ?? "",
    why: values.get("why") ?? "",
    missionId: values.get("mission") ?? null,
  });
}

async function runOfHost(session: Session): Promise<number | string> {
  const { values, runtime } = session;
  const command = values.command ?? [];
  if (command.length === 0) return "The host's command is missing: hai-mcp run -- HOST_COMMAND";
  const minutes = values.get("minutes") ?? "60";
  if (!/^[1-9]\d{0,3}$/.test(minutes)) return `--minutes takes 1 to 9999, not "${minutes}"`;
  const home = runtime.env("HOME");
  const at = (path: string) => expandHome(path, home) ?? path;
  const hookFile = values.get("session");
  const { runHost } = await import("./hai_run_command.ts");
  return await runHost(await openShell(session), runtime, {
    command,
    leases: values.all("lease").map(at),
    hookFile: hookFile === undefined ? undefined : at(hookFile),
    mission: values.get("mission"),
    criteria: values.all("criterion"),
    capabilities: values.all("capability"),
    minutes: Number(minutes),
    device: values.get("device"),
  });
}

async function openShell({ config, options }: Session): Promise<HaiShell> {
  const { HaiShell } = await import("../../hai/shell/hai_shell.ts");
  return new HaiShell(config, options);
}

/** Names the fault; a stack could carry what was being handled. */
function faultLine(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.slice(0, 300)}` : "a fault";
}
