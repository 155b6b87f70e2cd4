/**
 * The refusal of a benchmark tool.
 *
 * @module
 */

/** Thrown when a tool refuses; the answer is `Error: ` and the message. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
}

/** Refuses the call. */
export function refuseTool(message: string): never {
  throw new ToolRefusal(message);
}
