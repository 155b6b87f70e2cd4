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
