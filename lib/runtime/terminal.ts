/**
 * The terminal: it tells a person from a program, as far as a terminal can.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";

/** A terminal. */
export interface Terminal {
  /** Whether stdin and stdout are one. */
  readonly isPresent: boolean;
  /** Asks for a line; undefined at the end of input. */
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

/**
 * Tells a person who started a server by hand what it waits for.
 *
 * @param runtime Where to say it.
 */
export function greetTerminal(runtime: Runtime): void {
  if (!Deno.stdin.isTerminal()) return;
  runtime.say(
    "stdin is a terminal: a host's messages go here, one a line; Ctrl-D ends the session",
  );
}
