/**
 * `hoist doctor`: finds what prevents recorded sessions on this machine.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import { type HostKind, hostOf, HOSTS } from "../../host_config/host_table.ts";
import { printable } from "../../text/printable.ts";
import { commandOf, numberFlag, type Run, UsageError } from "../../cli/command.ts";
import { type Check, checkConfig, type ConfiguredServer, withoutLogs } from "./doctor_config.ts";
import { fleeting } from "../../proxy_options/proxy_line.ts";
import { resolvePath } from "../../flags/resolve_path.ts";
import { theData, theNetwork, thePrograms } from "./doctor_more.ts";
import type {
  DoctorMachine,
  InitializeReply,
  LogFolder,
  SetupMachine,
} from "../../ports/machine.ts";
import { VERSION } from "../../flags/version.ts";
import type { FlagTable } from "../../flags/flags.ts";

/** The flags of `hoist doctor`. */
export const DOCTOR_FLAGS: FlagTable = {
  program: "hoist doctor",
  summary: "Checks this machine, and the hosts' configurations it finds.",
  examples: [
    "hoist doctor",
    "hoist doctor --data --network",
    "hoist doctor -- npx -y some-mcp-server",
  ],
  usage: ["[OPTIONS] [-- SERVER_COMMAND...]"],
  flags: [
    {
      name: "record",
      value: "DIR",
      help: "Folder of logs to check. Default: ~/.hoist/logs and the folders in configurations.",
    },
    {
      name: "config",
      value: "FILE",
      repeat: true,
      help: "Check this configuration instead of the hosts' own files; needs --host.",
    },
    { name: "host", value: "HOST", help: "The host of --config, by its name in hoist init." },
    {
      name: "start",
      help: "Start each server behind hoist-mcp in a configuration, as the host " +
        "would and with the variables it passes, but without logs, and ask it to initialize.",
    },
    {
      name: "data",
      help:
        "Read every log, the console's index, and the flows and locks that configurations name.",
    },
    {
      name: "network",
      help: "Ask the upstreams of configurations to initialize: names, proxies, TLS, sign-ins.",
    },
    {
      name: "upstream",
      value: "URL",
      repeat: true,
      help: "With --network: ask this server, and not those of configurations.",
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
    "the names are printed. Nothing is changed; no server starts without --start or --, and none is\n" +
    "asked over a network without --network. Programs of Hoist on PATH are asked for their version.",
    "Exit status: 0; 1 when something needs fixing; 2 when the command line is wrong.",
  ],
};

/** Runs `hoist doctor`. */
export const doctorCommand = commandOf(DOCTOR_FLAGS, doctor);

async function doctor({ values, runtime, machine }: Run<DoctorPorts>): Promise<number> {
  const timeoutMs = 1000 * (numberFlag(values, "timeout", { min: 1, max: 600 }) ?? 30);
  const id = values.get("host");
  const kind = id === undefined ? undefined : hostOf(id);
  if (id !== undefined && kind === undefined) {
    throw new UsageError(`--host takes ${HOSTS.map((h) => h.id).join(", ")}, not "${id}"`);
  }
  const files = values.all("config");
  if ((files.length > 0) !== (kind !== undefined)) {
    throw new UsageError("--config and --host need each other");
  }
  const resolve = (path: string) => resolvePath(path, machine, (name) => runtime.env(name));
  const upstreams = values.all("upstream");
  if (upstreams.length > 0 && !values.has("network")) {
    throw new UsageError("--upstream needs --network");
  }
  const checks = [
    ...theProgram(machine),
    ...await thePrograms(machine),
    ...theEnvironment(machine, runtime),
  ];
  const servers: ConfiguredServer[] = [];
  for (const { path, owner, isAsked } of configs(files, kind, machine, resolve)) {
    const found = await checkConfig(path, owner, machine, isAsked);
    checks.push(...found.checks);
    servers.push(...found.servers);
  }
  const given = values.get("record");
  const folders = given === undefined
    ? ["~/.hoist/logs", ...servers.flatMap((s) => s.record ?? [])]
    : [given];
  const seen = new Map<string, LogFolder | undefined>();
  for (const path of new Set(folders.flatMap((f) => resolve(f) ?? []))) {
    const folder = await machine.logFolder(path);
    seen.set(path, folder);
    checks.push(...theLogs(path, folder));
  }
  if (values.has("data")) {
    checks.push(...await theData({ folders: seen, servers }, machine, runtime));
  }
  if (values.has("network")) {
    const urls = upstreams.length > 0 ? upstreams : servers.flatMap((s) => s.upstream ?? []);
    checks.push(...await theNetwork(urls, machine, timeoutMs));
  }
  if (values.has("start")) {
    for (const { name, words, env, inherits } of servers) {
      const options = { env, inherits, timeoutMs };
      const reply = await machine.initialize(withoutLogs(words), options);
      checks.push(asked(`server ${name}`, reply));
    }
  }
  const command = values.command ?? [];
  if (command.length > 0) {
    checks.push(asked("server", await machine.initialize(command, { timeoutMs })));
  }
  return show(checks, values.has("json"), runtime);
}

/** Prints what was found; 1 when something needs fixing. */
function show(checks: readonly Check[], isJson: boolean, runtime: Runtime): number {
  const isWell = checks.every((check) => check.state !== "fix");
  if (isJson) runtime.print(JSON.stringify({ ok: isWell, checks }, null, 2));
  else {
    for (const { state, what, says } of checks) {
      runtime.print(`${state.padEnd(4)}  ${what}: ${printable(says)}`);
    }
  }
  return isWell ? 0 : 1;
}

/** The machine to examine. */
interface DoctorPorts {
  readonly machine: DoctorMachine;
}

interface ConfigFile {
  readonly path: string;
  readonly owner: HostKind;
  /** Whether it was named, and so has to be there. */
  readonly isAsked: boolean;
}

function configs(
  files: readonly string[],
  kind: HostKind | undefined,
  machine: SetupMachine,
  resolve: (path: string) => string | undefined,
): ConfigFile[] {
  if (kind !== undefined) {
    return files.map((file) => ({ path: resolve(file) ?? file, owner: kind, isAsked: true }));
  }
  return HOSTS.flatMap((owner) =>
    [owner.files[machine.os], owner.projectFile].flatMap((file) => {
      const path = file === undefined ? undefined : resolve(file);
      return path === undefined ? [] : [{ path, owner, isAsked: false }];
    })
  );
}

function theProgram({ deno, os, find, self }: DoctorMachine): Check[] {
  const [major = 0, minor = 0] = deno.version.split(".").map(Number);
  const isOld = major < 2 || (major === 2 && minor < 6);
  const name = self.kind === "npm"
    ? "npm package, Deno"
    : deno.isCompiled
    ? "compiled, Deno"
    : "Deno";
  const checks: Check[] = [{
    state: isOld ? "fix" : "ok",
    what: "hoist",
    says: `${VERSION}, ${name} ${deno.version}${isOld ? "; Deno 2.6 or later is needed" : ""}`,
  }];
  const passing = fleeting(self);
  if (passing !== undefined) checks.push({ state: "note", what: "deno", says: passing });
  const proxy = find("hoist-mcp");
  checks.push({
    state: proxy === undefined ? "note" : "ok",
    what: "hoist-mcp",
    says: proxy ?? "not on PATH; hoist init writes its full path, or the deno form",
  });
  if (os === "windows") {
    checks.push({
      state: "note",
      what: "sh",
      says: "not used; what a server starts may outlive it",
    });
  } else {
    const shell = find("sh");
    checks.push({
      state: shell === undefined ? "fix" : "ok",
      what: "sh",
      says: shell ?? "not on PATH; it ends what a server has started",
    });
  }
  return checks;
}

function theEnvironment(machine: DoctorMachine, runtime: Runtime): Check[] {
  const loader = machine.variableNames().filter((name) => /^(?:LD|DYLD)_/.test(name));
  const checks: Check[] = [];
  if (loader.length > 0) {
    checks.push({
      state: "note",
      what: "environment",
      says: `holds ${loader.join(", ")}: --listen, and 'deno run' with --allow-run=NAMES, ` +
        "cannot start a server; unset them for the proxy",
    });
  }
  const key = ["TYPESAFE_API_KEY", "TYPESAFE_API_KEY_FILE"].find((n) =>
    runtime.env(n) !== undefined
  );
  checks.push({
    state: "note",
    what: "key",
    says: key === undefined
      ? "neither TYPESAFE_API_KEY nor TYPESAFE_API_KEY_FILE is set; only --oracle jev needs one"
      : `${key} is set`,
  });
  return checks;
}

function theLogs(path: string, folder: LogFolder | undefined): Check[] {
  const what = `logs ${path}`;
  if (folder === undefined) return [{ state: "note", what, says: "made by the first session" }];
  const isOpen = (mode: number | undefined) => mode !== undefined && (mode & 0o077) !== 0;
  const open = folder.logs.filter((log) => isOpen(log.mode));
  if (!folder.isWritable) return [{ state: "fix", what, says: "cannot be written to" }];
  const checks: Check[] = [];
  if (isOpen(folder.mode)) {
    checks.push({ state: "fix", what, says: `others may look into it: chmod 700 '${path}'` });
  }
  if (open.length > 0) {
    const says = `others may read ${open.length} of ${folder.logs.length} logs: chmod 600 ` +
      `'${open[0]?.path}'${open.length > 1 ? " and the others" : ""}`;
    checks.push({ state: "fix", what, says });
  }
  if (checks.length > 0) return checks;
  return [{ state: "ok", what, says: `logs in it, for you alone: ${folder.logs.length}` }];
}

function asked(what: string, answer: InitializeReply): Check {
  return answer.kind === "answered"
    ? { state: "ok", what, says: `answered: ${answer.server}` }
    : { state: "fix", what, says: answer.why };
}
