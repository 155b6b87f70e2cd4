/**
 * Which permissions `hoist-mcp` needs for given options, as pure data: what
 * `--print-permissions` prints, what the worker that runs an HTTP mode is given,
 * and what a test compares with the real need.
 *
 * A session on the standard streams gives all of them back before the first byte
 * is relayed. An HTTP mode needs some for as long as it runs: they go to a worker
 * ({@linkcode workerNeeds}), and the rest of the program gives all of them back.
 *
 * @module
 */

import { netOf, netOfAddress } from "./http_flags.ts";
import type { ProxyOptions } from "./proxy_flags.ts";

/** Permissions, by kind. */
export interface PermissionNeeds {
  /** Commands that are started. */
  readonly run: readonly string[];
  /** Files that are read and folders that are listed. */
  readonly read: readonly string[];
  /** Folders that are written to. */
  readonly write: readonly string[];
  /** Hosts, with ports, that are connected to or listened on. */
  readonly net: readonly string[];
  /** Variables that are looked at. */
  readonly env: readonly string[];
}

/** The shell that ends the server's process group, see lib/transport/reaper.ts. */
const REAPER = "sh";

/**
 * What the options need at the start.
 *
 * @param options The proxy's options.
 * @param self Path of the executable's own module, which an HTTP mode's worker is made of.
 * @returns The permissions to start with.
 */
export function permissionNeeds(options: ProxyOptions, self: string): PermissionNeeds {
  const { upstream, listen } = options;
  const needs = workerNeeds(options);
  const variables = upstream?.headers.map((header) => header.variable) ?? [];
  const isHttp = upstream !== undefined || listen !== undefined;
  const token = listen?.tokenFile;
  return {
    ...needs,
    read: [...needs.read, ...isHttp ? [sourceOf(self)] : [], ...token === undefined ? [] : [token]],
    env: ["HOIST_DEBUG", "HOIST_SESSION", "HOME", "USERPROFILE", ...variables],
  };
}

/** What a worker of the executable is loaded from: the package, or the one file it is bundled in. */
function sourceOf(self: string): string {
  return self.replace(/\/cmd\/[\w.]+$/, "");
}

/**
 * What the options need for as long as a session runs.
 *
 * @param options The proxy's options.
 * @returns The permissions of the worker.
 */
export function workerNeeds(options: ProxyOptions): PermissionNeeds {
  const { record, upstream, listen, command } = options;
  const net = upstream === undefined ? [] : [netOf(upstream.url)];
  if (listen !== undefined) net.push(netOfAddress(listen));
  return {
    run: upstream === undefined ? [command[0] ?? "", REAPER] : [],
    read: record?.retainDays === undefined ? [] : [record.dir],
    write: record === undefined ? [] : [record.dir],
    net,
    env: [],
  };
}

/**
 * What is left once the first message is relayed.
 *
 * @param options The proxy's options.
 * @returns The permissions; on stdio none, in an HTTP mode the worker's less the right to listen.
 */
export function sessionNeeds(options: ProxyOptions): PermissionNeeds {
  const { upstream, listen } = options;
  if (upstream === undefined && listen === undefined) {
    return { run: [], read: [], write: [], net: [], env: [] };
  }
  return { ...workerNeeds(options), net: upstream === undefined ? [] : [netOf(upstream.url)] };
}

/**
 * The flags of `deno run` that grant what is needed and ask for nothing more.
 *
 * @param needs What is needed.
 * @returns The flags, each one word of a command line.
 */
export function permissionFlags(needs: PermissionNeeds): string[] {
  const flag = (kind: keyof PermissionNeeds): string[] => {
    if (needs[kind].length === 0) return [];
    // Deno knows no way to write a comma in a list: then all of the kind has to be granted.
    const isListable = needs[kind].every((value) => !value.includes(","));
    return [`--allow-${kind}${isListable ? `=${needs[kind].join(",")}` : ""}`];
  };
  return [
    "--no-prompt",
    ...flag("run"),
    ...flag("read"),
    ...flag("write"),
    ...flag("net"),
    ...flag("env"),
  ];
}

/**
 * Words of a command line as one line of POSIX shell.
 *
 * @param words The words.
 * @returns The line; words with other than plain characters are quoted.
 */
export function shellLine(words: readonly string[]): string {
  return words.map((word) =>
    /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
  ).join(" ");
}
