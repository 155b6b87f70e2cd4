/**
 * Makes the whole command line of `hoist-mcp`: the compiled program, the npm package, or Deno with
 * exactly the permissions that its options need.
 *
 * @module
 */

import { type OracleNeeds, startFlags } from "./permissions.ts";
import { VERSION } from "../flags/version.ts";
import { parseProxyFlags, type ProxyOptions } from "./proxy_flags.ts";
import type { ProxyProgram, SetupMachine } from "../ports/machine.ts";

/** A command line and its options. */
export interface ProxyLine {
  /** Program and arguments. */
  readonly words: readonly string[];
  /** Its parsed options. */
  readonly options: ProxyOptions;
}

/** How the command line is made. */
export interface ProxyLineSetup {
  readonly machine: SetupMachine;
  /** The home directory; undefined when unknown. */
  readonly home: string | undefined;
  /** How it is started. */
  readonly form: ProxyProgram["kind"];
  /** The oracle it asks; undefined for none. */
  readonly oracle: OracleNeeds | undefined;
  /** Whether the program is named by its full path even where it is on PATH. */
  readonly needsFullPath: boolean;
}

/**
 * Makes the command line.
 *
 * @param args The arguments of `hoist-mcp`.
 * @param setup Where and how it is started.
 * @returns The command line, or why `hoist-mcp` would refuse it.
 */
export function proxyLine(
  args: readonly string[],
  { machine, home, form, oracle, needsFullPath }: ProxyLineSetup,
): ProxyLine | { readonly why: string } {
  const parsed = parseProxyFlags(args, home);
  if (parsed.kind === "text") return { why: "an option for hoist-mcp prints a text and ends" };
  if (parsed.kind === "refused") return { why: parsed.message.split("\n")[0] ?? "" };
  const { options } = parsed;
  const { self } = machine;
  const named = (name: string, path: string | undefined) =>
    path !== undefined && (needsFullPath || machine.find(name) === undefined) ? path : name;
  const installed = machine.find("hoist-mcp");
  if (form === "npm" && (installed === undefined || isInNpxCache(installed))) {
    const spec = self.kind === "npm" ? self.spec : `@hoist/mcp@${VERSION}`;
    return {
      words: [named("npx", machine.find("npx")), "-y", spec, "hoist-mcp", ...args],
      options,
    };
  }
  if (form !== "deno") {
    const path = self.kind === "compiled" ? self.path : installed;
    return { words: [named("hoist-mcp", path), ...args], options };
  }
  const deno = self.kind === "deno" ? self.deno : machine.find("deno");
  const entry = self.kind === "deno" ? self.entry : `jsr:@hoist/mcp/hoist-mcp`;
  const source = entry.startsWith("jsr:") ? undefined : entry;
  return {
    words: [
      named("deno", deno),
      "run",
      ...startFlags(options, source, oracle),
      entry,
      ...args,
    ],
    options,
  };
}

/**
 * Warns about a Deno in npx's cache, which may disappear.
 *
 * @param self How `hoist-mcp` is started.
 * @returns One sentence; undefined for a lasting installation.
 */
export function fleeting(self: ProxyProgram): string | undefined {
  if (self.kind !== "deno" || !isInNpxCache(self.deno)) return undefined;
  return `${self.deno} is in npx's cache, which npm may empty: for configurations that last ` +
    "install Deno ('npm install -g deno') and run hoist with it";
}

function isInNpxCache(path: string): boolean {
  return /[/\\]_npx[/\\]/.test(path);
}
