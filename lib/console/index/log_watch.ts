/**
 * Watches folders of logs, and keeps the index in step, one piece of work after another.
 *
 * The system says which file changed. Where it cannot, and for what it missed, the folders are
 * looked at again every few seconds.
 *
 * @module
 */

import type { LogScanner } from "./log_scanner.ts";

/** Pause between an event and the reading, so that many lines are read at once. */
const SETTLE_MS = 100;
/** Pause between two looks at all folders. */
const RESCAN_MS = 10_000;

/** Options for {@linkcode LogWatch}. */
export interface LogWatchOptions {
  /** Called with a fault of the work; the watch goes on. */
  onFault(error: unknown): void;
}

/** A running watch. */
export class LogWatch {
  readonly #scanner: LogScanner;
  readonly #options: LogWatchOptions;
  readonly #paths = new Set<string>();
  readonly #watchers: Deno.FsWatcher[] = [];
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #isAll = true;
  #isWorking = false;
  #isClosed = false;
  #work: Promise<void> = Promise.resolve();

  /**
   * Starts to watch. The first look at all folders begins at once.
   *
   * @param folders The folders.
   * @param scanner What reads them.
   * @param options Who is told of faults.
   */
  constructor(folders: readonly string[], scanner: LogScanner, options: LogWatchOptions) {
    this.#scanner = scanner;
    this.#options = options;
    for (const folder of folders) this.#watch(folder);
    const again = () => {
      this.#isAll = true;
      this.#start();
      this.#later(again, RESCAN_MS);
    };
    again();
  }

  /** Resolves when the index is in step with what was seen so far. */
  get settled(): Promise<void> {
    return this.#work;
  }

  /** Reads the logs that the system named since, while a look at all folders goes on. */
  async urgent(): Promise<void> {
    const paths = [...this.#paths];
    this.#paths.clear();
    for (const path of paths) await this.#scanner.look(path);
  }

  /** Ends the watch after the slice that is being read. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#scanner.stop();
    for (const watcher of this.#watchers) watcher.close();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#work;
  }

  #watch(folder: string): void {
    try {
      const watcher = Deno.watchFs(folder);
      this.#watchers.push(watcher);
      this.#follow(watcher).catch(() => {}); // Too many files to watch: the looks remain.
    } catch {
      // The looks at all folders remain.
    }
  }

  async #follow(watcher: Deno.FsWatcher): Promise<void> {
    let isWaiting = false;
    for await (const { paths, kind } of watcher) {
      if (kind === "access") continue;
      const logs = paths.filter((path) => path.endsWith(".jsonl"));
      if (logs.length === 0 || this.#isClosed) continue;
      logs.forEach((path) => this.#paths.add(path));
      if (isWaiting) continue;
      isWaiting = true;
      this.#later(() => {
        isWaiting = false;
        this.#start();
      }, SETTLE_MS);
    }
  }

  #start(): void {
    if (this.#isWorking || this.#isClosed) return;
    this.#isWorking = true;
    this.#work = this.#run().finally(() => this.#isWorking = false);
  }

  async #run(): Promise<void> {
    while ((this.#isAll || this.#paths.size > 0) && !this.#isClosed) {
      try {
        await this.urgent();
        if (this.#isAll && this.#paths.size === 0) {
          this.#isAll = false;
          await this.#scanner.scan();
        }
      } catch (error) {
        this.#options.onFault(error);
      }
    }
  }

  #later(work: () => void, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }
}
