/**
 * The names of session logs and of the files beside them, packed with gzip or not.
 *
 * @module
 */

const PACKED = /\.gz$/;
const ENDING = /(?:\.flow)?\.jsonl(?:\.gz)?$/;

/** Whether a file's name is that of a session log, and not of a flow or confirm log beside one. */
export function isSessionLogName(name: string): boolean {
  const plain = plainLogName(name);
  return plain.endsWith(".jsonl") && !/\.(?:flow|confirm)\.jsonl$/.test(plain);
}

/** Whether a file's name is that of a flow log. */
export function isFlowLogName(name: string): boolean {
  return plainLogName(name).endsWith(".flow.jsonl");
}

/** Whether a log's name says that it is packed with gzip. */
export function isPackedLog(path: string): boolean {
  return PACKED.test(path);
}

/** A log's path as it was before it was packed. */
export function plainLogName(path: string): string {
  return path.replace(PACKED, "");
}

/** A log's path without its ending: the same for a session's log and its flow log. */
export function logStem(path: string): string {
  return path.replace(ENDING, "");
}

/**
 * Leaves out packed logs that stand beside their original: while gzip packs a log, and after a
 * crash of it, both are there, and the original is whole.
 *
 * @param names Names of one folder.
 * @returns The names, each log once.
 */
export function eachLogOnce(names: readonly string[]): string[] {
  const all = new Set(names);
  return names.filter((name) => !isPackedLog(name) || !all.has(plainLogName(name)));
}
