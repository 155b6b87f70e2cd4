/**
 * A disk that takes no more, or is mounted read-only: what it is called, and how work is stopped
 * there.
 *
 * @module
 */

const CODES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS", "EFBIG"]);

/** Nothing can be written below the state root, the owner's folder or a project. */
export class UnwritableError extends Error {
  override name = "UnwritableError";
  /** What can be done. */
  readonly hint =
    "Nothing was changed: make room, or mount it writable, and call again. Until then no step " +
    "may go on; sessions end at their expires_at. To end the rights of every session at once, " +
    "the owner moves or unmounts HAI_HOME: whoever asks is then refused.";
}

/**
 * Runs something that writes.
 *
 * @param write What to run.
 * @returns What it returned.
 * @throws {UnwritableError} Where the disk takes nothing.
 */
export function writing<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && CODES.has(String(error.code)))) throw error;
    throw new UnwritableError(`Cannot write the state: ${error.message}`, { cause: error });
  }
}
