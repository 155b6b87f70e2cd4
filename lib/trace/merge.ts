/**
 * Merges the logs of several servers that one host session used at once.
 *
 * Logs of one host session are merged when their times overlap: lines are ordered by
 * time, tools are named `server::tool`, and request ids are made unique. Every proxy logs
 * the conversation; it is taken from the log that has the most of it.
 *
 * @module
 */

import type { ListedLog, LogLine, SessionLog } from "../log/log.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import { traceOf } from "./trace.ts";

/** The logs of one session: one, or several that overlap. */
export interface LogGroup {
  /** The logs, oldest first. */
  readonly logs: readonly ListedLog[];
  /** A warning for the user. */
  readonly note: string | undefined;
  /** Reads and merges the logs; with a prefix, tools carry their server's name. */
  read(readLog: ReadLog, isPrefixed: boolean): Promise<SessionLog>;
}

/** Reads one log. */
type ReadLog = (path: string) => Promise<SessionLog>;

/** A log and the time from its first line to its last. */
interface Span {
  readonly file: ListedLog;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Groups the logs of a folder.
 *
 * @param logs The logs, oldest first.
 * @param readLog Reads one log. Logs that share a host session are read, one at a time, for
 * the times of their last lines.
 * @returns One group per session, in order of their starts.
 */
export async function groupLogs(
  logs: readonly ListedLog[],
  readLog: ReadLog,
): Promise<LogGroup[]> {
  const byHost = Map.groupBy(logs, (log) => log.header?.host_session);
  const groups: LogGroup[] = [];
  for (const [host, files] of byHost) {
    if (host === undefined || files.length === 1) {
      groups.push(...files.map((file) => groupOf([file])));
      continue;
    }
    const spans: Span[] = [];
    for (const file of files) spans.push(spanOf(file, await readLog(file.path)));
    let runs = 0;
    for (const run of overlapping(spans)) {
      const twin = run.find((a) => run.some((b) => a !== b && a.name === b.name && overlap(a, b)));
      if (twin !== undefined) {
        const note = `host session "${host}" has two logs of servers named "${
          twin.name || "none"
        }" at once, kept apart: name them with --server-name`;
        groups.push(...run.map(({ file }, i) => groupOf([file], i === 0 ? { note } : {})));
      } else if (run.length === 1) groups.push(groupOf(run.map(({ file }) => file)));
      else {
        runs++;
        const id = runs === 1 ? host : `${host}#${runs}`;
        groups.push(groupOf(run.map(({ file }) => file), { id }));
      }
    }
  }
  const place = new Map(logs.map((log, i) => [log, i]));
  const first = ({ logs: [log] }: LogGroup) => log === undefined ? 0 : place.get(log) ?? 0;
  return groups.sort((a, b) => first(a) - first(b));
}

function groupOf(
  logs: readonly ListedLog[],
  { note, id }: { readonly note?: string; readonly id?: string } = {},
): LogGroup {
  return {
    logs,
    note,
    read: async (readLog, isPrefixed) => {
      const read = await Promise.all(logs.map(({ path }) => readLog(path)));
      const [first] = read;
      if (first === undefined) throw new RangeError("Cannot read a session without logs");
      return read.length === 1 && !isPrefixed ? first : merge(read, id);
    },
  };
}

function spanOf(file: ListedLog, log: SessionLog): Span {
  const start = log.header.started_unix_ms;
  return { file, name: nameOf(log), start, end: start + (log.lines.at(-1)?.t_ms ?? 0) };
}

function overlap(a: Span, b: Span): boolean {
  return a.start <= b.end && b.start <= a.end;
}

/** Logs that overlap, one with the next, together. */
function overlapping(spans: readonly Span[]): Span[][] {
  const runs: Span[][] = [];
  let end = -Infinity;
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const run = runs.at(-1);
    if (run !== undefined && span.start <= end) run.push(span);
    else runs.push([span]);
    end = Math.max(end, span.end);
  }
  return runs;
}

/** The prefix of a server's tools: the header's name for it, else its own. */
function nameOf(log: SessionLog): string {
  return log.header.server_name ?? log.header.domain ?? traceOf(log).parties.server?.name ?? "";
}

/**
 * Merges logs into one.
 *
 * @param logs The logs of one session, the oldest first.
 * @param id The session's id; by default the first log's.
 * @returns One log with the first log's header and that id.
 */
export function merge(logs: readonly SessionLog[], id?: string): SessionLog {
  const [first] = logs;
  if (first === undefined) throw new RangeError("Cannot merge no logs");
  const spoken = (log: SessionLog) => log.lines.filter((line) => line.from === "context").length;
  const talker = logs.reduce((a, b) => spoken(b) > spoken(a) ? b : a);
  const lines = logs.flatMap((log, order) => {
    const shift = log.header.started_unix_ms - first.header.started_unix_ms;
    const name = nameOf(log);
    const named = log.lines.filter((line) => line.from !== "context" || log === talker)
      .map((line) => prefixed(line, name));
    const all = logs.length === 1 ? named : [...named, ...cancellations({ ...log, lines: named })];
    return all.map((line) => ({ line, t: line.t_ms + shift, order }));
  });
  lines.sort((a, b) => a.t - b.t || a.order - b.order);
  return {
    header: { ...first.header, session: id ?? first.header.session },
    lines: lines.map(({ line, t }) => ({ ...line, t_ms: t })),
    problems: logs.flatMap((log) => log.problems),
  };
}

/** Cancels the calls that a log leaves open, so that they do not extend another server's turn. */
function cancellations(log: SessionLog): LogLine[] {
  const { line = 1, t_ms = 0 } = log.lines.at(-1) ?? {};
  return traceOf(log).pairs.exchanges.filter(({ request, answers, cancelled }) =>
    request.method === "tools/call" && request.from !== "server" && answers.length === 0 &&
    cancelled === undefined
  ).map(({ request }): LogLine => {
    const params = { requestId: request.id };
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    return {
      kind: "message",
      line,
      t_ms,
      from: request.from,
      message,
      text: JSON.stringify(message),
    };
  });
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
