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
 * @returns The values, numbers as text.
 */
export function resultValues(response: WireResponse): Set<string> {
  const values = new Set<string>();
  const { result, error } = response;
  for (const text of [textAt(error, "message"), ...texts(result ?? {})]) {
    if (text === undefined) continue;
    addLeaves(text, values);
    for (const line of text.split(/\r?\n/)) addLeaves(line, values);
    try {
      addLeaves(JSON.parse(text), values);
    } catch {
      // Plain text: its lines are its values.
    }
  }
  addLeaves(at(result, "structuredContent"), values);
  return values;
}

/**
 * Adds the string and number leaves of a value to a set.
 *
 * @param value Any JSON value.
 * @param into The set.
 */
export function addLeaves(value: unknown, into: Set<string>): void {
  // A stack, not recursion: results may be nested deeper than calls can be.
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" || typeof next === "number") {
      const text = String(next);
      if (text.length >= MIN_VALUE_LENGTH) into.add(text);
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
