/**
 * `hoist init`: puts `hoist-mcp` into the configurations of hosts.
 *
 * Values of variables and headers are never printed and never move: only the members of an entry
 * that start the server change.
 *
 * @module
 */

import type { ConfigText } from "../../host_config/config_text.ts";
import { type HostKind, hostOf, HOSTS } from "../../host_config/host_table.ts";
import type { NewServer } from "../../host_config/put_server.ts";
import { readConfig } from "../../host_config/read_config.ts";
import type { Behind } from "../../host_config/server_entry.ts";
import type { Changed } from "../../host_config/wrap.ts";
import { commandOf, needed, type Run, UsageError } from "../../cli/command.ts";
import type { FlagValues } from "../../flags/flags.ts";
import { firstHandedOn, INIT_FLAGS } from "./init_flags.ts";
import { advise, configurationOf, TOKEN_VARIABLE, variablesOf } from "./init_print.ts";
import { shellLine } from "../../proxy_options/permissions.ts";
import type { ProxyLine } from "../../proxy_options/proxy_line.ts";
import { resolvePath } from "../../flags/resolve_path.ts";
import { reasonOf } from "../../text/reason.ts";
import { type InitMachine, lineFor, readWith, type Setup } from "./init_line.ts";

/** Runs `hoist init`. */
export const initCommand = commandOf(INIT_FLAGS, init);

function init(
  { values, runtime, machine }: Run<{ readonly machine: InitMachine }>,
): Promise<number> {
  const modes = ["write", "wrap", "unwrap"].filter((name) => values.has(name));
  const isForAll = !values.has("host") && values.has("listen") && modes.length === 0;
  const [first] = HOSTS;
  const id = isForAll ? first?.id ?? "" : needed(values, "host");
  const kind = hostOf(id);
  if (kind === undefined) {
    throw new UsageError(`--host takes ${HOSTS.map((h) => h.id).join(", ")}, not "${id}"`);
  }
  const form = values.get("form") ?? machine.self.kind;
  if (form !== "compiled" && form !== "npm" && form !== "deno") {
    throw new UsageError(`--form takes compiled, npm or deno, not "${form}"`);
  }
  if (modes.length > 1) throw new UsageError(`--${modes.join(" and --")} exclude each other`);
  const setup = { values, runtime, kind, machine, form } as const;
  if (modes[0] === "wrap") return wrap(setup);
  if (modes[0] === "unwrap") return unwrap(setup);
  if (values.has("server")) throw new UsageError("--server needs --wrap or --unwrap");
  return isForAll ? printForAll(setup) : add(setup);
}

/** Prints how to start a proxy that listens, and its configuration for every host. */
async function printForAll(setup: Setup): Promise<number> {
  const { values, runtime, machine } = setup;
  const name = nameOf(setup);
  const { line, setup: read } = await readWith(setup, name, behindOf(values));
  const server = serverOf(line, read);
  runtime.print(`# Start the proxy once:\n${shellLine(line.words)}`);
  for (const kind of HOSTS) {
    try {
      const { where, text } = await configurationOf(server, { name, kind, os: machine.os });
      runtime.print(`\n# ${kind.title}. ${where}:\n${text}`);
    } catch (error) {
      runtime.say(`left ${kind.title} out: ${reasonOf(error)}`);
    }
  }
  advise({ ...read, kind: { ...read.kind, title: "the host" } }, line);
  return 0;
}

function nameOf({ values, kind }: Setup): string {
  const name = values.get("name") ?? values.get("domain");
  if (name === undefined) throw new UsageError("Missing --name");
  if (name.startsWith("-") && kind.id === "claude-code" && !values.has("write")) {
    throw new UsageError(
      `--name "${name}" begins with a dash, so 'claude mcp add' would read it as an option: give ` +
        "--write FILE, or another name",
    );
  }
  return name;
}

/** The server that a host is configured with: the proxy's command, or the URL it listens at. */
function serverOf({ words, options }: ProxyLine, setup: Setup): NewServer {
  const { values } = setup;
  const { listen } = options;
  if (listen === undefined) return { kind: "command", words, ...variablesOf(setup, options) };
  if (listen.port === 0) {
    throw new UsageError("--listen needs a port that hosts can be told, not 0");
  }
  return {
    kind: "url",
    url: `http://${values.get("listen")}/mcp`,
    bearer: listen.tokenFile === undefined ? undefined : TOKEN_VARIABLE,
  };
}

/** Prints or writes the configuration of one server. */
async function add(setup: Setup): Promise<number> {
  const { values, runtime, kind, machine } = setup;
  const name = nameOf(setup);
  const { line, setup: read } = await readWith(setup, name, behindOf(values));
  const { listen } = line.options;
  const server = serverOf(line, read);
  const { where, text } = await refusable(() =>
    configurationOf(server, { name, kind, os: machine.os })
  );
  const start = `# Start the proxy once:\n${shellLine(line.words)}`;
  const given = values.get("write");
  if (given === undefined) {
    const own = kind.files[machine.os];
    const isCommand = kind.id === "claude-code";
    runtime.print(listen === undefined ? text : `${start}\n\n# ${where}:\n${text}`);
    runtime.say(
      isCommand
        ? `run this to add it to ${kind.title}, or --write ${own} puts it there`
        : `this belongs in ${own}; --write ${own} puts it there`,
    );
  } else {
    const path = pathOf(given, setup);
    const before = await machine.read(path);
    const config = await configOf(before ?? "", kind, path);
    const { putServer } = await import("../../host_config/put_server.ts");
    const after = await inFile(path, () => putServer(config, kind, name, server));
    if (after === before) runtime.say(`${path} has it already: nothing written`);
    else {
      await configOf(after, kind, path); // The host must be able to read the result.
      if (before !== undefined) await machine.write(`${path}.hoist-backup`, before);
      await machine.write(path, after);
      runtime.say(`wrote "${name}" to ${path}`);
      if (before !== undefined) runtime.say(`the file as it was: ${path}.hoist-backup`);
    }
    if (listen !== undefined) runtime.print(start);
  }
  advise(read, line);
  return 0;
}

