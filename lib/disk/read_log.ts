/**
 * Session logs on disk: one file, or a folder of them.
 *
 * A folder is read one session at a time, so that only one is in memory. Flow logs and judge logs
 * beside the sessions, and files in subfolders, are not sessions. A log packed with gzip is read
 * as the log it was.
 *
 * @module
 */

import type { ListedLog, LogHeader, LogLine, SessionLog } from "../log/log.ts";
import { eachLogOnce, isFlowLogName, isPackedLog, isSessionLogName } from "../log/log_names.ts";
import { type LogHead, LogParser, LogReader } from "../log/parse_log.ts";
import { unpackedPieces } from "./packed_log.ts";

/** Buffers for blocking reads; each is used within one call. */
const CHUNK = new Uint8Array(262_144);
const START = new Uint8Array(4096);

/**
 * Reads one session log.
 *
 * @example Usage
 * ```ts
 * import { readLog } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const log = await readLog("testdata/sessions/v2/parcels.jsonl");
 * assertEquals(log.header.domain, "parcels");
 * assertEquals(log.lines[0]?.from, "client");
 * ```
 *
 * @param path The log's file.
 * @returns The session; `problems` names a last line that a crash cut.
 * @throws {LogSyntaxError} When any line but a cut last one cannot be read. The error carries
 * the rest of the log.
 */
export async function readLog(path: string): Promise<SessionLog> {
  const parser = new LogParser({ path });
  if (isPackedLog(path)) return await pushUnpacked(path, parser);
  const file = await Deno.open(path);
  try {
    const buffer = new Uint8Array(65536);
    for (let n = await file.read(buffer); n !== null; n = await file.read(buffer)) {
      parser.push(buffer.subarray(0, n));
    }
  } finally {
    file.close();
  }
  return parser.end();
}

/**
 * Reads a session log line by line; the memory it needs is that of the longest line.
 *
 * @param path The log's file.
 * @param onLine Called with each readable line.
 * @returns The header, and the cut last line if there is one.
 * @throws {LogSyntaxError} When any line but a cut last one is unreadable.
 */
export function scanLog(path: string, onLine: (line: LogLine) => void): Promise<LogHead> {
  if (isPackedLog(path)) return pushUnpacked(path, new LogReader(onLine, { path }));
  // Blocking reads: half a million small ones would each wait for another thread.
  return Promise.try(() => {
    using file = Deno.openSync(path);
    const reader = new LogReader(onLine, { path });
    for (let n = file.readSync(CHUNK); n !== null; n = file.readSync(CHUNK)) {
      reader.push(CHUNK.subarray(0, n));
    }
    return reader.end();
  });
}

/**
 * Reads the sessions of a folder, oldest first, one at a time.
 *
 * @example Usage
 * ```ts
 * import { readLogs } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const sessions: string[] = [];
 * for await (const log of readLogs("testdata/sessions/v2")) sessions.push(log.header.session);
 * assertEquals(sessions[0], "20261112T081503.077Z-911");
 * ```
 *
 * @param dir The folder.
 * @returns Its sessions, by start, then by session id.
 * @throws {LogSyntaxError} At a file that is not a session log.
 */
export async function* readLogs(dir: string): AsyncGenerator<SessionLog, void, void> {
  for (const { path } of await listLogs(dir)) yield await readLog(path);
}

/**
 * Finds the session logs of a folder by their first lines.
 *
 * @param dir The folder.
 * @returns The logs by start, then by session id; logs without a header last, by name.
 */
export async function listLogs(dir: string): Promise<ListedLog[]> {
  const files: ListedLog[] = [];
  const entries = await Array.fromAsync(Deno.readDir(dir));
  const names = new Set(eachLogOnce(entries.map(({ name }) => name)));
  for (const entry of entries) {
    if (!isSessionLogName(entry.name) || !names.has(entry.name)) continue;
    const path = `${dir.replace(/(?<=.)\/+$/, "")}/${entry.name}`;
    // Links are followed; a folder named like a log is a folder. A log that cannot be opened
    // is listed without a header: reading it gives the reason, and the others are still read.
    const isFile = entry.isFile ||
      await Deno.stat(path).then((found) => found.isFile, () => true);
    if (isFile) files.push({ path, header: await headerOf(path) });
  }
  return files.sort(byStart);
}

/**
 * Finds the flow logs of a folder.
 *
 * @param dir The folder.
 * @returns Their paths, by name.
 */
export async function listFlowLogs(dir: string): Promise<string[]> {
  const names = (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name);
  return eachLogOnce(names.filter(isFlowLogName))
    .map((name) => `${dir.replace(/(?<=.)\/+$/, "")}/${name}`)
    .sort(compare);
}

/** Gives a packed log's bytes to a parser, and ends it. */
async function pushUnpacked<T>(
  path: string,
  parser: { push(bytes: Uint8Array): void; end(): T },
): Promise<T> {
  for await (const piece of unpackedPieces(path)) parser.push(piece);
  return parser.end();
}

async function headerOf(path: string): Promise<LogHeader | undefined> {
  try {
    return isPackedLog(path) ? await readPackedHeader(path) : readHeader(path);
  } catch {
    return undefined;
  }
}

function readHeader(path: string): LogHeader | undefined {
  using file = Deno.openSync(path);
  const reader = new LogReader(() => {});
  for (let n = file.readSync(START); n !== null; n = file.readSync(START)) {
    const end = START.subarray(0, n).indexOf(10);
    reader.push(START.subarray(0, end < 0 ? n : end + 1));
    if (end >= 0) return reader.header;
  }
  return reader.end().header;
}

async function readPackedHeader(path: string): Promise<LogHeader | undefined> {
  const reader = new LogReader(() => {});
  for await (const piece of unpackedPieces(path)) {
    const end = piece.indexOf(10);
    reader.push(end < 0 ? piece : piece.subarray(0, end + 1));
    if (end >= 0) return reader.header;
  }
  return reader.end().header;
}

function byStart(a: ListedLog, b: ListedLog): number {
  if (a.header === undefined || b.header === undefined) {
    if (a.header !== b.header) return a.header === undefined ? 1 : -1;
    return compare(a.path, b.path);
  }
  return a.header.started_unix_ms - b.header.started_unix_ms ||
    compare(a.header.session, b.header.session);
}

/** Code unit order, the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
