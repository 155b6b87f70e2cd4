/**
 * A file of lines that grows beside a session: decisions of a flow, judgements.
 * It fails open: a fault ends the file, with one message, never the session.
 *
 * @module
 */

import { LogFile } from "../disk/log_file.ts";
import type { Host } from "../host/host.ts";

/** Appends lines. */
export interface AppendingFile {
  /** Appends one line, without its newline. */
  line(text: string): void;
  close(): Promise<void>;
}

const CLOSE_MS = 5_000;

/**
 * Opens a file to append to; it is made with mode 0600 where it is missing.
 *
 * @param path The file.
 * @param what What it is, for messages.
 * @param host Who is told.
 * @returns The file.
 * @throws {Error} When it cannot be opened; names it.
 */
export function appendingFile(path: string, what: string, host: Host): AppendingFile {
  let opened: Deno.FsFile;
  try {
    opened = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  } catch (error) {
    throw new Error(`cannot open the ${what} "${path}": ${messageOf(error)}`, { cause: error });
  }
  const file = new LogFile(opened, {
    length: opened.seekSync(0, Deno.SeekMode.End),
    monotonicMs: host.monotonicMs,
    onEnd: (why) => host.say(`the ${what} ended, the session goes on: ${why}`),
  });
  const encoder = new TextEncoder();
  return {
    line: (text) => file.write(encoder.encode(text + "\n")),
    close: () => file.close(CLOSE_MS),
  };
}

/** Files that sessions may share: the first opens one, the last closes it. */
export class AppendingFiles {
  readonly #host: Host;
  readonly #open = new Map<string, { readonly file: AppendingFile; sessions: number }>();

  /** Opens none yet; `host` is told of faults. */
  constructor(host: Host) {
    this.#host = host;
  }

  /**
   * Opens a file for one session.
   *
   * @param path The file.
   * @param what What it is, for messages.
   * @returns The file, to be closed once.
   * @throws {Error} When it cannot be opened; names it.
   */
  open(path: string, what: string): AppendingFile {
    const open = this.#open.get(path) ??
      { file: appendingFile(path, what, this.#host), sessions: 0 };
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
