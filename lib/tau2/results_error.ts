/**
 * The error of a results file that is not what it should be.
 *
 * @module
 */

/** A results file of another shape; the message names the file and the place in it. */
export class ResultsSyntaxError extends SyntaxError {
  override readonly name = "ResultsSyntaxError";

  /**
   * Makes the error.
   *
   * @param path The file.
   * @param where JSON path or line of the fault.
   * @param found What stands there.
   */
  constructor(readonly path: string, readonly where: string, found: string) {
    super(`Cannot read "${path}": ${where} ${found}`);
  }
}
