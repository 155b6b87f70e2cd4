/**
 * A runtime for commands of hai-mcp under test: what it prints and says is kept.
 *
 * @module
 */

import type { Runtime } from "../../lib/ports/runtime.ts";
import type { HaiHome } from "./hai_home.ts";

/** A runtime, and what a command printed and said. */
export interface CommandRuntime {
  readonly runtime: Runtime;
  readonly out: string[];
  readonly said: string[];
}

/** Makes one on a control plane; `env` takes the place of the variables of its folders. */
export function commandRuntime(
  hai: HaiHome,
  { isTerminal = false, env }: {
    readonly isTerminal?: boolean;
    readonly env?: Readonly<Record<string, string>> | undefined;
  } = {},
): CommandRuntime {
  const out: string[] = [];
  const said: string[] = [];
  const variables: Readonly<Record<string, string>> = env ?? {
    HAI_HOME: hai.home,
    HAI_OWNER_HOME: hai.ownerHome,
    HOME: hai.root,
  };
  const runtime: Runtime = {
    say: (line) => void said.push(line),
    print: (text) => void out.push(text),
    env: (name) => variables[name],
    unixMs: () => hai.unixMs,
    monotonicMs: () => 0,
    stdoutIsTerminal: isTerminal,
    pid: 1,
    parentPid: 1,
  };
  return { runtime, out, said };
}
