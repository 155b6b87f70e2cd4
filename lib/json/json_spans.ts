/**
 * Finds values by their place in the bytes of a JSON text.
 *
 * `JSON.parse` loses spelling: digits past 2^53, duplicate keys, spaces. With
 * spans a value can be read or replaced in place while every byte around it
 * stays. Nothing is decoded.
 *
 * The bytes must have passed {@linkcode isJson}; these functions check nothing.
 *
 * @module
 */

import { JsonCheck } from "./json_check.ts";

/** A byte range from `start` to `end`, exclusive. */
export interface Span {
  /** Index of the first byte. */
  readonly start: number;
  /** Index after the last byte. */
  readonly end: number;
}

/** A member of an object: the key with its quotes, the value without spaces around it. */
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

/** The value of the whole text, without spaces around it or a byte order mark before it. */
export function rootSpan(bytes: Uint8Array): Span {
  const start = skipSpace(bytes, bytes[0] === 0xef ? 3 : 0);
  return { start, end: skipValue(bytes, start) };
}

/** Whether the value at a span is an object. */
export function isObjectAt(bytes: Uint8Array, span: Span): boolean {
  return bytes[span.start] === OPEN_BRACE;
}

/** Whether the value at a span is an array. */
export function isArrayAt(bytes: Uint8Array, span: Span): boolean {
  return bytes[span.start] === OPEN_BRACKET;
}

/** Whether the value at a span is a string. */
export function isStringAt(bytes: Uint8Array, span: Span): boolean {
  return bytes[span.start] === QUOTE;
}

/** The members of an object in written order, duplicates included; empty for other values. */
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

/** The elements of an array; empty for other values. */
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

/** Whether a key equals a name once its escapes are resolved. */
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

/** Every value with that name in an object; parsers differ on which duplicate counts. */
export function valuesOf(bytes: Uint8Array, span: Span | undefined, name: string): Span[] {
  if (span === undefined) return [];
  return members(bytes, span).filter((m) => keyIs(bytes, m.key, name)).map((m) => m.value);
}

/** The value at a path of names; the last of duplicates, as `JSON.parse` takes it. */
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

/** The string at a span, escapes resolved; undefined when the value is absent or not a string. */
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
