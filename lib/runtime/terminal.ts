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
  /** Lines as they are typed, until the end of input. */
  lines(): AsyncIterable<string>;
  /** Columns; undefined where they cannot be told. */
  readonly width?: number | undefined;
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
    lines: typedLines,
    get width() {
      return columns();
    },
  };
}

async function* typedLines(): AsyncGenerator<string> {
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

function columns(): number | undefined {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return undefined; // Not a terminal.
  }
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
