/**
 * The error for a malformed file of the benchmark.
 *
 * @module
 */

/** A malformed results file; the message names the file and the place. */
export class ResultsSyntaxError extends SyntaxError {
  override readonly name = "ResultsSyntaxError";

  /**
   * Makes the error.
   *
   * @param path The file.
   * @param where The JSON path or line of the fault.
   * @param found What is wrong there.
   */
  constructor(readonly path: string, readonly where: string, found: string) {
    super(`Cannot read "${path}": ${where} ${found}`);
  }
}

/**
 * Parses a file of the benchmark.
 *
 * @param text The file's text.
 * @param path The file's name, for messages.
 * @returns The parsed JSON.
 * @throws {ResultsSyntaxError} When the text is not JSON.
 */
export function parseResults(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ResultsSyntaxError(path, "the file", "is not JSON");
  }
}
