/**
 * Formats a thrown value as a one-line message.
 *
 * @module
 */

/**
 * The message of a thrown value, whole. For a value that no caller has put into words yet.
 *
 * @param error The thrown value.
 * @returns Its message.
 */
export function messageOf(error: unknown): string {
  // deno-lint-ignore hoist/message-of -- the one place
  return error instanceof Error ? error.message : String(error);
}

/**
 * The reason in a thrown value, for a message that already names the file and the action: what
 * Deno appends to the system's own text (the error's number, the call and the path) is left out.
 *
 * @param error The thrown value.
 * @returns One clause.
 */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/ \(os error \d+\)(?:: \w+ '[^]*')?$/, "");
}
