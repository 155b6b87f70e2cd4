/**
 * Asks the person at the terminal; stdout carries the product, so the question goes to stderr.
 *
 * @module
 */

/**
 * Asks for a line. Signals are still handled while it waits.
 *
 * @param question What to ask; printed on stderr.
 * @returns The answer; undefined at the end of the input.
 */
export async function askOnStderr(question: string): Promise<string | undefined> {
  await Deno.stderr.write(new TextEncoder().encode(`${question} `));
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(1024); // A terminal delivers one line at a time.
  let text = "";
  for (;;) {
    const count = await Deno.stdin.read(buffer);
    if (count === null) return text === "" ? undefined : text;
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
    if (text.includes("\n")) return text.split("\n")[0];
  }
}
