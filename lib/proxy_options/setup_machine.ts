/**
 * What setting up and checking a machine asks of it.
 *
 * @module
 */

import type { OracleNeeds } from "./permissions.ts";
import type { ProxyOptions } from "./proxy_flags.ts";

/** How `hoist-mcp` is started: the compiled program, or its module by Deno. */
export type ProxyProgram =
  | { readonly kind: "compiled"; readonly path: string }
  | { readonly kind: "deno"; readonly deno: string; readonly entry: string };

/** The machine. */
export interface SetupMachine {
  readonly os: "linux" | "macos" | "windows";
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** How `hoist-mcp` of this installation is started. */
  readonly self: ProxyProgram;
  /** The file that a command's name stands for; undefined where there is none. */
  find(program: string): string | undefined;
  /**
   * Reads what the options name, as `hoist-mcp` does before it starts.
   *
   * @returns The oracle it would ask; undefined for none.
   * @throws {Error} When `hoist-mcp` would refuse it.
   */
  oracle(options: ProxyOptions): Promise<OracleNeeds | undefined>;
  /** A file's text to the byte; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
  /** Replaces a file whole, keeping its mode; makes it where there is none. */
  write(path: string, text: string): Promise<void>;
  /** Removes a file that may be missing. */
  remove(path: string): void;
}

/**
 * A path as it is opened: `~`, `%APPDATA%` and relative paths resolved.
 *
 * @param path The path as given.
 * @param machine The machine.
 * @param env Its environment.
 * @returns The path; undefined when it needs a folder that is unknown.
 */
export function resolvePath(
  path: string,
  machine: Pick<SetupMachine, "cwd">,
  env: (name: string) => string | undefined,
): string | undefined {
  const [, start, rest = ""] = /^(~|%APPDATA%)([/\\].*)?$/.exec(path) ?? [];
  if (start !== undefined) {
    const base = start === "~" ? env("HOME") ?? env("USERPROFILE") : env("APPDATA");
    return base === undefined ? undefined : base + rest;
  }
  return isAbsolute(path) ? path : `${machine.cwd}/${path.replace(/^\.\//, "")}`;
}

/**
 * What to do about a Deno that may be gone tomorrow.
 *
 * @param self How `hoist-mcp` is started.
 * @returns One sentence; undefined where its program stays where it is.
 */
export function fleeting(self: ProxyProgram): string | undefined {
  if (self.kind !== "deno" || !/[/\\]_npx[/\\]/.test(self.deno)) return undefined;
  return `${self.deno} is in npx's cache, which npm may empty: for configurations that last ` +
    "install Deno ('npm install -g deno') and run hoist with it";
}

/** Whether a path starts at a root, on either kind of system. */
export function isAbsolute(path: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(path);
}
