/**
 * Finds the members of a JSON object by their place in its text (a string;
 * json_spans.ts does the same for bytes).
 *
 * `JSON.parse` loses spelling: digits past 2^53, duplicate keys, spaces. Cut a
 * value out of the text by its span to get it as it was written. The text must
 * have passed `JSON.parse` already; nothing is checked here.
 *
 * @module
 */

/** A member: its key and the range of its value, white space around it included. */
export interface JsonMember {
  /** The key, escapes resolved. */
  readonly key: string;
  /** First index after the colon. */
  readonly start: number;
  /** Index of the comma or brace that ends the value. */
  readonly end: number;
}

const QUOTE = 0x22, BACKSLASH = 0x5c, COMMA = 0x2c, COLON = 0x3a;
const OPEN_BRACE = 0x7b, CLOSE_BRACE = 0x7d, OPEN_BRACKET = 0x5b, CLOSE_BRACKET = 0x5d;

/**
 * Lists the members of an object, in the order they are written.
 *
 * @param text Text of one JSON object.
 * @returns Its members, duplicates included.
 */
export function jsonMembers(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  let depth = 0;
  let key = "";
  let start = -1; // Of the value, once its colon was seen.
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = endOfString(text, i);
      if (depth === 1 && start < 0) key = JSON.parse(text.slice(i, end));
      i = end - 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++;
    } else if (depth === 1 && code === COLON) {
      start = i + 1;
    } else if (depth === 1 && (code === COMMA || code === CLOSE_BRACE) && start >= 0) {
      members.push({ key, start, end: i });
      start = -1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
    }
  }
  return members;
}

/** The index after the closing quote of the string that opens at `open`. */
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close > 0 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close < 0 ? text.length : close + 1;
}

/** Whether an odd number of backslashes stands before the index. */
function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
