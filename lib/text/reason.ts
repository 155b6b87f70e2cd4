/**
 * Why something could not be done, in the words of whoever could not do it.
 *
 * @module
 */

/**
 * The message of what was thrown. What Deno adds to the system's own words (the error's number,
 * the call and the path, which our messages name themselves) is left out.
 *
 * @param error What was thrown.
 * @returns One clause.
 */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/ \(os error \d+\)(?:: \w+ '[^]*')?$/, "");
}
