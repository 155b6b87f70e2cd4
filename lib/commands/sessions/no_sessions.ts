/**
 * The error for a folder without session logs.
 *
 * @module
 */

/**
 * Makes the error.
 *
 * @param dir The folder, as it is shown.
 * @returns The error; it says which files count.
 */
export function noSessions(dir: string): Error {
  return new Error(
    `No sessions in "${dir}": there is no *.jsonl file (*.flow.jsonl and *.confirm.jsonl do not ` +
      "count, subfolders are not read)",
  );
}
