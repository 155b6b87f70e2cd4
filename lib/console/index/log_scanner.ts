/**
 * Keeps the index in step with the folders: logs that are new, have grown, were replaced or are gone.
 *
 * Work is done in slices, between which requests are answered. A log that grows is read on from
 * where its reader stopped; the readers that were used last are kept.
 *
 * @module
 */

import { LogReader } from "../../log/parse_log.ts";
import { messageOf } from "../../text/reason.ts";
import { SessionIndexer } from "../record/session_indexer.ts";
import type { IndexDatabase } from "./index_database.ts";
import { IndexWriter } from "./index_writer.ts";
import { MAX_SHOWN_LINE } from "../record/message_record.ts";
import { measureFlow } from "./flow_measure.ts";
import { logFolders, logsOf, type LogStat, statLog } from "./log_files.ts";

/** Bytes of a log that are read before requests are answered. */
const SLICE = 1 << 20;
/** Work that goes on without a pause for requests. */
const WORK_MS = 15;
/** Readers that are kept for logs that grow. */
const MAX_READERS = 64;

/** How far the index has come. */
export interface ScanProgress {
  /** Logs that were found to be new or changed, and those that are done. */
  readonly found: number;
  readonly done: number;
}

/** A reader that can go on. */
interface OpenLog {
  readonly reader: LogReader;
  readonly indexer: SessionIndexer;
  readTo: number;
  inode: number;
}

/** Options for {@linkcode LogScanner}. */
export interface LogScannerOptions {
  /** Called after each slice. */
  onProgress?(progress: ScanProgress): void;
  /** Called between two logs of a scan, for work that is more urgent. */
  between?(): Promise<void>;
  /** Called with the numbers of logs that were written to the index, or have left it. */
  onChange?(ids: readonly number[]): void;
}

/** Scans folders into an index. */
export class LogScanner {
  readonly #dirs: readonly string[];
  readonly #index: IndexDatabase;
  readonly #writer: IndexWriter;
  readonly #options: LogScannerOptions;
  readonly #open = new Map<string, OpenLog>();
  readonly #buffer = new Uint8Array(SLICE);
  #folders: readonly string[];
  #found = 0;
  #done = 0;
  #isStopped = false;
  #breathMs = 0;

  /**
   * Makes the scanner.
   *
   * @param dirs The folders; those directly in them are read too.
   * @param index The index.
   * @param options Who is told.
   */
  constructor(dirs: readonly string[], index: IndexDatabase, options: LogScannerOptions = {}) {
    this.#dirs = dirs;
    this.#folders = dirs.flatMap((dir) => logFolders(dir));
    this.#index = index;
    this.#writer = new IndexWriter(index);
    this.#options = options;
  }

