/**
 * Chooses the expired files of a log folder.
 *
 * Only names that a recorder gives are chosen; other files in the folder are
 * never deleted.
 *
 * @module
 */

/** A file of a log folder. */
export interface LogFolderEntry {
  /** Name without the folder. */
  readonly name: string;
  /** Last change, milliseconds since 1970 UTC. */
  readonly mtimeMs: number;
}

const OURS = /^\d{8}T\d{6}\.\d{3}Z-\d+(?:-\d+)?(?:\.flow|\.confirm)?\.jsonl$/;
const DAY_MS = 86_400_000;

/**
 * Chooses the expired files.
 *
 * @param entries Regular files of the folder (no links, no folders).
 * @param nowMs Milliseconds since 1970 UTC.
 * @param days Age limit: files unchanged for longer are expired.
 * @returns Their names, in the order given.
 */
export function expired(
  entries: readonly LogFolderEntry[],
  nowMs: number,
  days: number,
): string[] {
  const oldest = nowMs - days * DAY_MS;
  return entries.filter((e) => OURS.test(e.name) && e.mtimeMs < oldest).map((e) => e.name);
}
