/**
 * Where values stand in the bytes of a JSON text.
 *
 * `JSON.parse` gives values and forgets spelling: digits past 2^53, duplicate
 * keys, spaces. What is only looked at, or replaced in place, is found here by
 * its bytes, and everything around it stays as it came. Nothing is decoded.
 *
 * The bytes must have passed {@linkcode isJson}; no fault is looked for after that.
 *
 * @module
 */

import { JsonCheck } from "./json_check.ts";

/** A stretch of bytes: from `start` to `end`, exclusive. */
export interface Span {
  /** Index of the first byte. */
  readonly start: number;
  /** Index after the last byte. */
  readonly end: number;
}

/** A member of an object: its key with the quotes, and its value without spaces around it. */
export interface MemberSpan {
  /** The key. */
  readonly key: Span;
  /** The value. */
  readonly value: Span;
}

const QUOTE = 0x22, BACKSLASH = 0x5c, COMMA = 0x2c;
const OPEN_BRACE = 0x7b, CLOSE_BRACE = 0x7d, OPEN_BRACKET = 0x5b, CLOSE_BRACKET = 0x5d;

const check = new JsonCheck();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Whether bytes are one JSON value in valid UTF-8. */
export function isJson(bytes: Uint8Array): boolean {
  check.push(bytes, 0, bytes.length);
  return check.end();
}

/** The value that the whole text is, without spaces around it. */
export function rootSpan(bytes: Uint8Array): Span {
  const start = skipSpace(bytes, 0);
  return { start, end: skipValue(bytes, start) };
}

/** Whether the value there is an object. */
export function isObjectAt(bytes: Uint8Array, span: Span): boolean {
  return bytes[span.start] === OPEN_BRACE;
}

/** Whether the value there is an array. */
export function isArrayAt(bytes: Uint8Array, span: Span): boolean {
  return bytes[span.start] === OPEN_BRACKET;
}

/** Whether the value there is a string. */
export function isStringAt(bytes: Uint8Array, span: Span): boolean {
  return bytes[span.start] === QUOTE;
}

/** The members of the object there, as written, duplicates included; none of any other value. */
export function members(bytes: Uint8Array, span: Span): MemberSpan[] {
  const found: MemberSpan[] = [];
  if (!isObjectAt(bytes, span)) return found;
  let at = skipSpace(bytes, span.start + 1);
  while (at < span.end && bytes[at] !== CLOSE_BRACE) {
    const key = { start: at, end: skipString(bytes, at) };
    const start = skipSpace(bytes, skipSpace(bytes, key.end) + 1);
    const end = skipValue(bytes, start);
    found.push({ key, value: { start, end } });
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return found;
}

/** The elements of the array there; none of any other value. */
export function elements(bytes: Uint8Array, span: Span): Span[] {
  const found: Span[] = [];
  if (!isArrayAt(bytes, span)) return found;
  let at = skipSpace(bytes, span.start + 1);
  while (at < span.end && bytes[at] !== CLOSE_BRACKET) {
    const end = skipValue(bytes, at);
    found.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return found;
}

/** Whether a key, escapes resolved, is this name. */
export function keyIs(bytes: Uint8Array, key: Span, name: string): boolean {
  const length = key.end - key.start - 2;
  if (length === name.length) {
    let i = 0;
    while (i < name.length && bytes[key.start + 1 + i] === name.charCodeAt(i)) i++;
    return i === name.length;
  }
  if (length < name.length) return false;
  // Escapes, and the bytes of characters beyond ASCII, are longer than what they stand for.
  for (let i = key.start + 1; i < key.end; i++) {
    if (bytes[i] === BACKSLASH || (bytes[i] ?? 0) > 0x7f) return stringAt(bytes, key) === name;
  }
  return false;
}

/** Every value of that name in the object there: readers differ on which of two counts. */
export function valuesOf(bytes: Uint8Array, span: Span | undefined, name: string): Span[] {
  if (span === undefined) return [];
  return members(bytes, span).filter((m) => keyIs(bytes, m.key, name)).map((m) => m.value);
}

/** The value at a path of names; of duplicates the last, as `JSON.parse` has it. */
export function valueAt(
  bytes: Uint8Array,
  span: Span | undefined,
  ...path: readonly string[]
): Span | undefined {
  let at = span;
  for (const name of path) at = valuesOf(bytes, at, name).at(-1);
  return at;
}

/** The text of a span, as written. */
export function spanText(bytes: Uint8Array, span: Span): string {
  return decoder.decode(bytes.subarray(span.start, span.end));
}

/** The string there, escapes resolved; undefined when the value is no string, or absent. */
export function stringAt(bytes: Uint8Array, span: Span | undefined): string | undefined {
  if (span === undefined || !isStringAt(bytes, span)) return undefined;
  const value: unknown = JSON.parse(spanText(bytes, span));
  return typeof value === "string" ? value : undefined;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let i = from;
  for (let c = bytes[i]; c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09; c = bytes[i]) i++;
  return i;
}

/** The index after the string that opens at `from`. */
function skipString(bytes: Uint8Array, from: number): number {
  for (let i = from + 1; i < bytes.length; i++) {
    const c = bytes[i];
    if (c === BACKSLASH) i++;
    else if (c === QUOTE) return i + 1;
  }
  return bytes.length;
}

/** The index after the value that begins at `from`. */
function skipValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let i = from; i < bytes.length;) {
    const c = bytes[i];
    if (c === QUOTE) {
      i = skipString(bytes, i);
      if (depth === 0) return i;
      continue;
    }
    if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++;
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      if (depth === 0) return i; // The end of what holds a number or a word.
      if (--depth === 0) return i + 1;
    } else if (depth === 0 && (c === COMMA || c === undefined || c <= 0x20)) return i;
    i++;
  }
  return bytes.length;
}
