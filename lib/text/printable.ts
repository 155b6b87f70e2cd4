/**
 * Makes recorded text safe to print.
 *
 * A log holds any text that a tool returned. Printed unchanged it could move the
 * cursor, recolour the screen, set a title or reverse the reading direction.
 * Every such character becomes a visible escape.
 *
 * @module
 */

// C0 and DEL, C1, soft hyphen, Arabic letter mark, zero-width space and direction marks, line and
// paragraph separator, embedding and isolate controls, byte order mark, lone surrogates, tags.
const UNSAFE =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Cs}\u{e0000}-\u{e007f}]/gu;

const SHORT: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\u001b": "\\e",
};

/**
 * Replaces control characters by visible escapes.
 *
 * @param text Any text.
 * @returns One line that a terminal prints without side effects.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, escape);
}

/**
 * Shortens a text for a message or a table.
 *
 * @param text Any text.
 * @param length How many characters (code points) to keep.
 * @returns Printable text; `…` marks a cut.
 */
export function excerpt(text: string, length: number): string {
  // A code point is at most two units: what is past twice the length need not be looked at.
  const start = Array.from(text.slice(0, length * 2));
  const isCut = start.length > length || text.length > length * 2;
  return printable(start.slice(0, length).join("")) + (isCut ? "…" : "");
}

function escape(char: string): string {
  return SHORT[char] ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
