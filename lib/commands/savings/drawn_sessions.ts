/**
 * Reads the sessions of a folder with the arms that they were drawn for.
 *
 * @module
 */

import { logStem } from "../../log/log_names.ts";
import { type FlowLog, readFlowLog } from "../../flow/walking/read_flow_log.ts";
import type { FlowLogStore } from "../../ports/files.ts";
import type { DrawnSession } from "../../savings/compare_arms.ts";
import { measureSession } from "../../savings/measured_session.ts";
import { manifestOf, type ToolKind } from "../../trace/manifest.ts";
import { groupLogs } from "../../trace/merge.ts";
import { traceOf } from "../../trace/trace.ts";
import { noSessions } from "../sessions/no_sessions.ts";

/** Measured sessions, and notes for stderr. */
export interface DrawnSessions {
  readonly sessions: readonly DrawnSession[];
  readonly notes: readonly string[];
}

/** Options for {@linkcode drawnSessions}. */
export interface DrawnOptions {
  /** Flow logs that are not beside their sessions. */
  readonly flowLogs: readonly string[];
  /** The time limit between calls of one turn. */
  readonly sameTurnMs: number;
}

/**
 * Reads a folder.
 *
 * @param dir A folder of session logs, their flow logs beside them.
 * @param files The disk.
 * @param options What differs.
 * @returns The sessions, measured.
 * @throws {Error} When there is none, or a file cannot be read.
 */
export async function drawnSessions(
  dir: string,
  files: FlowLogStore,
  { flowLogs, sameTurnMs }: DrawnOptions,
): Promise<DrawnSessions> {
  const logs = await files.listLogs(dir);
  if (logs.length === 0) throw noSessions(dir);
  const notes: string[] = [];
  const decided = await decisionsOf([...await files.listFlowLogs(dir), ...flowLogs], files, notes);
  const groups = await groupLogs(logs, files.readLog);
  const isPrefixed = groups.some((group) => group.logs.length > 1);
  const sessions: DrawnSession[] = [];
  for (const group of groups) {
    const log = await group.read(files.readLog, isPrefixed);
    const trace = traceOf(log);
    const ids = group.logs.map(({ header, path }) => header?.session ?? logStem(path));
    const arms = new Set(ids.map((id) => decided.arms.get(id)));
    if (arms.size > 1) {
      notes.push(`session ${log.header.session}: its servers were drawn differently; left out`);
      continue;
    }
    const kinds: Readonly<Record<string, ToolKind>> = manifestOf(trace, "").tools;
    const leftOut = group.logs.flatMap(({ path }) => decided.leftOut.get(logStem(path)) ?? []);
    const [arm] = arms;
    const facts = { leftOut, kinds, sameTurnMs };
    sessions.push({ ...measureSession(trace, log.header, facts), arm });
  }
  return { sessions, notes };
}

/** What the flow logs say: the arm of each session by its id, what was left out by its file. */
async function decisionsOf(paths: readonly string[], files: FlowLogStore, notes: string[]) {
  const arms = new Map<string, FlowLog["arms"][number]["arm"]>();
  const leftOut = new Map<string, FlowLog["leftOut"]>();
  for (const path of paths) {
    const log = readFlowLog(await files.readText(path), path);
    if (log.isCut) notes.push(`"${path}": the last line is cut and is left out`);
    for (const { session, arm } of log.arms) arms.set(session, arm);
    leftOut.set(logStem(path), log.leftOut);
  }
  return { arms, leftOut };
}