  /** How far the index has come. */
  get progress(): ScanProgress {
    return { found: this.#found, done: this.#done };
  }

  /** The folders that were found last: those given, and those in them. */
  get folders(): readonly string[] {
    return this.#folders;
  }

  /** Ends a scan that runs after its slice. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Looks at every log of the folders, and reads what has changed, newest first. */
  async scan(): Promise<void> {
    const changed: (LogStat & { readonly dir: string })[] = [];
    this.#folders = this.#dirs.flatMap((dir) => logFolders(dir));
    for (const dir of this.#folders) {
      const known = this.#writer.filesOf(dir);
      for (const file of logsOf(dir)) {
        const old = known.get(file.path);
        known.delete(file.path);
        const isSame = old !== undefined && old.bytes === file.bytes &&
          old.changedMs === file.changedMs && old.inode === file.inode;
        if (!isSame) changed.push({ ...file, dir });
      }
      for (const { id, path } of known.values()) this.#remove(id, path);
    }
    changed.sort((a, b) => b.changedMs - a.changedMs);
    this.#found += changed.length;
    this.#index.gather(true);
    try {
      for (const { dir, path } of changed) {
        if (this.#isStopped) return;
        await this.#update(dir, path);
        this.#done++;
        this.#options.onProgress?.(this.progress);
        await this.#options.between?.();
        await this.#breathe();
      }
    } finally {
      this.#index.gather(false);
    }
  }

  /** Reads what has changed in one log, or removes it when it is gone. */
  async look(path: string): Promise<void> {
    const dir = path.slice(0, path.lastIndexOf("/"));
    if (!this.folders.includes(dir)) return;
    if (!path.endsWith(".jsonl") || statLog(path) === undefined) {
      const gone = this.#writer.file(path);
      if (gone !== undefined) this.#remove(gone.id, path);
      return;
    }
    await this.#update(dir, path);
  }

  #remove(id: number, path: string): void {
    this.#open.delete(path);
    this.#writer.remove(id);
    this.#options.onChange?.([id]);
  }

  async #update(dir: string, path: string): Promise<void> {
    const stat = statLog(path);
    if (stat === undefined) return;
    const known = this.#writer.file(path);
    const open = this.#open.get(path);
    const goesOn = known !== undefined && open !== undefined && open.inode === stat.inode &&
      stat.bytes >= open.readTo;
    const id = goesOn ? known.id : this.#writer.begin(dir, path);
    const log = goesOn ? open : openLog(stat, path);
    this.#keep(path, log);
    try {
      await this.#read(id, path, log);
      const measured = await measureFlow(path);
      if (measured !== undefined) this.#writer.putFlow(id, measured);
    } catch (error) {
      this.#put(id, log, stat, messageOf(error));
    }
  }

  /** Reads a log to its end, slice by slice. */
  async #read(id: number, path: string, log: OpenLog): Promise<void> {
    using file = Deno.openSync(path);
    file.seekSync(log.readTo, Deno.SeekMode.Start);
    for (;;) {
      const n = file.readSync(this.#buffer);
      if (n !== null) {
        log.reader.push(this.#buffer.subarray(0, n));
        log.readTo += n;
      }
      const stat = statLog(path);
      const isEnd = n === null || stat === undefined || log.readTo >= stat.bytes;
      this.#put(id, log, stat ?? { path, bytes: 0, changedMs: 0, inode: 0 });
      if (isEnd || this.#isStopped) return;
      this.#options.onProgress?.(this.progress);
      await this.#breathe();
    }
  }

  /** Lets requests be answered, when work has gone on for a while. */
  async #breathe(): Promise<void> {
    if (performance.now() - this.#breathMs < WORK_MS) return;
    const { isGathering } = this.#index;
    this.#index.gather(false);
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#index.gather(isGathering);
    this.#breathMs = performance.now();
  }

  #put(id: number, log: OpenLog, stat: LogStat, fault?: string): void {
    const { reader, indexer, readTo } = log;
    const { changedMs, inode, bytes } = stat;
    // What was not read yet must look changed the next time.
    const file = { bytes: Math.min(bytes, readTo), changedMs, inode, readTo };
    const faults = reader.problems.slice(0, 20).map(({ line, message }) =>
      `line ${line} ${message}`
    );
    if (fault !== undefined) faults.push(fault);
    this.#writer.put(id, {
      file: fault === undefined ? file : { ...file, bytes },
      facts: indexer.facts(reader.header),
      faults: faults.join("\n"),
      rows: indexer.changedRows(),
      tools: indexer.newTools(),
      turns: indexer.newTurns(),
      words: indexer.newWords(),
    });
    this.#options.onChange?.([id]);
  }

  #keep(path: string, log: OpenLog): void {
    this.#open.delete(path);
    this.#open.set(path, log);
    if (this.#open.size <= MAX_READERS) return;
    const [oldest] = this.#open.keys();
    if (oldest !== undefined) this.#open.delete(oldest);
  }
}

function openLog({ inode }: LogStat, path: string): OpenLog {
  const indexer = new SessionIndexer();
  const reader: LogReader = new LogReader((line) => indexer.take(line, reader.place), {
    path,
    maxLineBytes: MAX_SHOWN_LINE,
    onLong: (line, start) => indexer.takeLong(line, start, reader.place),
  });
  return { reader, indexer, readTo: 0, inode };
}
