/**
 * Which permissions `hoist-mcp` needs for given options, as pure data: what
 * `--print-permissions` prints, and what a test compares with the real need.
 *
 * All of them are given back before the first byte of the session is relayed.
 *
 * @module
 */

import type { ProxyOptions } from "./proxy_flags.ts";

/** Permissions a mode needs at its start, by kind. */
export interface PermissionNeeds {
  /** Commands that are started. */
  readonly run: readonly string[];
  /** Folders that are listed. */
  readonly read: readonly string[];
  /** Folders that are written to. */
  readonly write: readonly string[];
  /** Variables that are looked at. */
  readonly env: readonly string[];
}

/** The shell that ends the server's process group, see lib/transport/reaper.ts. */
const REAPER = "sh";

/**
 * What the options need.
 *
 * @param options The proxy's options.
 * @returns The permissions to start with.
 */
export function permissionNeeds(options: ProxyOptions): PermissionNeeds {
  const { record } = options;
  return {
    run: [options.command[0] ?? "", REAPER],
    read: record?.retainDays === undefined ? [] : [record.dir],
    write: record === undefined ? [] : [record.dir],
    env: ["HOIST_DEBUG", "HOIST_SESSION", "HOME", "USERPROFILE"],
  };
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
  return ["--no-prompt", ...flag("run"), ...flag("read"), ...flag("write"), ...flag("env")];
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
