/**
 * Reads the answer to a tool call: its text, whether it is an error, and the
 * values in it that a later call may use.
 *
 * @module
 */

import { at, isObject, type JsonObject, jsonText, textAt } from "../json/json.ts";
import type { WireResponse } from "./wire_messages.ts";

/** The answer to a tool call. */
export interface CallResult {
  /** Whether the call failed: a JSON-RPC error, or a result with `isError: true`. */
  readonly error: boolean;
  /** The result's text, or the error's message. */
  readonly content: string;
  /** Set when the answer has no content list to append to: errors and tasks have none. */
  readonly noContent?: true;
}

/** Shorter values occur too often to show where they came from. */
const MIN_VALUE_LENGTH = 3;
/** A longer JSON text is not parsed for its values: no model reads so much at once. */
const MAX_PARSED_CHARS = 1_048_576;

/**
 * Reads a response to `tools/call`.
 *
 * @param response The response.
 * @returns Text items joined by newlines, a placeholder such as `[image]` for each other item;
 * without any text the structured content as JSON.
 */
export function callResult(response: Pick<WireResponse, "result" | "error">): CallResult {
  const { result, error } = response;
  if (error !== undefined) {
    return { error: true, content: textAt(error, "message") ?? "", noContent: true };
  }
  return {
    error: at(result, "isError") === true,
    content: resultText(result ?? {}),
    ...(Array.isArray(at(result, "content")) ? {} : { noContent: true }),
  };
}

/**
 * Lists the values in a response: each string and number of at least three
 * characters, and each line of its texts.
 *
 * @param response The response.
 * @param take Called with each value, numbers as text; a value may come twice.
 */
export function eachResultValue(response: WireResponse, take: (value: string) => void): void {
  const { result, error } = response;
  for (const text of [textAt(error, "message"), ...texts(result ?? {})]) {
    if (text === undefined) continue;
    eachLeaf(text, take);
    eachLine(text, (line) => eachLeaf(line, take));
    if (text.length > MAX_PARSED_CHARS) continue;
    try {
      eachLeaf(JSON.parse(text), take);
    } catch {
      // Plain text: its lines are its values.
    }
  }
  eachLeaf(at(result, "structuredContent"), take);
}

/** Calls `take` with each line of a text, one at a time: a text may have millions. */
function eachLine(text: string, take: (line: string) => void): void {
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    take(text.slice(start, newline > start && text[end - 1] === "\r" ? end - 1 : end));
    start = end + 1;
  }
}

/**
 * Lists the string and number leaves of a value.
 *
 * @param value Any JSON value.
 * @param take Called with each leaf of at least three characters, numbers as text.
 */
export function eachLeaf(value: unknown, take: (value: string) => void): void {
  // A stack, not recursion: results may be nested deeper than calls can be.
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" || typeof next === "number") {
      const text = String(next);
      if (text.length >= MIN_VALUE_LENGTH) take(text);
    } else if (Array.isArray(next)) {
      for (const item of next) rest.push(item);
    } else if (isObject(next)) {
      for (const item of Object.values(next)) rest.push(item);
    }
  }
}

function resultText(result: JsonObject): string {
  const content = at(result, "content");
  const items: unknown[] = Array.isArray(content) ? content : [];
  const structured = at(result, "structuredContent");
  if (texts(result).length === 0 && structured !== undefined) return jsonText(structured);
  return items.map((item) => itemText(item) ?? `[${textAt(item, "type") ?? "unknown"}]`).join("\n");
}

function texts(result: JsonObject): string[] {
  const content = at(result, "content");
  return Array.isArray(content) ? content.flatMap((item) => itemText(item) ?? []) : [];
}

function itemText(item: unknown): string | undefined {
  return textAt(item, "type") === "text" ? textAt(item, "text") : undefined;
}
