/**
 * The disk as the engine sees it: read-only. Writes are returned
 * as changes, and the shell carries them out, all or none.
 *
 * @module
 */

/** Kind of a directory entry; symlinks are not followed. */
export type Kind = "file" | "directory" | "symlink" | "other";

/** A regular file, as evidence is judged. */
export interface FileFacts {
  /** SHA-256 of its bytes, 64 hex digits. */
  readonly sha256: string;
  /** Its size. */
  readonly bytes: number;
  /** When it was last written, milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** The reading half of the disk. A path it may not see counts as missing. */
export interface Disk {
  /** Bytes of a file, symlinks followed; undefined when there is none. */
  read(path: string): Uint8Array | undefined;
  /** Kind of the entry itself; undefined when it is missing. */
  kind(path: string): Kind | undefined;
  /** Names in a folder, sorted; none when it is missing. */
  list(dir: string): readonly string[];
  /** Where a path really leads, a missing tail allowed; undefined when it cannot be resolved. */
  realPath(path: string): string | undefined;
  /** Size of a regular file, symlinks followed; undefined when it is none. */
  size(path: string): number | undefined;
  /** Hash, size and age of a regular file; undefined when it is none or unreadable. */
  facts(path: string): FileFacts | undefined;
  /** Whether a folder can be written to. */
  isWritable(dir: string): boolean;
}

/** Where a change may land; the shell checks each area's bounds again. */
export type Area = "home" | "owner" | "project";

/** One file to write, or to remove when `text` is null. */
export interface Change {
  /** Which bounds apply. */
  readonly area: Area;
  /** Absolute path. */
  readonly path: string;
  /** New content; null removes the file. */
  readonly text: string | null;
}
