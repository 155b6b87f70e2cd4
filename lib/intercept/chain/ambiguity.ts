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
  type MemberSpan,
  type Span,
  spanText,
  stringAt,
} from "../../json/json_spans.ts";
import type { Message } from "../../wire/message.ts";

/** Keys that say what a message is. */
const OF_MESSAGE = ["jsonrpc", "id", "method", "params"];
const BACKSLASH = 0x5c;
/** Longer keys are decoded. */
const MAX_PLAIN = 32;
/** Keys that say what a call does. */
const OF_CALL = ["name", "arguments"];

/**
 * Says what is ambiguous about a message.
 *
 * @param message A message of a host.
 * @returns The reason, in words for the host; undefined if nothing is.
 */
export function ambiguity(
  { bytes, span, method }: Pick<Message, "bytes" | "span" | "method">,
): string | undefined {
  const { fault, found } = knownKeys(bytes, members(bytes, span), OF_MESSAGE);
  if (fault !== undefined || method !== "tools/call") return fault;
  const params = found.get("params");
  if (!found.has("id")) return "a call has no id";
  if (params === undefined) return undefined;
  const call = knownKeys(bytes, members(bytes, params), OF_CALL);
  if (call.fault !== undefined) return call.fault;
  const args = call.found.get("arguments");
  const isOdd = args !== undefined && !isObjectAt(bytes, args) && spanText(bytes, args) !== "null";
  return isOdd ? '"arguments" is no object' : undefined;
}

/** The values of known keys; the fault is one that stands twice, or differs in case only. */
function knownKeys(
  bytes: Uint8Array,
  all: readonly MemberSpan[],
  known: readonly string[],
): { readonly fault?: string; readonly found: ReadonlyMap<string, Span> } {
  const found = new Map<string, Span>();
  for (const { key, value } of all) {
    const name = keyAt(bytes, key);
    const plain = known.includes(name)
      ? name
      : known.find((other) => other.toLowerCase() === name.toLowerCase());
    if (plain === undefined) continue;
    if (plain !== name) return { fault: `"${name}" may be read as "${plain}"`, found };
    if (found.has(name)) return { fault: `"${name}" stands twice`, found };
    found.set(name, value);
  }
  return { found };
}

/** A key, escapes resolved. Those of messages are short and plain, which needs no decoder. */
function keyAt(bytes: Uint8Array, key: Span): string {
  if (key.end - key.start > MAX_PLAIN) return stringAt(bytes, key) ?? "";
  let name = "";
  for (let i = key.start + 1; i < key.end - 1; i++) {
    const c = bytes[i] ?? 0;
    if (c < 0x20 || c > 0x7e || c === BACKSLASH) return stringAt(bytes, key) ?? "";
    name += String.fromCharCode(c);
  }
  return name;
}
