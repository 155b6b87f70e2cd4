/**
 * A lock between processes. The lock is on an open file, so the system releases it when its holder
 * dies. The file stays, and its existence means nothing. A file that was deleted while another
 * process waited for it is not confused with the new file.
 *
 * Within a process, callers queue in order. Waiting has a timeout, so that a holder that hangs makes
 * the others fail, not hang.
 *
 * @module
 */

/** Another process held the lock for too long. */
export class LockTimeoutError extends Error {
  override name = "LockTimeoutError";
  /** The lock file. */
  readonly path: string;

  /**
   * Makes the error.
   *
   * @param path The lock file.
   * @param waitMs The timeout.
   */
  constructor(path: string, waitMs: number) {
    super(`Cannot lock "${path}": another process held it for ${waitMs} ms`);
    this.path = path;
  }
}

/** Options of {@linkcode LockFile}. */
export interface LockFileOptions {
  /**
   * How long to wait for another process.
   *
   * @default {10000}
   */
  readonly waitMs?: number;
}

/** A lock file. */
export class LockFile {
  readonly #path: string;
  readonly #waitMs: number;
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * Makes the lock; its file is created when the lock is first taken.
   *
   * @param path The file; its folder exists by then.
   * @param options How long to wait.
   */
  constructor(path: string, { waitMs = 10_000 }: LockFileOptions = {}) {
    this.#path = path;
    this.#waitMs = waitMs;
  }

  /**
   * Runs something while holding the lock.
   *
   * @param work What to run; synchronous, so that the lock is never held for long.
   * @returns What it returned.
   * @throws {LockTimeoutError} When another process held the lock for too long.
   */
  hold<T>(work: () => T): Promise<T> {
    const turn = this.#queue.then(async () => {
      const file = await this.#take();
      try {
        return work();
      } finally {
        file.close(); // Closing drops the lock.
      }
    });
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /**
   * Runs something that takes time while holding the lock.
   *
   * @param work What to run. It has a limit of its own that is shorter than the wait of others.
   * @returns What it returned.
   * @throws {LockTimeoutError} When another process held the lock for too long.
   */
  during<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(async () => {
      const file = await this.#take();
      try {
        return await work();
      } finally {
        file.close();
      }
    });
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #take(): Promise<Deno.FsFile> {
    const deadline = performance.now() + this.#waitMs;
    for (;;) {
      const file = await this.#lock(deadline);
      if (isStillAt(this.#path, file)) return file;
      file.close();
    }
  }

  async #lock(deadline: number): Promise<Deno.FsFile> {
    const file = openForLock(this.#path);
    try {
      // Older Deno (such as 2.6.8) has no non-blocking lock: a thread waits there.
      if ("tryLockSync" in file) await this.#try(file, deadline);
      else await this.#wait(file, deadline);
      return file;
    } catch (error) {
      if (!(error instanceof LateLock)) file.close();
      throw error instanceof LateLock ? error.cause : error;
    }
  }

  /** Tries with back-off until the timeout. */
  async #try(file: Deno.FsFile, deadline: number): Promise<void> {
    for (let pauseMs = 1; !file.tryLockSync(true); pauseMs = Math.min(16, pauseMs * 2)) {
      if (performance.now() >= deadline) {
        throw new LockTimeoutError(this.#path, this.#waitMs);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** Waits on a thread; a lock that comes after the timeout is released at once. */
  async #wait(file: Deno.FsFile, deadline: number): Promise<void> {
    const locked = file.lock(true).then(() => "locked" as const);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), Math.max(0, deadline - performance.now()));
    });
    const first = await Promise.race([locked, late]);
    clearTimeout(timer);
    if (first === "locked") return;
    locked.finally(() => file.close()).catch(() => {});
    throw new LateLock("the lock may still come", {
      cause: new LockTimeoutError(this.#path, this.#waitMs),
    });
  }
}

/** Whether the locked file is still the one at the path. */
function isStillAt(path: string, file: Deno.FsFile): boolean {
  try {
    return Deno.statSync(path).ino === file.statSync().ino;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A wait that timed out while its thread goes on; the thread closes the file. */
class LateLock extends Error {
  override name = "LateLock";
}

/** On a read-only mount a lock file that is there is locked as it is: readers still take turns. */
function openForLock(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
  } catch (error) {
    const isReadOnly = error instanceof Error && "code" in error && error.code === "EROFS";
    if (!isReadOnly) throw error;
    try {
      return Deno.openSync(path);
    } catch {
      throw error; // It says more than that the file is missing.
    }
  }
}
