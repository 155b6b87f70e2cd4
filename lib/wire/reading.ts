/**
 * Reads lines as servers and hosts read them, which is more than JSON allows:
 * bytes that are not UTF-8 as U+FFFD, a byte order mark at the start, and the
 * words `NaN`, `Infinity` and `-Infinity`.
 *
 * A line that can be read is forwarded as the bytes that came. The functions on
 * spans work on those bytes: {@linkcode rootSpan} skips the mark, and
 * {@linkcode stringAt} decodes what is not UTF-8 to U+FFFD.
 *
 * @module
 */

import { isJson } from "../json/json_spans.ts";

/** How a line can be read: as JSON, with bad bytes or a mark mended, or with words for numbers. */
export type Reading = "json" | "mended" | "nan";

const QUOTE = 0x22, BACKSLASH = 0x5c, QUESTION = 0x3f, SPACE = 0x20, ZERO = 0x30;
const decoder = new TextDecoder();

/**
 * Reads a line.
 *
 * @param line Its bytes, with or without an end of line.
 * @returns How it can be read; undefined when it cannot.
 */
export function readLine(line: Uint8Array): Reading | undefined {
  if (isJson(line)) return "json";
  const mended = line.slice();
  if (startsWithMark(mended)) mended.fill(SPACE, 0, 3);
  mendUtf8(mended);
  if (isJson(mended)) return "mended";
  return mendWords(mended) && isJson(mended) ? "nan" : undefined;
}

/** Whether servers and hosts can read a line. */
export function isReadable(line: Uint8Array): boolean {
  return readLine(line) !== undefined;
}

/** Whether a line holds nothing but spaces, which is no message. */
export function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === SPACE || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}

/** A line without its byte order mark, which no message over HTTP may begin with. */
export function withoutMark(line: Uint8Array): Uint8Array {
  return startsWithMark(line) ? line.subarray(3) : line;
}

/**
 * The id that a line claims, though it cannot be read: the value of `id` at the top level.
 *
 * @param line The line.
 * @returns A number or a string, as written; undefined when none is found.
 */
export function claimedId(line: Uint8Array): string | undefined {
  let depth = 0;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (c === 0x7b || c === 0x5b) depth++;
    else if (c === 0x7d || c === 0x5d) depth--;
    if (c !== QUOTE) continue;
    const end = stringEnd(line, i);
    // The string may be no JSON; only the plain spelling is looked for.
    const isId = depth === 1 && decoder.decode(line.subarray(i, end)) === '"id"';
    const value = isId ? ID.exec(decoder.decode(line.subarray(end, end + MAX_ID)))?.[1] : undefined;
    if (value !== undefined && isJson(new TextEncoder().encode(value))) return value;
    i = end - 1;
  }
  return undefined;
}

const ID = /^\s*:\s*(-?\d[\d.eE+-]*|"(?:[^"\\]|\\.)*")\s*[,}]/;
/** Longer ids are not looked for. */
const MAX_ID = 300;

function startsWithMark(line: Uint8Array): boolean {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
}

/** Puts a question mark in place of each byte that is not UTF-8; the length stays. */
function mendUtf8(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length;) {
    const length = characterLength(bytes, i);
    if (length === 0) bytes[i] = QUESTION;
    i += Math.max(1, length);
  }
}

/** The length of the character at a place; 0 when there is none (RFC 3629 §4). */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let i = 1; i < length; i++) {
    if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  const second = bytes[at + 1] ?? 0;
  const isTooLow = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  const isTooHigh = (first === 0xed && second > 0x9f) || (first === 0xf4 && second > 0x8f);
  return isTooLow || isTooHigh ? 0 : length;
}

/** Puts a number of the same length in place of each word that stands for one; whether any did. */
function mendWords(bytes: Uint8Array): boolean {
  let hasWord = false;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === QUOTE) i = stringEnd(bytes, i) - 1;
    for (const word of ["NaN", "Infinity"]) {
      if (!hasWordAt(bytes, i, word)) continue;
      hasWord = true;
      bytes.fill(ZERO, i, i + word.length);
      bytes[i + 1] = 0x2e; // 0.0, 0.000000
    }
  }
  return hasWord;
}

function hasWordAt(bytes: Uint8Array, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return false;
  return true;
}

/** The index after the string that opens at a place, or the end of the bytes. */
function stringEnd(bytes: Uint8Array, at: number): number {
  for (let i = at + 1; i < bytes.length; i++) {
    if (bytes[i] === BACKSLASH) i++;
    else if (bytes[i] === QUOTE) return i + 1;
  }
  return bytes.length;
}
