/**
 * What the tools of a host itself do, for the hook that judges their calls: Claude Code's, as of
 * version 2.1. A tool or an argument that is not here cannot be judged.
 *
 * @module
 */

import { at, isObject, type JsonObject, textAt } from "../../json/json.ts";
import type { GatedUse } from "../../ports/tool_gate.ts";
import { type HaiMap, useOf } from "./map.ts";

/** A call that a host is about to make. */
export interface HostCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The folder that it works in. */
  readonly cwd: string;
}

/** What the hook is to do about a call. */
export type HostUse =
  | { readonly kind: "judge"; readonly use: GatedUse }
  /** It touches nothing, or another part of the contract judges it. */
  | { readonly kind: "none" }
  | { readonly kind: "fault"; readonly why: string };

/** Tools that touch neither files nor programs nor a network by themselves. */
const IDLE: ReadonlySet<string> = new Set([
  ...[
    "Task",
    "Agent",
    "TodoWrite",
    "ExitPlanMode",
    "EnterPlanMode",
    "AskUserQuestion",
    "ToolSearch",
  ],
  ...["TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskOutput", "TaskStop", "SendMessage"],
  ...["BashOutput", "KillShell", "Skill", "SlashCommand"],
]);
/** Tools of MCP servers: `hoist-mcp --hai` judges them where they pass. */
const MCP = /^mcp__|^(?:List|Read)McpResource/;
/** Tools that look at the folder they work in when no path is given. */
const LOOKS_AT_CWD: ReadonlySet<string> = new Set(["Glob", "Grep", "LS"]);

const TOOLS: HaiMap["tools"] = {
  Read: { action: "read", paths: ["file_path"], other: ["offset", "limit", "pages"] },
  LS: { action: "read", paths: ["path"], other: ["ignore"] },
  Glob: { action: "read", paths: ["path", "pattern"] },
  Grep: {
    action: "read",
    paths: ["path", "glob"],
    other: [
      ...["pattern", "output_mode", "type", "head_limit", "offset", "multiline", "context"],
      ...["-A", "-B", "-C", "-n", "-i", "-o"],
    ],
  },
  Write: { action: "write", paths: ["file_path"], other: ["content"] },
  Edit: {
    action: "write",
    paths: ["file_path"],
    other: ["old_string", "new_string", "replace_all"],
  },
  MultiEdit: { action: "write", paths: ["file_path"], other: ["edits"] },
  NotebookEdit: {
    action: "write",
    paths: ["notebook_path"],
    other: ["new_source", "cell_id", "cell_type", "edit_mode"],
  },
  // What a command touches cannot be told from its text.
  Bash: {
    action: "shell",
    other: ["command", "description", "timeout", "run_in_background"],
  },
  WebFetch: { action: "network", other: ["url", "prompt"] },
  WebSearch: { action: "network", other: ["query", "allowed_domains", "blocked_domains"] },
};

/** The name of Claude Code's own tools in contracts. */
export const HOST_SERVER = "claude-code";

/**
 * Reads what Claude Code hands to a `PreToolUse` hook.
 *
 * @param text Standard input.
 * @returns The call.
 * @throws {Error} When it is no such input.
 */
export function readHookInput(text: string): HostCall {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    throw new Error("standard input is no JSON");
  }
  const tool = textAt(input, "tool_name");
  const cwd = textAt(input, "cwd");
  const args = at(input, "tool_input") ?? {};
  if (textAt(input, "hook_event_name") !== "PreToolUse" || tool === undefined) {
    throw new Error("standard input is not that of a PreToolUse hook");
  }
  if (cwd === undefined || !isObject(args)) {
    throw new Error("standard input names no folder, or no arguments");
  }
  return { tool, arguments: args, cwd };
}

/**
 * Says what a call of the host's own tools does.
 *
 * @param call The call.
 * @returns What it does, that there is nothing to judge, or why it cannot be told.
 */
export function hostUse({ tool, arguments: args, cwd }: HostCall): HostUse {
  if (IDLE.has(tool) || MCP.test(tool)) return { kind: "none" };
  const map: HaiMap = { hoist_hai_map: 1, server: HOST_SERVER, base: cwd, tools: TOOLS };
  const use = useOf(map, tool, args);
  if ("fault" in use) return { kind: "fault", why: use.fault };
  const looks = LOOKS_AT_CWD.has(tool) && args["path"] === undefined;
  return { kind: "judge", use: looks ? { ...use, paths: [...use.paths, cwd] } : use };
}
