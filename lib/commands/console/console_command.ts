/**
 * `hoist console`: recorded sessions in a browser.
 *
 * @module
 */

import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { progressOn } from "../../cli/progress.ts";
import {
  type AnswerOptions,
  consoleAddress,
  type ConsoleOptions,
  consoleStartNeeds,
} from "../../console/record/console_options.ts";
import { expandHome } from "../../flags/expand_home.ts";
import type { HaiConfig } from "../../hai/state/config.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { permissionFlags, shellLine } from "../../proxy_options/permissions.ts";
import { CONSOLE_FLAGS } from "./console_flags.ts";

export { CONSOLE_FLAGS };

/** What the command asks of the machine. */
export interface ConsolePorts {
  readonly machine: {
    /** A folder's real path; made with mode 0700 where there is none and `makes` is true. */
    folder(path: string, makes: boolean): string;
    /** The control plane's settings; undefined where it has no folder yet. */
    haiConfig(runtime: Runtime): HaiConfig | undefined;
    hasScreen(runtime: Runtime): boolean;
    /** The program that opens a browser. */
    readonly opener: string;
    /** Folder or file that the program's code is in; undefined in a compiled program. */
    readonly source: string | undefined;
    run(options: ConsoleOptions, onProgress: (text: string) => void): Promise<number>;
  };
}

/** Flags of `deno run` beside permissions, for a program that is run from elsewhere. */
const UNSTABLE_FLAGS = ["--unstable-worker-options", "--unstable-raw-imports"];

/** Runs `hoist console`. */
export const consoleCommand = commandOf(CONSOLE_FLAGS, consoleRun);

async function consoleRun({ values, runtime, machine }: Run<ConsolePorts>): Promise<number> {
  const home = runtime.env("HOME") ?? runtime.env("USERPROFILE");
  const listen = consoleAddress(values.get("listen") ?? "127.0.0.1:7878");
  if (typeof listen === "string") throw new UsageError(listen);
  const path = (text: string) => {
    const expanded = expandHome(text, home);
    if (expanded === null) throw new UsageError(`"${text}" begins with ~, but HOME is not set`);
    return expanded;
  };
  const named = values.positionals.map(path);
  // A folder that was named has to be there: a typing mistake must not become an empty console.
  const dirs = named.length > 0
    ? named.map((dir) => machine.folder(dir, false))
    : [machine.folder(path("~/.hoist/logs"), true)];
  const given = values.get("index");
  const index = given === undefined ? dirs[0] ?? "" : machine.folder(path(given), true);
  const opens = !values.has("no-open") && !values.has("export") &&
    (values.has("print-permissions") || machine.hasScreen(runtime));
  const answers = answerOptions({ values, runtime, machine }, path);
  const out = values.get("export");
  const exportTo = out === undefined ? undefined : machine.folder(path(out), true);
  if (exportTo !== undefined && answers !== undefined) {
    throw new UsageError("--export writes files that nobody can answer: leave out --answer");
  }
  const options = { dirs: [...new Set(dirs)], index, listen, opens, answers, exportTo };
  if (values.has("print-permissions")) {
    const needs = consoleStartNeeds(options, machine.opener, machine.source);
    runtime.print(shellLine([...permissionFlags(needs), ...UNSTABLE_FLAGS]));
    return 0;
  }
  const progress = progressOn(runtime);
  return await machine.run(options, (text) => text === "" ? progress.clear() : progress.show(text));
}

/** What `--answer` asks for. It needs a terminal: that is where the owner reads the code. */
function answerOptions(
  { values, runtime, machine }: Run<ConsolePorts>,
  path: (text: string) => string,
): AnswerOptions | undefined {
  if (!values.has("answer")) {
    if (values.has("approve-dir")) throw new UsageError("--approve-dir needs --answer");
    return undefined;
  }
  if (!runtime.stdoutIsTerminal && !values.has("print-permissions")) {
    throw new Error(
      "Cannot answer here: the owner's code is shown at a terminal, and this is none",
    );
  }
  return {
    approveDir: machine.folder(path(values.get("approve-dir") ?? "~/.hoist/approvals"), true),
    hai: machine.haiConfig(runtime),
  };
}
