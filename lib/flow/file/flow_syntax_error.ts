/**
 * The error of a flow file that cannot be read.
 *
 * @module
 */

/** A flow of another version, or one whose content is not what it should be. */
export class FlowSyntaxError extends SyntaxError {
  override readonly name = "FlowSyntaxError";
}
