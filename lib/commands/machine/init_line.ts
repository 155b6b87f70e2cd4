/**
 * The command line that `hoist init` puts into a configuration.
 *
 * @module
 */

import type { Behind } from "../../host_config/server_entry.ts";
import { redactUrl } from "../../log/redact_url.ts";
import { UsageError } from "../../cli/command.ts";
import { type FlagValues, flagWords } from "../../flags/flags.ts";
import { handedOn } from "./init_flags.ts";
import type { Advised } from "./init_print.ts";
import type { OracleNeeds } from "../../proxy_options/permissions.ts";
import { type ProxyLine, proxyLine } from "../../proxy_options/proxy_line.ts";
import type { SetupMachine } from "../../ports/machine.ts";
import type { ProxyOptions } from "../../proxy_options/proxy_flags.ts";
import { reasonOf } from "../../text/reason.ts";

/** The machine, and the proxy's own reading of its options. */
export interface InitMachine extends SetupMachine {
  /**
   * Reads what the options name, as `hoist-mcp` does before it starts.
   *
   * @returns The oracle it would ask; undefined for none.
   * @throws {Error} When `hoist-mcp` would refuse it.
   */
  oracle(options: ProxyOptions): Promise<OracleNeeds | undefined>;
}

/** One run of `hoist init`. */
export interface Setup extends Advised {
  readonly machine: InitMachine;
  readonly values: FlagValues;
}

/** A command line with the files it names read; refused as `hoist-mcp` would refuse it. */
export async function readWith(
  setup: Setup,
  name: string,
  behind: Behind | undefined,
): Promise<{ readonly line: ProxyLine; readonly setup: Setup }> {
  const first = lineFor(setup, name, behind);
  if ("why" in first) throw new UsageError(first.why);
  let oracle: OracleNeeds | undefined;
  try {
    oracle = await setup.machine.oracle(first.options);
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
  const read = { ...setup, oracle };
  const line = lineFor(read, name, behind);
  if ("why" in line) throw new UsageError(line.why);
  return { line, setup: read };
}

/** The command line that puts `hoist-mcp` before a server, or why it would be refused. */
export function lineFor(
  { values, runtime, kind, machine, form, oracle }: Setup,
  name: string,
  behind: Behind | undefined,
): ProxyLine | { readonly why: string } {
  const options = handedOn(values, machine.cwd);
  const isWrap = values.has("wrap");
  if (!values.has("record")) {
    const folder = `~/.hoist/logs${isWrap ? "" : `/${name.replace(/[^\w.-]/g, "_")}`}`;
    options.unshift(...flagWords("record", folder));
  }
  if (isWrap && !values.has("server-name")) options.push(...flagWords("server-name", name));
  if (isWrap && behind?.kind === "url") {
    if (URL.canParse(behind.url) && redactUrl(behind.url) !== new URL(behind.url).href) {
      return { why: "its URL holds what looks like a credential, which a command line would show" };
    }
    options.push("--upstream", behind.url);
  }
  const end = behind?.kind === "command" ? ["--", ...behind.words] : [];
  return proxyLine([...options, ...end], {
    machine,
    home: runtime.env("HOME") ?? runtime.env("USERPROFILE"),
    form,
    oracle,
    needsFullPath: kind.needsFullPath,
  });
}
