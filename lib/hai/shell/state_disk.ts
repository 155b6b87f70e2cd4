/**
 * The real disk for the hai engine: the reading half of the state.
 *
 * A path that may not be read counts as missing; a file that is there but
 * cannot be read is found by its kind.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Disk, FileFacts, Kind } from "../state/disk_port.ts";
import { realPathOf } from "../../disk/confined_path.ts";

/**
 * Makes the disk.
 *
 * @returns The disk.
 */
export function stateDisk(): Disk {
  return { read, kind, list, realPath: realPathOf, size, facts, isWritable };
}

function read(path: string): Uint8Array | undefined {
  try {
    return Deno.readFileSync(path);
  } catch {
    return undefined;
  }
}

function kind(path: string): Kind | undefined {
  try {
    const { isFile, isDirectory, isSymlink } = Deno.lstatSync(path);
    return isSymlink ? "symlink" : isFile ? "file" : isDirectory ? "directory" : "other";
  } catch {
    return undefined;
  }
}

function list(dir: string): readonly string[] {
  try {
    return [...Deno.readDirSync(dir)]
      .map((entry) => entry.name)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function size(path: string): number | undefined {
  try {
    const found = Deno.statSync(path);
    return found.isFile ? found.size : undefined;
  } catch {
    return undefined;
  }
}

/** Read in parts: evidence may be large. */
function facts(path: string): FileFacts | undefined {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch {
    return undefined;
  }
  try {
    const { isFile, mtime } = file.statSync();
    if (!isFile) return undefined;
    const hash = createHash("sha256");
    const part = new Uint8Array(256 * 1024);
    let bytes = 0;
    for (let n = file.readSync(part); n !== null; n = file.readSync(part)) {
      hash.update(part.subarray(0, n));
      bytes += n;
    }
    return { sha256: hash.digest("hex"), bytes, modifiedMs: mtime?.getTime() ?? 0 };
  } catch {
    return undefined;
  } finally {
    file.close();
  }
}

/** What one call may write: its records, its event and the journal. */
const PROBE_BYTES = 64 * 1024;

/** Tried, since rights, read-only mounts, full disks and Deno's permissions all have a say. */
function isWritable(dir: string): boolean {
  let probe: string | undefined;
  try {
    probe = Deno.makeTempFileSync({ dir, prefix: ".probe-", suffix: ".tmp" });
    Deno.writeFileSync(probe, new Uint8Array(PROBE_BYTES));
    return true;
  } catch {
    return false;
  } finally {
    if (probe !== undefined) Deno.removeSync(probe);
  }
}
