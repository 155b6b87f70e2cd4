/**
 * Session logs for tests, written as a conversation: who, when, what.
 *
 * @module
 */

import type { LineSource, LogHeader, SessionLog } from "../../lib/log/log.ts";
import { parseLog } from "../../lib/log/parse_log.ts";

/** A line: time, sender, and the message; text stands for a line that is not JSON. */
export type ScriptLine = readonly [t_ms: number, from: LineSource, message: unknown];

/** Makes a log of lines. It is printed and read back, as a real one is. */
export function scriptLog(
  lines: readonly ScriptLine[],
  header: Partial<LogHeader> = {},
): SessionLog {
  const first = {
    hoist_mcp_log: 2,
    session: "20261112T081503.077Z-911",
    started_unix_ms: 1794471303077,
    server_command: ["server"],
    domain: null,
    agent_model: null,
    ...header,
  };
  const rest = lines.map(([t_ms, from, message]) =>
    typeof message === "string" ? { t_ms, from, raw: message } : { t_ms, from, message }
  );
  return parseLog([first, ...rest].map((line) => JSON.stringify(line) + "\n").join(""));
}

/** A `tools/call` request. */
export function call(id: unknown, name: string, args: unknown = {}, params: object = {}): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, ...params } };
}

/** A result with one text. */
export function answer(id: unknown, text: string, isError = false): object {
  return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], isError } };
}

/** A message of the conversation. */
export function says(role: "user" | "assistant", content: string): object {
  return { role, content };
}
