/**
 * @module
 */

/** A procedure file that cannot be used; the message names the file and the place. */
export class ProcedureSyntaxError extends SyntaxError {
  override readonly name = "ProcedureSyntaxError";
}
