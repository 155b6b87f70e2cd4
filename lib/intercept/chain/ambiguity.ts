/**
 * Finds what makes a host message mean different things to different parsers: of two keys with
 * one name, some take the first and some the last, and some ignore case. Where an interceptor
 * may refuse, such a message is refused, since no check of it would hold. What is ambiguous
 * inside the arguments of a call is for whoever reads them.
 *
 * @module
 */

import {
  isObjectAt,
  members,
  type Span,
  spanText,
  stringAt,
  valueAt,
} from "../../json/json_spans.ts";
import type { Message } from "../../wire/message.ts";

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
export function ambiguity(
  { bytes, span, id, params, method }: Message,
): string | undefined {
  const fault = keyFault(bytes, span, OF_MESSAGE);
  if (fault !== undefined || method !== "tools/call") return fault;
  if (id === undefined) return "a call has no id";
  if (params === undefined) return undefined;
  const args = valueAt(bytes, params, "arguments");
  const isOdd = args !== undefined && !isObjectAt(bytes, args) && spanText(bytes, args) !== "null";
  return keyFault(bytes, params, OF_CALL) ?? (isOdd ? '"arguments" is no object' : undefined);
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
