/**
 * Checks one configuration: which servers are behind `hoist-mcp`, and whether their programs
 * exist.
 *
 * @module
 */

import type { ConfigText } from "../../host_config/config_text.ts";
import type { HostKind } from "../../host_config/host_table.ts";
import { readConfig } from "../../host_config/read_config.ts";
import { behindHoist, serversOf } from "../../host_config/server_entry.ts";
import type { DataFile, SetupMachine } from "../../ports/machine.ts";
import { reasonOf } from "../../text/reason.ts";

/** One finding. */
export interface Check {
  /** Whether all is well, there is something to know, or something to mend. */
  readonly state: "ok" | "note" | "fix";
  /** What was checked. */
  readonly what: string;
  /** What was found, and what to do. */
  readonly says: string;
}

/** A server behind `hoist-mcp`. */
export interface ConfiguredServer {
  readonly name: string;
  /** What the host starts. */
  readonly words: readonly string[];
  /** What the configuration adds to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of the variables that the host passes to it; all where it is undefined. */
  readonly inherits: readonly string[] | undefined;
  /** Folder of its logs, as given. */
  readonly record: string | undefined;
  /** Files that its command line names. */
  readonly files: readonly DataFile[];
  /** Its upstream. */
  readonly upstream: string | undefined;
}

/**
 * Checks a configuration.
 *
 * @param path The file.
 * @param owner The host that reads it.
 * @param machine The machine.
 * @param isAsked Whether the file must exist.
 * @returns What was found, and the servers behind `hoist-mcp`.
 */
export async function checkConfig(
  path: string,
  owner: HostKind,
  machine: SetupMachine,
  isAsked: boolean,
): Promise<{ readonly checks: readonly Check[]; readonly servers: readonly ConfiguredServer[] }> {
  const what = `${owner.title} ${path}`;
  let config: ConfigText;
  try {
    const text = await machine.read(path);
    if (text === undefined) {
      const missing: Check = { state: "fix", what, says: "there is no such file" };
      return { checks: isAsked ? [missing] : [], servers: [] };
    }
    config = await readConfig(text, owner);
  } catch (error) {
    const says = reasonOf(error);
    return { checks: [{ state: "fix", what, says }], servers: [] };
  }
  const all = serversOf(config.root, owner);
  const faults: Check[] = [];
  const servers: ConfiguredServer[] = [];
  for (const { path: keys, target } of all) {
    if (target.kind !== "command") continue;
    const behind = behindHoist(target.words);
    if (behind === undefined) continue;
    const name = keys.at(-1) ?? "";
    const programs = [target.words[0], behind.kind === "command" ? behind.words[0] : undefined];
    for (const program of programs) {
      if (program === undefined || machine.find(program) !== undefined) continue;
      faults.push({ state: "fix", what: `${what}, ${name}`, says: `no program "${program}"` });
    }
    servers.push({
      name,
      words: target.words,
      env: envOf(config, keys),
      inherits: owner.inherits && [...owner.inherits, ...passedOn(config, keys, owner)],
      record: afterFlag(target.words, "record"),
      files: (["flow", "lock"] as const).flatMap((kind) => {
        const path = afterFlag(target.words, kind);
        return path === undefined ? [] : [{ kind, path }];
      }),
      upstream: afterFlag(target.words, "upstream"),
    });
  }
  const found: Check = {
    state: "ok",
    what,
    says: `hoist-mcp in front of ${servers.length} of ${all.length} servers`,
  };
  return { checks: [found, ...faults], servers };
}

/** Flags of `hoist-mcp` that make it write logs, each with a value. */
const LOG_FLAGS = ["record", "retain-days", "flow-log", "confirm-log"];

/**
 * A command line of `hoist-mcp` without its logs, so that a trial leaves no session in them.
 *
 * @param words Program and arguments.
 * @returns The words without the flags of logs.
 */
export function withoutLogs(words: readonly string[]): string[] {
  const cut = words.indexOf("--");
  const end = cut < 0 ? words.length : cut;
  const isLog = (word: string | undefined) => LOG_FLAGS.some((name) => word === `--${name}`);
  return words.filter((word, i) =>
    i >= end ||
    !(isLog(word) || isLog(words[i - 1]) || LOG_FLAGS.some((f) => word.startsWith(`--${f}=`)))
  );
}

/** The variables that an entry has the host pass on. */
function passedOn(config: ConfigText, keys: readonly string[], owner: HostKind): string[] {
  let node = config.root.members;
  for (const key of keys) node = node?.get(key)?.node.members;
  const names = owner.variablesKey && node?.get(owner.variablesKey)?.node.value;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

function envOf(config: ConfigText, keys: readonly string[]): Record<string, string> {
  let node = config.root.members;
  for (const key of keys) node = node?.get(key)?.node.members;
  const env = (node?.get("env") ?? node?.get("environment"))?.node.value;
  if (typeof env !== "object" || env === null) return {};
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
}

function afterFlag(words: readonly string[], name: string): string | undefined {
  const cut = words.indexOf("--");
  const head = cut < 0 ? words : words.slice(0, cut);
  const at = head.indexOf(`--${name}`);
  const joined = head.find((word) => word.startsWith(`--${name}=`));
  return at < 0 ? joined?.slice(name.length + 3) : head[at + 1];
}
