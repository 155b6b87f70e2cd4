/**
 * `hoist context-hook`: a hook for Claude Code that writes the conversation to the file of
 * `hoist-mcp --context`.
 *
 * It prints nothing on stdout, which Claude Code would show to the agent, and never ends with status
 * 2, on which Claude Code refuses the prompt.
 *
 * @module
 */

import { hookWork } from "../intercept/context/claude_code.ts";
import type { ContextMessage } from "../intercept/context/conversation.ts";
import type { Runtime } from "../ports/runtime.ts";
import { expandSession } from "../log/session_name.ts";
import { needed, runCommand, UsageError } from "../cli/command.ts";
import { expandHome } from "../flags/expand_home.ts";
import type { FlagTable, FlagValues } from "../flags/flags.ts";
import { reasonOf } from "../text/reason.ts";

/** The table of `hoist context-hook`. */
export const CONTEXT_HOOK_FLAGS: FlagTable = {
  program: "hoist context-hook",
  summary:
    "A hook for Claude Code: appends the conversation to the file that hoist-mcp --context reads.",
  examples: ["hoist context-hook --context ~/.hoist/conversations/orders.jsonl"],
  usage: ["--context FILE < HOOK_INPUT"],
  flags: [
    {
      name: "context",
      value: "FILE",
      help:
        "The conversation file. {session} in it is replaced by HOIST_SESSION; a leading ~ is the home " +
        "directory.",
    },
  ],
  notes: [
    "For the events SessionStart, UserPromptSubmit, Stop, and PostToolUse of AskUserQuestion; others\n" +
    "are ignored. A session that starts or is cleared empties the file. See docs/context.md.",
    "Exit status: 0 done; 1 anything else. Never 2, which would make Claude Code refuse the prompt.",
  ],
};

/** The hook's input and files. */
export interface HookPorts {
  /** All of standard input. */
  readInput(): Promise<string>;
  append(path: string, messages: readonly ContextMessage[]): void;
  empty(path: string): void;
  lastMessage(path: string): ContextMessage | undefined;
  endOfFile(path: string): string;
}

/**
 * Runs `hoist context-hook`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Stderr, for faults.
 * @param ports Input and files.
 * @returns The exit status, 0 or 1.
 */
export async function contextHookCommand(
  args: readonly string[],
  runtime: Runtime,
  ports: HookPorts,
): Promise<number> {
  const status = await runCommand(
    CONTEXT_HOOK_FLAGS,
    args,
    runtime,
    (values) => contextHook(values, runtime, ports),
  );
  return status === 0 ? 0 : 1;
}

async function contextHook(
  values: FlagValues,
  runtime: Runtime,
  ports: HookPorts,
): Promise<number> {
  const path = pathOf(needed(values, "context"), runtime);
  let input: unknown;
  try {
    input = JSON.parse(await ports.readInput());
  } catch (cause) {
    throw new Error("Cannot read the hook's input: it is not JSON", { cause });
  }
  const { isNew, messages } = hookWork(input, {
    lastMessage: () => ports.lastMessage(path),
    transcriptEnd: ports.endOfFile,
  });
  try {
    if (isNew) ports.empty(path);
    if (messages.length > 0) ports.append(path, messages);
  } catch (cause) {
    const why = reasonOf(cause);
    throw new Error(`Cannot write "${path}": ${why}`, { cause });
  }
  return 0;
}

function pathOf(given: string, runtime: Runtime): string {
  const path = expandHome(given, runtime.env("HOME") ?? runtime.env("USERPROFILE"));
  if (path === null) {
    throw new UsageError(`--context "${given}" begins with ~, but HOME is not set`);
  }
  if (!path.includes("{session}")) return path;
  const session = runtime.env("HOIST_SESSION");
  if (session === undefined) {
    throw new UsageError(`--context "${given}" needs HOIST_SESSION, which names the session`);
  }
  return expandSession(path, session);
}
