/**
 * What a tool of the benchmark answers when it does not do what it was asked.
 *
 * @module
 */

/** A tool refuses; its message is the answer after `Error: `. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
}

/** Refuses. */
export function refuseTool(message: string): never {
  throw new ToolRefusal(message);
}
