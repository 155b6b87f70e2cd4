/**
 * Reads tool lists and their use from session logs.
 *
 * @module
 */

import { type Catalog, catalogOf, readCatalog } from "../../catalog/catalog.ts";
import { RecordedUse } from "../../catalog/recorded_use.ts";
import type { ServerUse } from "../../catalog/tools_report.ts";
import { type JsonObject, jsonOrUndefined } from "../../json/json.ts";
import type { SessionLog } from "../../log/log.ts";
import type { FileStore } from "../../ports/files.ts";
import { type Trace, traceOf } from "../../trace/trace.ts";
import { noSessions } from "../sessions/no_sessions.ts";

/**
 * Reads the session logs of a folder, one after another.
 *
 * @param dir The folder.
 * @param files The disk.
 * @param take Called with each session.
 * @throws {Error} When the folder has no session.
 */
export async function eachSession(
  dir: string,
  files: FileStore,
  take: (trace: Trace, log: SessionLog) => void,
): Promise<void> {
  const logs = await files.listLogs(dir);
  if (logs.length === 0) throw noSessions(dir);
  for (const { path } of logs) {
    const log = await files.readLog(path);
    take(traceOf(log), log);
  }
}

/**
 * Reads the tools of a folder of session logs.
 *
 * @param dir The folder.
 * @param files The disk.
 * @returns The tools by server, in the order of the first session of each; the last listing counts.
 * @throws {Error} When the folder has no session.
 */
export async function folderTools(dir: string, files: FileStore): Promise<ServerUse[]> {
  const servers = new Map<string, { tools: Map<string, JsonObject>; use: RecordedUse }>();
  await eachSession(dir, files, (trace, { header }) => {
    const server = header.server_name ?? trace.parties.server?.name ?? "";
    const known = servers.get(server) ?? { tools: new Map(), use: new RecordedUse() };
    servers.set(server, known);
    for (const [name, tool] of catalogOf(trace)) known.tools.set(name, tool);
    known.use.add(trace, header.session);
  });
  return [...servers].map(([server, { tools, use }]) => ({ server, catalog: tools, use }));
}

/** A tool list, and the use that its own session shows. */
export interface ListedUse {
  readonly catalog: Catalog;
  /** Adds the session that the list was read from to a count; nothing for a bare list. */
  addTo(use: RecordedUse): void;
}

/**
 * Reads a tool list from a session log, or from a JSON file with the answer to `tools/list`.
 *
 * @param path The file.
 * @param files The disk.
 * @returns The list.
 * @throws {Error} When the file has no tool list.
 */
export async function fileTools(path: string, files: FileStore): Promise<ListedUse> {
  const catalog = readCatalog(jsonOrUndefined(await files.readText(path)));
  if (catalog !== undefined) return { catalog, addTo: () => {} };
  const log = await files.readLog(path);
  const trace = traceOf(log);
  const listed = catalogOf(trace);
  if (listed.size === 0) {
    throw new Error(`Cannot compare "${path}": no tools were listed in this session`);
  }
  return { catalog: listed, addTo: (use) => use.add(trace, log.header.session) };
}
