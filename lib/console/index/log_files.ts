/**
 * The log files of folders, as the console looks at them: sizes and times, and lines by their place.
 *
 * @module
 */

import type { MessagePlace } from "../record/session_row.ts";

/** A log on the disk. */
export interface LogStat {
  readonly path: string;
  readonly bytes: number;
  readonly changedMs: number;
  /** What the system calls the file; 0 where it has no such number. */
  readonly inode: number;
}

/** Endings of files beside session logs that are not session logs. */
const NOT_LOGS = /\.(?:flow|confirm)\.jsonl$/;

/**
 * Lists a folder of logs and the folders directly in it.
 *
 * @param dir The folder.
 * @returns The folders; the first alone when it cannot be read.
 */
export function logFolders(dir: string): string[] {
  try {
    const inner = [...Deno.readDirSync(dir)].filter((entry) =>
      entry.isDirectory && !entry.name.startsWith(".")
    );
    return [dir, ...inner.map((entry) => `${dir}/${entry.name}`).sort()];
  } catch {
    return [dir];
  }
}

/**
 * Lists the logs of one folder.
 *
 * @param dir The folder.
 * @returns Its logs; none when it cannot be read.
 */
export function logsOf(dir: string): LogStat[] {
  try {
    return [...Deno.readDirSync(dir)].flatMap(({ name }) => statLog(`${dir}/${name}`) ?? []);
  } catch {
    return [];
  }
}

/** Looks at one log; undefined when it is none, or gone. */
export function statLog(path: string): LogStat | undefined {
  if (!path.endsWith(".jsonl") || NOT_LOGS.test(path)) return undefined;
  try {
    const { isFile, size, mtime, ino } = Deno.statSync(path);
    if (!isFile) return undefined;
    return { path, bytes: size, changedMs: mtime?.getTime() ?? 0, inode: ino ?? 0 };
  } catch {
    return undefined;
  }
}

/**
 * Reads one line of a log.
 *
 * @param path The log.
 * @param place The line's place.
 * @returns Its bytes; fewer when the file was cut.
 */
export function readLineAt(path: string, { at, length }: Omit<MessagePlace, "part">): Uint8Array {
  using file = Deno.openSync(path);
  file.seekSync(at, Deno.SeekMode.Start);
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const n = file.readSync(bytes.subarray(filled));
    if (n === null) break;
    filled += n;
  }
  return bytes.subarray(0, filled);
}