/** Puts `hoist-mcp` before the servers of a file. */
async function wrap(setup: Setup): Promise<number> {
  const { values, runtime, kind, machine } = setup;
  const stray = ["name", "upstream", "upstream-header", "listen"].find((name) => values.has(name));
  if (stray !== undefined) throw new UsageError(`--wrap and --${stray} exclude each other`);
  if (values.command !== undefined) {
    throw new UsageError("--wrap takes the commands in the file, and none after --");
  }
  // What hoist-mcp would refuse of the options alone is refused before the file is looked at.
  const sample = await readWith(setup, "sample", { kind: "command", words: ["sample"] });
  const { path, text, config } = await theFile(setup, "wrap");
  const { unwrapServers, wrapServers } = await import("../../host_config/wrap.ts");
  const keptPath = `${path}.hoist-unwrapped`;
  const kept = await machine.read(keptPath);
  const bare = kept === undefined
    ? text
    : unwrapServers(config, await configOf(kept, kind, keptPath), kind, []).text;
  const done = wrapServers(config, kind, {
    only: values.all("server"),
    passed: variablesOf(sample.setup, sample.line.options),
    line: (name, behind) => {
      const line = lineFor(sample.setup, name, behind);
      return "why" in line ? line : line.words;
    },
  });
  unknownServers(values, done);
  for (const { name, why } of done.left) runtime.say(`left "${name}" alone: ${why}`);
  if (done.changed.length === 0) {
    const place = kind.servers[0]?.join(".") ?? "";
    const none = `no server is under "${place}", where ${kind.title} looks`;
    runtime.say(`${path}: ${done.left.length > 0 ? "no server to wrap" : none}, nothing written`);
    return 0;
  }
  await configOf(done.text, kind, path);
  await machine.write(keptPath, bare);
  await machine.write(path, done.text);
  for (const name of done.changed) runtime.say(`put hoist-mcp in front of "${name}"`);
  const undo = shellLine(["hoist", "init", "--host", kind.id, "--unwrap", path]);
  runtime.say(`the file as it was: ${keptPath}; to remove hoist-mcp again: ${undo}`);
  advise(sample.setup, sample.line);
  return 0;
}

/** Removes what {@linkcode wrap} put there. */
async function unwrap(setup: Setup): Promise<number> {
  const { values, runtime, kind, machine } = setup;
  const stray = values.has("name") ? "name" : firstHandedOn(values);
  if (stray !== undefined) throw new UsageError(`--unwrap and --${stray} exclude each other`);
  if (values.command !== undefined) throw new UsageError("--unwrap takes no command");
  const { path, config } = await theFile(setup, "unwrap");
  const keptPath = `${path}.hoist-unwrapped`;
  const kept = await machine.read(keptPath);
  if (kept === undefined) {
    throw new Error(`Cannot unwrap "${path}": what --wrap keeps, "${keptPath}", is not there`);
  }
  const original = await configOf(kept, kind, keptPath);
  const { unwrapServers } = await import("../../host_config/wrap.ts");
  const done = unwrapServers(config, original, kind, values.all("server"));
  unknownServers(values, done);
  const result = await configOf(done.text, kind, path);
  if (done.changed.length > 0) await machine.write(path, done.text);
  for (const name of done.changed) runtime.say(`removed hoist-mcp from "${name}"`);
  if (done.changed.length === 0) runtime.say(`${path}: no server to unwrap, nothing written`);
  if (unwrapServers(result, original, kind, []).changed.length === 0) machine.remove(keptPath);
  return 0;
}

function behindOf(values: FlagValues): Behind | undefined {
  return values.command === undefined ? undefined : { kind: "command", words: values.command };
}

async function theFile(
  setup: Setup,
  flag: "wrap" | "unwrap",
): Promise<{ readonly path: string; readonly text: string; readonly config: ConfigText }> {
  const path = pathOf(setup.values.get(flag) ?? "", setup);
  const text = await setup.machine.read(path);
  if (text === undefined) throw new Error(`Cannot ${flag} "${path}": there is no such file`);
  return { path, text, config: await configOf(text, setup.kind, path) };
}

async function configOf(text: string, kind: HostKind, path: string): Promise<ConfigText> {
  return await inFile(path, () => readConfig(text, kind));
}

async function inFile<T>(path: string, body: () => T | Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`Cannot change "${path}": ${error.message}`, { cause: error });
  }
}

async function refusable<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

function pathOf(given: string, { machine, runtime }: Setup): string {
  const path = resolvePath(given, machine, (name) => runtime.env(name));
  if (path === undefined) throw new UsageError(`"${given}" needs HOME, which is not set`);
  return path;
}

function unknownServers(values: FlagValues, { changed, left }: Changed): void {
  const known = new Set([...changed, ...left.map((l) => l.name)]);
  const missing = values.all("server").find((name) => !known.has(name));
  if (missing !== undefined) throw new Error(`the file has no server "${missing}"`);
}
