/**
 * The folder of session logs: creates it, opens a new log in it, and deletes logs past their
 * retention. All of this happens at start, before permissions are given up.
 *
 * @module
 */

import { headerLine, type LogFacts, sessionId } from "../log/header.ts";
import { reasonOf } from "../text/reason.ts";
import { expired } from "../log/retention.ts";

/** A new log. */
export interface NewLog {
  /** Its path. */
  readonly path: string;
  /** The session's id. */
  readonly session: string;
  /** The open file, with the header in it. */
  readonly file: Deno.FsFile;
  /** Length of the header. */
  readonly bytes: number;
}

/**
 * Makes a log in a folder, and the folder if it is missing.
 *
 * @param dir The folder; made with mode 0700.
 * @param facts What the header says.
 * @returns The log; its file has mode 0600.
 * @throws {Error} When it cannot be made; the message names the path.
 */
export function createLog(dir: string, facts: LogFacts): NewLog {
  const session = sessionId(facts.startedUnixMs, facts.pid, facts.number);
  const path = `${dir}/${session}.jsonl`;
  try {
    Deno.mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`cannot create the log "${path}": ${reasonOf(error)}`, { cause: error });
  }
  let file: Deno.FsFile | undefined;
  try {
    file = Deno.openSync(path, { append: true, createNew: true, mode: 0o600 });
    const header = new TextEncoder().encode(headerLine(facts) + "\n");
    for (let rest = header; rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
    return { path, session, file, bytes: header.length };
  } catch (error) {
    if (file === undefined && error instanceof Deno.errors.AlreadyExists) {
      // Containers that share a folder can have the same process id: the next millisecond is free.
      return createLog(dir, { ...facts, startedUnixMs: facts.startedUnixMs + 1 });
    }
    file?.close();
    if (file !== undefined) Deno.removeSync(path);
    throw new Error(`cannot create the log "${path}": ${reasonOf(error)}`, { cause: error });
  }
}

/** Closes and deletes the log of a session that never started. */
export function discardLog(log: NewLog): void {
  log.file.close();
  Deno.removeSync(log.path);
}

/**
 * Deletes logs that were not changed for longer than so many days.
 *
 * @param dir The folder. Links and folders in it are left alone.
 * @param options `days`, the time now, and the path of a file to keep.
 * @returns The number of deleted logs.
 * @throws {Error} When the folder cannot be read, or when some old logs could not be deleted.
 */
export function pruneLogs(
  dir: string,
  options: { readonly days: number; readonly nowUnixMs: number; readonly keep: string },
): number {
  const entries = [];
  for (const entry of Deno.readDirSync(dir)) {
    const mtimeMs = entry.isFile ? mtime(`${dir}/${entry.name}`) : undefined;
    if (mtimeMs !== undefined) entries.push({ name: entry.name, mtimeMs });
  }
  const names = expired(entries, options.nowUnixMs, options.days)
    .filter((name) => `${dir}/${name}` !== options.keep);
  let deleted = 0;
  const faults: string[] = [];
  for (const name of names) {
    try {
      Deno.removeSync(`${dir}/${name}`);
      deleted++;
    } catch (error) {
      // Another proxy may be deleting from the same folder.
      if (!(error instanceof Deno.errors.NotFound)) faults.push(reasonOf(error));
    }
  }
  if (faults.length > 0) throw new Error(`${faults.length} of ${names.length} stay: ${faults[0]}`);
  return deleted;
}

function mtime(path: string): number | undefined {
  try {
    return Deno.lstatSync(path).mtime?.getTime();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
