/**
 * Writes a command's report: on stdout or to `--out`, and its numbers and its page where asked.
 *
 * @module
 */

import type { FlagValues } from "../flags/flags.ts";
import type { FileStore } from "../ports/files.ts";
import type { Runtime } from "../ports/runtime.ts";

/** A report in its forms. */
export interface Report {
  /** Markdown, without a final newline. */
  readonly text: string;
  /** The numbers behind it, for `--json`. */
  readonly json?: unknown;
  /** Makes the page for `--html`. */
  readonly html?: () => string;
}

/** Where a report goes. */
export interface ReportTarget {
  readonly values: FlagValues;
  readonly runtime: Pick<Runtime, "print">;
  readonly files: Pick<FileStore, "replace">;
}

/**
 * Writes a report.
 *
 * @param report The report.
 * @param target The command line, stdout and the disk.
 * @param flag The flag that names a file instead of stdout.
 */
export async function writeReport(
  { text, json, html }: Report,
  { values, runtime, files }: ReportTarget,
  flag = "out",
): Promise<void> {
  const [out, jsonPath, htmlPath] = [flag, "json", "html"].map((name) => values.get(name));
  if (jsonPath !== undefined && json !== undefined) {
    await files.replace(jsonPath, JSON.stringify(json, null, 2) + "\n");
  }
  if (htmlPath !== undefined && html !== undefined) await files.replace(htmlPath, html());
  if (out === undefined) runtime.print(text);
  else await files.replace(out, text + "\n");
}
