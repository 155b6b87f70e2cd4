/**
 * The terminal a person sits at: what tells an owner from a program, as far as
 * a terminal can.
 *
 * @module
 */

/** A terminal. */
export interface Terminal {
  /** Whether stdin and stdout are one. */
  readonly isPresent: boolean;
  /** Asks for a line; undefined when there is none to be had. */
  ask(question: string): string | undefined;
}

/**
 * The terminal of this process.
 *
 * @returns The terminal.
 */
export function ownTerminal(): Terminal {
  return {
    isPresent: Deno.stdin.isTerminal() && Deno.stdout.isTerminal(),
    ask: (question) => prompt(question) ?? undefined,
  };
}
