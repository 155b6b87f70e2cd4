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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
