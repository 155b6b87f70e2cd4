/**
 * A question to the person at the terminal, where stdout belongs to the product.
 *
 * @module
 */

/**
 * Asks for a line.
 *
 * @param question What to ask; printed on stderr.
 * @returns The answer; undefined at the end of the input.
 */
export function askOnStderr(question: string): string | undefined {
  Deno.stderr.writeSync(new TextEncoder().encode(`${question} `));
  const line: number[] = [];
  const byte = new Uint8Array(1);
  for (;;) {
    if (Deno.stdin.readSync(byte) === null) return line.length > 0 ? text(line) : undefined;
    if (byte[0] === 10) return text(line);
    line.push(byte[0] ?? 0);
  }
}

function text(bytes: readonly number[]): string {
  return new TextDecoder().decode(new Uint8Array(bytes));
}
