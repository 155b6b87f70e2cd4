/**
 * The options of the conversation.
 *
 * @module
 */

/** Where the conversation is. */
export interface ContextOptions {
  /** The conversation file, `{session}` in it. */
  readonly path: string;
}
