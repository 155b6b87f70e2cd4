/**
 * A file that is opened at the start and written at the end, for programs that give up their
 * permissions in between.
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";

/** A report's file. */
export interface ReportFile {
  /** Writes the whole report and closes the file. */
  finish(text: string): void;
  /** Closes the file as it is; does nothing after `finish`. */
  close(): void;
}

/**
 * Opens a report's file, and empties it.
 *
 * @param path The file; made with mode 0600 where it is missing.
 * @returns The file.
 * @throws {Error} When it cannot be written; the message names the path.
 */
export function openReportFile(path: string): ReportFile {
  let file: Deno.FsFile | undefined;
  try {
    file = Deno.openSync(path, { write: true, create: true, truncate: true, mode: 0o600 });
  } catch (error) {
    throw new Error(`Cannot write "${path}": ${reasonOf(error)}`, { cause: error });
  }
  const close = () => {
    file?.close();
    file = undefined;
  };
  return {
    close,
    finish: (text) => {
      const bytes = new TextEncoder().encode(text);
      for (let rest = bytes; file && rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
      close();
    },
  };
}
