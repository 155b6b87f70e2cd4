/**
 * Logs of several servers that one host session used at once, as one session.
 *
 * Logs of a group whose times overlap are merged: lines in order of time, each
 * tool named `server::tool`, request ids made unlike each other. The conversation,
 * which each proxy logged, is taken from the log that holds the most of it.
 *
 * @module
 */

import type { LogFile, LogHeader, LogLine, SessionLog } from "../log/log.ts";
import { isObject, type JsonObject } from "./json.ts";

/** A session: one log, or several that belong together. */
export interface SessionGroup {
  readonly logs: readonly LogFile[];
  /** What a reader should know about it. */
  readonly note: string | undefined;
  /** Reads it; with a prefix, tools carry their server's name. */
  read(readLog: (path: string) => Promise<SessionLog>, isPrefixed: boolean): Promise<SessionLog>;
}

/** A gap longer than this between two logs of a host session makes two sessions. */
const MAX_GAP_MS = 6 * 3_600_000;

/**
 * Groups the logs of a folder.
 *
 * @param logs The logs, oldest first.
 * @returns One group a session, in the order they began.
 */
export function mergedSessions(logs: readonly LogFile[]): SessionGroup[] {
  const groups: LogFile[][] = [];
  const notes = new Map<LogFile[], string>();
  const latest = new Map<string, LogFile[]>();
  for (const log of logs) {
    const host = log.header?.host_session;
    const known = host === undefined ? undefined : latest.get(host);
    const last = known?.at(-1)?.header;
    const isNear = last !== undefined && log.header !== undefined &&
      log.header.started_unix_ms - last.started_unix_ms <= MAX_GAP_MS;
    if (
      known !== undefined && isNear && !known.some((k) => nameOf(k.header) === nameOf(log.header))
    ) {
      known.push(log);
      continue;
    }
    const group = [log];
    groups.push(group);
    if (isNear && host !== undefined) {
      const name = nameOf(log.header) || "none";
      notes.set(
        group,
        `host session "${host}" has two logs of servers named "${name}", kept apart: name them with ` +
          "--server-name",
      );
    }
    if (host !== undefined) latest.set(host, group);
  }
  return groups.map((group) => ({
    logs: group,
    note: notes.get(group),
    read: async (readLog, isPrefixed) => {
      const read = await Promise.all(group.map(({ path }) => readLog(path)));
      const [first] = read;
      if (first === undefined) throw new RangeError("Cannot read a session without logs");
      return read.length === 1 && !isPrefixed ? first : merge(read);
    },
  }));
}

/** The name that tells a server's tools from another's. */
function nameOf(header: LogHeader | undefined): string {
  return header?.server_name ?? header?.domain ?? "";
}

/**
 * Merges logs into one.
 *
 * @param logs The logs of one session, the oldest first.
 * @returns One log: the first one's header, under the host session's name where there are several.
 */
export function merge(logs: readonly SessionLog[]): SessionLog {
  const [first] = logs;
  if (first === undefined) throw new RangeError("Cannot merge no logs");
  const spoken = (log: SessionLog) => log.lines.filter((line) => line.from === "context").length;
  const talker = logs.reduce((a, b) => spoken(b) > spoken(a) ? b : a);
  const lines = logs.flatMap((log, order) => {
    const shift = log.header.started_unix_ms - first.header.started_unix_ms;
    return log.lines.filter((line) => line.from !== "context" || log === talker)
      .map((line) => ({ line: prefixed(line, nameOf(log.header)), t: line.t_ms + shift, order }));
  });
  lines.sort((a, b) => a.t - b.t || a.order - b.order);
  const session = logs.length > 1
    ? first.header.host_session ?? first.header.session
    : first.header.session;
  return {
    header: { ...first.header, session },
    lines: lines.map(({ line, t }) => ({ ...line, t_ms: t })),
    problems: logs.flatMap((log) => log.problems),
  };
}

function prefixed(line: LogLine, name: string): LogLine {
  if (line.kind !== "message" || line.from === "context") return line;
  const message = Array.isArray(line.message)
    ? line.message.map((m) => prefixedMessage(m, name))
    : prefixedMessage(line.message, name);
  return { ...line, message, text: JSON.stringify(message) };
}

function prefixedMessage(message: unknown, name: string): unknown {
  if (!isObject(message)) return message;
  const out: Record<string, unknown> = { ...message };
  if ("id" in out && out.id !== null) out.id = `${name}/${JSON.stringify(out.id)}`;
  const { params, result } = message;
  if (message.method === "tools/call" && isObject(params) && typeof params.name === "string") {
    out.params = { ...params, name: `${name}::${params.name}` };
  }
  if (message.method === "notifications/cancelled" && isObject(params) && "requestId" in params) {
    out.params = { ...params, requestId: `${name}/${JSON.stringify(params.requestId)}` };
  }
  if (isObject(result) && Array.isArray(result.tools)) {
    out.result = { ...result, tools: result.tools.map((tool) => prefixedTool(tool, name)) };
  }
  return out;
}

function prefixedTool(tool: unknown, name: string): unknown {
  if (!isObject(tool) || typeof tool.name !== "string") return tool;
  const named: JsonObject = { ...tool, name: `${name}::${tool.name}` };
  return named;
}
