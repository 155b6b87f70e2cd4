/**
 * Finds what makes a host message mean different things to different parsers: of two keys with
 * one name, some take the first and some the last, and some ignore case. Where an interceptor
 * may refuse, such a message is refused, since no check of it would hold.
 *
 * @module
 */

import { members, type Span, stringAt } from "../../json/json_spans.ts";
import type { Message } from "../../wire/message.ts";

const QUOTE = 0x22, BACKSLASH = 0x5c, COMMA = 0x2c;
const OPEN_BRACE = 0x7b, CLOSE_BRACE = 0x7d, OPEN_BRACKET = 0x5b, CLOSE_BRACKET = 0x5d;

/** Keys that say what a message is. */
const OF_MESSAGE = ["jsonrpc", "id", "method", "params"];
/** Keys that say what a call does. */
const OF_CALL = ["name", "arguments"];

/**
 * Says what is ambiguous about a message.
 *
 * @param message A message of a host.
 * @returns The reason, in words for the host; undefined if nothing is.
 */
export function ambiguity({ bytes, span, params, method }: Message): string | undefined {
  const fault = keyFault(bytes, span, OF_MESSAGE);
  if (fault !== undefined || method !== "tools/call" || params === undefined) return fault;
  return keyFault(bytes, params, OF_CALL) ?? duplicateIn(bytes, params);
}

/** A key of the object there that stands twice, or differs from a known one in case only. */
function keyFault(bytes: Uint8Array, span: Span, known: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const { key } of members(bytes, span)) {
    const name = stringAt(bytes, key) ?? "";
    const plain = known.find((other) => other.toLowerCase() === name.toLowerCase());
    if (plain === undefined) continue;
    if (plain !== name) return `"${name}" may be read as "${plain}"`;
    if (seen.has(name)) return `"${name}" stands twice`;
    seen.add(name);
  }
  return undefined;
}

/** A key that stands twice in an object, however deep. One pass, since depth is the peer's choice. */
function duplicateIn(bytes: Uint8Array, span: Span): string | undefined {
  /** The keys of each object that is open; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (let i = span.start; i < span.end; i++) {
    const c = bytes[i];
    if (c === QUOTE) {
      const end = stringEnd(bytes, i);
      const keys = isKeyNext ? open.at(-1) : undefined;
      if (keys !== undefined) {
        const name = stringAt(bytes, { start: i, end }) ?? "";
        if (keys.has(name)) return `"${name}" stands twice`;
        keys.add(name);
      }
      isKeyNext = false;
      i = end - 1;
    } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      open.push(c === OPEN_BRACE ? new Set() : undefined);
      isKeyNext = c === OPEN_BRACE;
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      open.pop();
      isKeyNext = false;
    } else if (c === COMMA) isKeyNext = open.at(-1) !== undefined;
  }
  return undefined;
}

/** The index after the string that opens at a place. */
function stringEnd(bytes: Uint8Array, at: number): number {
  for (let i = at + 1; i < bytes.length; i++) {
    if (bytes[i] === BACKSLASH) i++;
    else if (bytes[i] === QUOTE) return i + 1;
  }
  return bytes.length;
}
