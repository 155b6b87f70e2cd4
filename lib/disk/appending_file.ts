/**
 * A log beside a session, one line at a time: a flow's decisions, the judge's answers.
 * It fails open: a fault ends the log with one message, and the session goes on. Paths that flags
 * name are tried before anything starts (start_paths.ts).
 *
 * @module
 */

import { LogFile } from "./log_file.ts";
import type { Runtime } from "../ports/runtime.ts";
import { reasonOf } from "../text/reason.ts";

/** Appends lines. */
export interface AppendingFile {
  /** Appends one line, without its newline. */
  line(text: string): void;
  close(): Promise<void>;
}

const CLOSE_MS = 5_000;

/** Opens a file to append to; it is made with mode 0600 where it is missing. */
function appendingFile(path: string, what: string, runtime: Runtime): AppendingFile {
  let opened: Deno.FsFile;
  let length: number;
  try {
    opened = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
    length = opened.seekSync(0, Deno.SeekMode.End);
  } catch (error) {
    runtime.say(`cannot open the ${what} "${path}", the session goes on: ${reasonOf(error)}`);
    return { line() {}, close: () => Promise.resolve() };
  }
  const file = new LogFile(opened, {
    length,
    monotonicMs: runtime.monotonicMs,
    onEnd: (why) => runtime.say(`the ${what} ended, the session goes on: ${why}`),
  });
  const encoder = new TextEncoder();
  let waiting = "";
  const flush = () => {
    if (waiting !== "") file.write(encoder.encode(waiting));
    waiting = "";
  };
  return {
    line(text) {
      // All lines of a turn of the event loop are one write.
      if (waiting === "") queueMicrotask(flush);
      waiting += text + "\n";
    },
    close() {
      flush();
      return file.close(CLOSE_MS);
    },
  };
}

/** Logs that sessions may share: the first session opens a log, the last one closes it. */
export class AppendingFiles {
  readonly #runtime: Runtime;
  readonly #open = new Map<string, { readonly file: AppendingFile; sessions: number }>();

  /** Opens no file yet; faults go to stderr of `runtime`. */
  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /**
   * Opens a file for one session.
   *
   * @param path The file.
   * @param what Its name in messages.
   * @returns The log, to be closed once; one that cannot be opened drops its lines.
   */
  open(path: string, what: string): AppendingFile {
    const open = this.#open.get(path) ??
      { file: appendingFile(path, what, this.#runtime), sessions: 0 };
    this.#open.set(path, open);
    open.sessions++;
    return {
      line: (text) => open.file.line(text),
      close: async () => {
        if (--open.sessions > 0) return;
        this.#open.delete(path);
        await open.file.close();
      },
    };
  }
}
